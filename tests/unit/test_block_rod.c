// Validation 9.12: Painleve's rod. Its end, pushed along the ground ahead of a rod that leans at
// theta, answers a normal impulse by (1 + 3 cos^2 - 3 mu sin cos) / m while it slides: negative
// around tan(theta) = 2 once mu > 4/3, and then no sliding motion exists. What does exist is a
// tangential impact without collision: the end stops at once, by W r = -u with the 2x2 matrix W of
// the end, whose determinant is 4 / m^2 for a thin rod.
#include "tests/unit/effort.h"
#include "tests/unit/scene.h"

#define GRAVITY 9.81
#define LENGTH  1.0
#define T       1e-3
#define SPEED   2.0 // of the end along -x, before

struct rod {
    struct gabion_world *world;
    int32_t body;
    double mass;
    double W_nn, W_nt, W_tt; // of the end in the plane, by hand
};

// The rod leans over to +x, on its lower edge.
static struct rod rod_create(double step, double theta, double friction) {
    struct gabion_settings settings = scene_settings(step, 0.5);
    struct rod rod = {.world = scene_create(&settings, (struct gabion_law){.friction = friction})};
    double l = 0.5 * LENGTH, t = 0.5 * T, c = cos(theta), s = sin(theta);
    vec3 centre = {l * c - t * s, 0, l * s + t * c}; // from the end
    scene_floor(rod.world);
    struct gabion_body body =
        scene_block_body(scene_box_shape(rod.world, vec3_make(l, 0.05, t)), centre);
    body.orientation = quat_about(vec3_make(0, -1, 0), theta);
    body.velocity = vec3_make(-SPEED, 0, 0);
    // in the plane of the paradox: a rod with width may also jam on one of its two corners
    body.lock = GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ;
    rod.body = scene_add(rod.world, &body);
    rod.mass = 1000 * LENGTH * 0.1 * T;
    double I = rod.mass / 3 * (l * l + t * t);
    rod.W_nn = 1 / rod.mass + centre.x * centre.x / I;
    rod.W_tt = 1 / rod.mass + centre.z * centre.z / I;
    rod.W_nt = -centre.x * centre.z / I;
    return rod;
}

// The first step, with friction on either side of the paradox.
static void check_first_step(double step, double theta, double friction) {
    struct rod rod = rod_create(step, theta, friction);
    double compliance = rod.W_nn + friction * rod.W_nt, c = cos(theta), s = sin(theta);
    double thin = (1 + 3 * c * c - 3 * friction * s * c) / rod.mass;
    assert_near(compliance * rod.mass, thin * rod.mass, 0.02);
    // u_free = (-g h, -SPEED); slides, or stops: r = -u_free / W
    double fall = GRAVITY * step, determinant = rod.W_nn * rod.W_tt - rod.W_nt * rod.W_nt;
    double r_n = fall / compliance, r_t = friction * r_n;
    if (compliance < 0) {
        r_n = (rod.W_tt * fall - rod.W_nt * SPEED) / determinant;
        r_t = (rod.W_nn * SPEED - rod.W_nt * fall) / determinant;
        assert_true(r_t <= friction * r_n);
    }
    scene_step(rod.world, 1);
    vec3 r = scene_pair_impulse(rod.world, rod.body, 0);
    print_message("friction %g, step %g: compliance %.3f / m, impulse %.6f, %.6f m v (%.6f, %.6f), "
                  "%d sweeps\n",
                  friction, step, compliance * rod.mass, r.z / (rod.mass * SPEED),
                  r.x / (rod.mass * SPEED), r_n / (rod.mass * SPEED), r_t / (rod.mass * SPEED),
                  rod.world->report.sweeps);
    assert_true(rod.world->report.converged);
    assert_near(r.z / r_n, 1, 1e-4); // the midpoint is not where the rod started
    assert_near(r.x / r_t, 1, 1e-4);
    scene_destroy(rod.world);
}

static void test_first_step(void **state) {
    (void)state;
    for (double step = 1e-4; step > 1e-7; step *= 0.1) {
        check_first_step(step, atan(2), 1.2);
        check_first_step(step, atan(2), 1.8);
    }
}

struct history {
    double largest;  // impulse of a step, in m SPEED
    int unconverged; // steps
};

// Half a second: the rod slides, jams, turns over and lies down. Every step has a finite answer
// that keeps the law or says that it does not, and there is never more energy than at the start.
static struct history rod_run(double step, double theta, double friction) {
    struct rod rod = rod_create(step, theta, friction);
    struct history history = {0, 0};
    rod.world->settings.on_cap = GABION_CAP_ACCEPT;
    rod.world->settings.max_sweeps = 1000;
    double start =
        0.5 * rod.mass * SPEED * SPEED + rod.mass * GRAVITY * scene_position(rod.world, rod.body).z;
    while (gabion_time(rod.world) < 0.5) {
        scene_step(rod.world, 1);
        const struct gabion_step_report *report = &rod.world->report;
        vec3 r = scene_pair_impulse(rod.world, rod.body, 0);
        assert_true(vec3_finite(r) && vec3_finite(scene_velocity(rod.world, rod.body)));
        assert_int_equal(report->converged, report->residual <= rod.world->settings.tolerance);
        assert_at_most(scene_energy(rod.world), start * (1 + 1e-6));
        history.largest = fmax(history.largest, vec3_length(r) / (rod.mass * SPEED));
    }
    history.unconverged = (int)rod.world->run.unconverged_steps;
    assert_int_equal(rod.world->run.local_fallbacks, 0);
    scene_assert_ledger(rod.world);
    scene_destroy(rod.world);
    return history;
}

// As h goes to 0 the largest impulse of a step goes with it where there is no paradox, and to that
// of the jam where there is.
static void test_run(void **state) {
    (void)state;
    for (int degrees = 50; degrees <= effort(75, 50); degrees += 5) {
        double theta = degrees * PI / 180, largest[2][2];
        for (int jam = 0; jam < 2; jam++)
            for (int fine = 0; fine < 2; fine++) {
                struct history history = rod_run(fine ? 1e-4 : 1e-3, theta, jam ? 1.8 : 1.2);
                assert_int_equal(history.unconverged, 0);
                largest[jam][fine] = history.largest;
            }
        print_message("from %d degrees, h = 1e-3 and 1e-4: largest impulse %.4f, %.4f m v; with "
                      "the paradox %.4f, %.4f\n",
                      degrees, largest[0][0], largest[0][1], largest[1][0], largest[1][1]);
        assert_near(largest[0][1] / largest[0][0], 0.1, 0.01);
        assert_near(largest[1][1] / largest[1][0], 1, 0.02);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_step),
        cmocka_unit_test(test_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
