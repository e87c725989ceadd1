// Validation 9.7: blocks on a table that is tilted at 0.1 degrees per second. A block of half width
// b and half height h slides when tan(alpha) reaches the friction or topples when it reaches b/h,
// whichever comes first; a stack of n topples as a whole at b/(n h). To 0.05 degrees.
#include "tests/unit/effort.h"
#include "tests/unit/scene.h"

#define GRAVITY 9.81
#define DEGREE  (PI / 180)
#define STEP    1e-3
#define RATE    (0.1 * DEGREE)
#define EARLIER (0.3 * DEGREE) // the table starts this much before the threshold
#define MOVING  1e-5           // m/s: 0.01 degrees of slope do that in 0.1 s
#define B       0.1

struct table {
    struct gabion_world *world;
    int blocks; // ids 1 .. blocks, upwards
    double start;
};

static struct table table_create(int blocks, double half_height, double friction, double start) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    settings.tolerance = 1e-6;
    settings.gravity = vec3_make(GRAVITY * sin(start), 0, -GRAVITY * cos(start));
    struct table table = {scene_create(&settings, (struct gabion_law){.friction = friction}),
                          blocks, start};
    struct gabion_signal tilt = scene_signal(GABION_SIGNAL_LINEAR, RATE, 0, INFINITY);
    struct gabion_error error = {0};
    assert_true(gabion_set_tilt(table.world, vec3_make(0, -1, 0), &tilt, &error));
    scene_floor(table.world);
    int shape = scene_box_shape(table.world, vec3_make(B, 0.15, half_height));
    for (int k = 0; k < blocks; k++)
        scene_block(table.world, shape, vec3_make(0, 0, (2 * k + 1) * half_height));
    return table;
}

// Steps until something moves; returns the angle of the table in degrees.
static double table_tilt(struct table *table) {
    double end = table->start + 2 * EARLIER, angle = table->start;
    do {
        scene_step(table->world, 1);
        angle = table->start + RATE * gabion_time(table->world);
    } while (angle < end && table->world->report.max_speed < MOVING);
    return angle / DEGREE;
}

// How it moves half a second later: spin and speed along the table of the lowest and highest block.
struct motion {
    double spin[2], slip;
};

static struct motion table_motion(struct table *table) {
    struct motion motion;
    scene_step(table->world, 500);
    motion.slip = fabs(scene_velocity(table->world, 1).x);
    motion.spin[0] = scene_spin(table->world, 1).y;
    motion.spin[1] = scene_spin(table->world, table->blocks).y;
    return motion;
}

static void check(int blocks, double half_height, double friction) {
    double topples = B / (blocks * half_height), threshold = atan(fmin(friction, topples));
    struct table table = table_create(blocks, half_height, friction, threshold - EARLIER);
    double angle = table_tilt(&table);
    struct motion motion = table_motion(&table);
    print_message("%d of %g m, friction %g: %s at %.4f degrees (%.4f), %.0f sweeps per step\n",
                  blocks, 2 * half_height, friction, friction < topples ? "slides" : "topples",
                  angle, threshold / DEGREE,
                  (double)table.world->run.sweeps / (double)table.world->run.steps);
    assert_near(angle, threshold / DEGREE, 0.05);
    if (friction < topples) {
        assert_true(motion.slip > 1e-3);
        assert_at_most(fabs(motion.spin[0]), 1e-6);
    } else { // all turn as one
        assert_true(motion.spin[0] > 1e-3);
        assert_near(motion.spin[1] / motion.spin[0], 1, 1e-3);
    }
    scene_destroy(table.world);
}

static void test_block(void **state) {
    (void)state;
    check(1, 0.1, 0.5);
    check(1, 0.1, 1.5);
    check(1, 0.4, 0.2);
    check(1, 0.4, 0.3);
    check(1, 0.03, 0.7);
}

static void test_stack(void **state) {
    (void)state;
    for (int n = 2; n <= effort(6, 2); n += 2)
        check(n, 0.1, 0.7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_stack),
    };
    return scene_run_methods(tests, sizeof tests / sizeof *tests);
}
