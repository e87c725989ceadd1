// What structures stand on: bases shaken by an accelerogram, supports that settle, and what probes
// say of them.
#include "engine/world/signal.h"
#include "parallel/memory.h"
#include "tests/unit/scene.h"

#define GRAVITY 9.81

static const double thetas[] = {0.5, 0.75, 1};

static int32_t base(struct gabion_world *world, int *group) {
    *group = gabion_add_group(world, "base", NULL);
    struct gabion_body body = scene_plane_body(vec3_make(0.25, 0, 0), vec3_make(0, 0, 1));
    body.group = *group;
    return scene_add(world, &body);
}

// Records ---------------------------------------------------------------------------------------

#define POINTS 9
static double record_time[POINTS] = {0.1, 0.15, 0.3, 0.31, 0.5, 0.8, 0.85, 0.9, 1.3};
static double record_value[POINTS] = {0.5, 2, -3, -3.5, 1, 4, -1, -1, 2};

static struct gabion_signal record_signal(double amplitude, double start) {
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_RECORD, amplitude, start, INFINITY);
    signal.points = POINTS;
    signal.table_time = record_time;
    signal.table_value = record_value;
    return signal;
}

static double acceleration_at(double t) {
    if (t < record_time[0] || t > record_time[POINTS - 1])
        return 0;
    int k = 0;
    while (k + 2 < POINTS && t > record_time[k + 1])
        k++;
    double share = (t - record_time[k]) / (record_time[k + 1] - record_time[k]);
    return (1 - share) * record_value[k] + share * record_value[k + 1];
}

// Displacement and velocity by summing pieces of the record: d = integral of (t - s) a(s) ds, which
// Simpson's rule gives exactly on each piece.
static double integral(double t, bool velocity) {
    double sum = 0;
    for (int k = 0; k + 1 < POINTS; k++) {
        double from = fmin(record_time[k], t), to = fmin(record_time[k + 1], t);
        double middle = 0.5 * (from + to);
        if (to == from)
            continue;
        double first = acceleration_at(from), last = acceleration_at(to);
        if (velocity)
            sum += (to - from) / 6 * (first + 4 * acceleration_at(middle) + last);
        else
            sum +=
                (to - from) / 6 *
                ((t - from) * first + 4 * (t - middle) * acceleration_at(middle) + (t - to) * last);
    }
    return sum;
}

// At rest before the first point, the double integral between the points, and straight on after the
// last one.
static void test_record(void **state) {
    (void)state;
    struct gabion_signal asked = record_signal(3, 2);
    struct signal signal = signal_copy(&asked);
    for (int k = 0; k <= 400; k++) {
        double t = 0.005 * k;
        assert_near(signal_value(&signal, 2 + t), 3 * integral(t, false), 1e-14);
    }
    assert_near(signal_value(&signal, 0), 0, 0);
    assert_near(signal_value(&signal, 2.09), 0, 0);
    double end = signal_value(&signal, 2 + 1.3);
    assert_near(signal_value(&signal, 2 + 5.3), end + 3 * 4 * integral(2, true), 1e-13);
    signal.given.end = 2.5; // a driver rests after its end
    assert_near(signal_value(&signal, 9), 3 * integral(0.5, false), 1e-14);
    signal_free(&signal);
}

// Corrected, the record ends at rest where it began; what is added to the displacement is the cubic
// a s^2 + b s^3 that does this. A record that is a straight line vanishes.
static void test_baseline(void **state) {
    (void)state;
    struct gabion_signal asked = record_signal(1, 0);
    asked.returns = true;
    struct signal signal = signal_copy(&asked);
    double T = 1.2, d = integral(1.3, false), v = integral(1.3, true);
    double a = (v * T - 3 * d) / (T * T), b = (2 * d - v * T) / (T * T * T);
    for (int k = 0; k <= 100; k++) {
        double s = k * 0.01 * T, t = 0.1 + s;
        assert_near(signal_value(&signal, t), integral(t, false) + s * s * (a + b * s), 1e-14);
    }
    assert_near(signal_value(&signal, 1.3), 0, 0);
    assert_near(signal_value(&signal, 100), 0, 0);
    assert_near(signal_value(&signal, 1.3 - 1e-4), 0, 1e-7); // at rest: second order
    signal_free(&signal);
    double line_time[2] = {0, 3}, line_value[2] = {1, -2};
    asked.points = 2;
    asked.table_time = line_time;
    asked.table_value = line_value;
    signal = signal_copy(&asked);
    for (int k = 0; k <= 40; k++)
        assert_near(signal_value(&signal, 0.1 * k), 0, 1e-14);
    signal_free(&signal);
}

