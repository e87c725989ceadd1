// Validation 9.1: a box of 0.2 x 0.2 x 0.1 m on an inclined plane rests if and only if tan(alpha)
// does not exceed the friction, and slides at g (sin(alpha) - mu cos(alpha)); however it is turned
// in the plane.
#include "tests/unit/effort.h"
#include "tests/unit/scene.h"

#define GRAVITY      9.81
#define STEP         1e-3
#define ALPHA        (PI / 6)
#define ORIENTATIONS 20

struct incline {
    struct gabion_world *world;
    int32_t box;
    vec3 down; // the slope
    vec3 start;
};

static struct incline incline_create(double mu, double turn, double tolerance) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    settings.tolerance = tolerance;
    struct incline incline = {scene_create(&settings, (struct gabion_law){.friction = mu}),
                              0,
                              {cos(ALPHA), 0, -sin(ALPHA)},
                              vec3_zero()};
    vec3 normal = {sin(ALPHA), 0, cos(ALPHA)};
    scene_plane(incline.world, vec3_zero(), normal);
    int shape = scene_box_shape(incline.world, vec3_make(0.1, 0.1, 0.05));
    struct gabion_body body = scene_block_body(shape, vec3_scale(0.05, normal));
    body.orientation =
        quat_multiply(quat_about(vec3_make(0, 1, 0), ALPHA), quat_about(vec3_make(0, 0, 1), turn));
    incline.box = scene_add(incline.world, &body);
    incline.start = body.position;
    return incline;
}

static double incline_travel(const struct incline *incline) {
    return vec3_length(vec3_sub(scene_position(incline->world, incline->box), incline->start));
}

// The speeds that the sliding box must not have: across the slope, off it, and a spin.
static double incline_stray(const struct incline *incline) {
    vec3 v = scene_velocity(incline->world, incline->box);
    v = vec3_add_scaled(v, -vec3_dot(v, incline->down), incline->down);
    return vec3_length(v) + vec3_length(scene_spin(incline->world, incline->box));
}

static double random_turn(struct random_stream *random) { return random_between(random, 0, PI); }

static void test_acceleration(void **state) {
    (void)state;
    double reference = GRAVITY * (sin(ALPHA) - 0.4 * cos(ALPHA)), worst = 0, stray = 0;
    assert_near(reference, 1.506716, 5e-7);
    struct random_stream random = {91};
    for (int k = 0; k < effort(ORIENTATIONS, 2); k++) {
        struct incline incline = incline_create(0.4, random_turn(&random), 1e-10);
        scene_step(incline.world, 300);
        double speed = vec3_dot(scene_velocity(incline.world, incline.box), incline.down);
        worst = fmax(worst, fabs(speed / (300 * STEP) - reference));
        stray = fmax(stray, incline_stray(&incline));
        scene_assert_ledger(incline.world);
        scene_destroy(incline.world);
    }
    print_message("acceleration %.6f m/s2, off by at most %.1e; other motion %.1e m/s\n", reference,
                  worst, stray);
    assert_at_most(worst, 1e-10);
    assert_at_most(stray, 1e-9);
}

// A millionth more friction than tan(alpha) holds the box, a millionth less lets it go at the
// acceleration of the formula. All four corners are then as near to the edge of the cone, and what
// the solver's tolerance leaves of their velocities is a ten thousandth of what sliding is.
static void test_threshold(void **state) {
    (void)state;
    double time = 300 * STEP, slow = 1e-6 * GRAVITY * sin(ALPHA), held = 0, worst = 0;
    struct random_stream random = {92};
    for (int k = 0; k < effort(ORIENTATIONS, 2); k++) {
        double turn = random_turn(&random);
        struct incline stick = incline_create(tan(ALPHA) * (1 + 1e-6), turn, 1e-10);
        struct incline slide = incline_create(tan(ALPHA) * (1 - 1e-6), turn, 1e-10);
        scene_step(stick.world, 300);
        scene_step(slide.world, 300);
        double speed = vec3_dot(scene_velocity(slide.world, slide.box), slide.down);
        held = fmax(held, incline_travel(&stick));
        worst = fmax(worst, fabs(speed / time / slow - 1));
        scene_destroy(stick.world);
        scene_destroy(slide.world);
    }
    double path = 0.5 * slow * time * time;
    print_message("at +1e-6: %.1e m; at -1e-6: %.1e m, acceleration off by %.1e of itself\n", held,
                  path, worst);
    assert_at_most(held, 1e-3 * path);
    assert_at_most(worst, 1e-3);
}

// Also the zero creep of section 13, which asks for a minute.
static void test_creep(void **state) {
    (void)state;
    long_test();
    struct random_stream random = {93};
    // Sweeps do not reach 1e-14 from a cold start where the margin is 1e-6.
    const double margin[] = {1.001, 1.2, 3, 1 + 1e-6};
    int margins = scene_method == GABION_METHOD_NSGS ? 3 : 4;
    for (int k = 0; k < margins; k++) {
        double seconds = k == 0 ? 60 : 10;
        struct incline incline =
            incline_create(tan(ALPHA) * margin[k], random_turn(&random), 1e-14);
        scene_step(incline.world, (int)(seconds / STEP));
        print_message("creep at %.7g tan(alpha): %.1e m in %g s\n", margin[k],
                      incline_travel(&incline), seconds);
        assert_at_most(incline_travel(&incline), 1e-12);
        scene_destroy(incline.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_acceleration),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_creep),
    };
    return scene_run_methods(tests, sizeof tests / sizeof *tests);
}