// Twenty thousand points of a sine. Linear interpolation of the acceleration lies inside the curve
// by (w dt)^2 / 12 of it on average.
static void test_long_record(void **state) {
    (void)state;
    const int points = 20000;
    const double dt = 1e-3, w = 2 * PI * 2.5;
    struct gabion_signal asked = scene_signal(GABION_SIGNAL_RECORD, 0.5, 0, INFINITY);
    asked.points = points;
    double *time = memory_allocate((size_t)points, sizeof *time, "test");
    double *value = memory_allocate((size_t)points, sizeof *value, "test");
    for (int k = 0; k < points; k++) {
        time[k] = k * dt;
        value[k] = cos(w * k * dt);
    }
    asked.table_time = time;
    asked.table_value = value;
    struct signal signal = signal_copy(&asked);
    for (int k = 0; k < 1999; k++) {
        double t = 0.00997 * k;
        assert_near(signal_value(&signal, t), 0.5 * (1 - cos(w * t)) / (w * w),
                    0.5 * 2 / (w * w) * pow(w * dt, 2) / 12 * 1.01);
    }
    signal_free(&signal);
    memory_free(time);
    memory_free(value);
}

static void test_bad_records(void **state) {
    (void)state;
    struct gabion_signal signal = record_signal(1, 0);
    assert_null(signal_defect(&signal));
    signal.points = 1;
    assert_non_null(signal_defect(&signal));
    double backwards[2] = {1, 0.5}, early[2] = {-0.1, 1}, bad[2] = {0, NAN};
    signal.points = 2;
    signal.table_time = backwards;
    assert_non_null(signal_defect(&signal));
    signal.table_time = early;
    assert_non_null(signal_defect(&signal));
    signal.table_time = record_time;
    signal.table_value = bad;
    assert_non_null(signal_defect(&signal));
}

// A base that accelerates constantly for half a second and then goes on: a sphere that cannot turn
// goes along while its friction m a is within mu m g, and lags with mu g otherwise; without
// friction it stays.
static void assert_shaken(double theta, double mu) {
    const double h = 1e-3, a = 2, m = 3;
    double times[2] = {0, 0.5}, values[2] = {1, 1};
    struct gabion_settings settings = scene_settings(h, theta);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = mu});
    int group;
    int32_t plane = base(world, &group);
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_RECORD, a, 0.1, INFINITY);
    signal.points = 2;
    signal.table_time = times;
    signal.table_value = values;
    scene_drive(world, group, vec3_make(0, 1, 0), signal);
    struct gabion_body body = scene_sphere_body(vec3_make(0, 0, 0.5), 0.5, m);
    body.lock = GABION_LOCK_RX | GABION_LOCK_RY | GABION_LOCK_RZ;
    int32_t ball = scene_add(world, &body);
    double pull = fmin(a, mu * GRAVITY);
    for (int step = 1; step <= 700; step++) {
        scene_step(world, 1);
        double t = step * h, s = fmin(fmax(t - 0.1, 0), 0.5);
        double middle = fmin(fmax(t + (0.5 - theta) * h - 0.1, 0), 0.5); // of the midpoints
        double y = 0.5 * a * s * s + a * s * fmax(t - 0.6, 0);
        assert_near(scene_position(world, plane).y, y, 1e-15);
        if (fabs(t - 0.1) < 2 * h || fabs(t - 0.6) < 2 * h)
            continue;
        assert_near(scene_velocity(world, plane).y, a * middle, 1e-11);
        double lagging = fmin(pull * fmax(t - 0.1, 0), a * 0.5);
        double along = pull < a ? lagging : a * middle;
        assert_near(scene_velocity(world, ball).y, along, pull < a ? pull * h : 1e-11);
        if (t > 0.1 && t < 0.6)
            assert_near(scene_impulse(world, ball, plane).y / h, m * pull, 1e-8);
        scene_assert_ledger(world);
    }
    scene_destroy(world);
}

static void test_shaken_base(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        assert_shaken(thetas[k], 0);
        assert_shaken(thetas[k], 0.15);
        assert_shaken(thetas[k], 0.3);
    }
}

// Settlement ------------------------------------------------------------------------------------

// Validation 6: down by 50 mm at 5 mm/s after 1 s of rest, the speed ramped smoothly over 0.2 s at
// both ends. What stands on it presses with its weight less the acceleration.
static void test_settlement(void **state) {
    (void)state;
    const double h = 1e-3, m = 2;
    struct gabion_settings settings = scene_settings(h, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.6});
    struct gabion_error error = {0};
    int group;
    int32_t plane = base(world, &group);
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_RAMP, 0.05, 1, 11.2);
    signal.smooth = 0.2;
    scene_drive(world, group, vec3_make(0, 0, -1), signal);
    int32_t ball = scene_sphere(world, vec3_make(0, 0, 0.5), 0.5, m, vec3_zero());
    int reaction = gabion_add_probe(world, "reaction", group, GABION_FORCE, &error);
    double before = 0;
    for (int step = 1; step <= 11500; step++) {
        scene_step(world, 1);
        double t = step * h, v = scene_velocity(world, plane).z;
        if (t <= 1 || t >= 11.2)
            assert_near(v, 0, 1e-7);
        if (t >= 1.2 + h && t <= 11 - h)
            assert_near(v, -0.005, 1e-12);
        if (step == 1100 || step == 11100) // half way up and down, by symmetry
            assert_near(v, -0.0025, 1e-12);
        assert_near(scene_velocity(world, ball).z, v, 1e-10);
        assert_near(scene_probe(world, reaction).z, -m * (GRAVITY + (v - before) / h), 1e-7);
        before = v;
    }
    assert_near(scene_position(world, plane).z, -0.05, 1e-15);
    assert_near(scene_position(world, ball).z, 0.45, 1e-10);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// Reactions -------------------------------------------------------------------------------------

// The weights on a plane and on two fixed spheres, and their moments about the mean position of the
// group: the plane's own point, the middle of the spheres.
static void test_reactions(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    struct gabion_error error = {0};
    int floor_group, posts = gabion_add_group(world, "posts", NULL);
    base(world, &floor_group);
    scene_sphere(world, vec3_make(1, 2, 0.5), 0.5, 3, vec3_zero());
    scene_sphere(world, vec3_make(-1, 0.5, 0.3), 0.3, 4, vec3_zero());
    struct gabion_body post = scene_sphere_body(vec3_make(5, 0, 3), 0.5, 0);
    post.fixed = true;
    post.group = posts;
    scene_add(world, &post);
    post.position = vec3_make(7, 1, 3);
    scene_add(world, &post);
    scene_sphere(world, vec3_make(5, 0, 4), 0.5, 2, vec3_zero());
    int force = gabion_add_probe(world, "force", floor_group, GABION_FORCE, &error);
    int moment = gabion_add_probe(world, "moment", floor_group, GABION_MOMENT, &error);
    int post_force = gabion_add_probe(world, "post", posts, GABION_FORCE, &error);
    int post_moment = gabion_add_probe(world, "posts", posts, GABION_MOMENT, &error);
    scene_step(world, 10);
    const double g = GRAVITY;
    assert_vector_near(scene_probe(world, force), vec3_make(0, 0, -7 * g), 1e-7);
    // r x (0, 0, -P) = (-y P, x P, 0)
    assert_vector_near(scene_probe(world, moment),
                       vec3_make(-(2 * 3 + 0.5 * 4) * g, (0.75 * 3 - 1.25 * 4) * g, 0), 1e-7);
    assert_vector_near(scene_probe(world, post_force), vec3_make(0, 0, -2 * g), 1e-7);
    assert_vector_near(scene_probe(world, post_moment), vec3_make(0.5 * 2 * g, -2 * g, 0), 1e-7);
    scene_destroy(world);
}

// Removals --------------------------------------------------------------------------------------

// A block that is taken out from under another leaves it to fall, and takes its weight off the
// floor; its neighbour stays.
static void test_removed_block(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.tolerance = 1e-8;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.6});
    struct gabion_error error = {0};
    int group = gabion_add_group(world, "lower", NULL), floor_group;
    base(world, &floor_group);
    int shape = scene_box_shape(world, vec3_make(0.1, 0.1, 0.1));
    struct gabion_body body = scene_block_body(shape, vec3_make(0, 0, 0.1));
    body.group = group;
    int32_t lower = scene_add(world, &body);
    int32_t upper = scene_block(world, shape, vec3_make(-0.02, 0, 0.3));
    int32_t neighbour = scene_block(world, shape, vec3_make(0.2, 0, 0.1));
    int reaction = gabion_add_probe(world, "reaction", floor_group, GABION_FORCE, &error);
    assert_true(gabion_add_removal(world, group, 0.1, &error));
    scene_step(world, 100);
    assert_near(scene_probe(world, reaction).z, -24 * GRAVITY, 1e-6);
    scene_step(world, 100);
    assert_false(scene_state(world, lower, NULL, NULL, NULL, NULL));
    assert_near(scene_velocity(world, upper).z, -GRAVITY * 0.1, 1e-7);
    assert_near(scene_position(world, upper).z, 0.3 - 0.5 * GRAVITY * 0.01, 1e-7);
    assert_vector_near(scene_position(world, neighbour), vec3_make(0.2, 0, 0.1), 1e-7);
    assert_near(scene_probe(world, reaction).z, -8 * GRAVITY, 1e-6);
    scene_assert_ledger(world);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record),      cmocka_unit_test(test_baseline),
        cmocka_unit_test(test_long_record), cmocka_unit_test(test_bad_records),
        cmocka_unit_test(test_shaken_base), cmocka_unit_test(test_settlement),
        cmocka_unit_test(test_reactions),   cmocka_unit_test(test_removed_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
