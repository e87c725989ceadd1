// The warm start of spheres: each contact starts from its impulse of the last step, so that a pile
// at rest is solved as the step begins and one sweep confirms it.
#include <unistd.h>

#include "tests/unit/scene.h"

#define RADIUS  0.1
#define LAYERS  5
#define SPHERES 55 // 25 + 16 + 9 + 4 + 1

#define NO_TURNING (GABION_LOCK_RX | GABION_LOCK_RY | GABION_LOCK_RZ)

// A pyramid of touching spheres that do not roll, with impulses along their contacts as well:
// without friction the lowest layer would spread.
static struct gabion_world *pyramid(void) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.tolerance = 1e-7;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.6});
    for (int layer = 0; layer < LAYERS; layer++) {
        int side = LAYERS - layer;
        for (int k = 0; k < side * side; k++) {
            vec3 x = {RADIUS * (2 * (k % side) + layer), RADIUS * (2 * (k / side) + layer),
                      RADIUS * (1 + sqrt(2) * layer)};
            struct gabion_body body = scene_sphere_body(x, RADIUS, 1 + k % 2);
            body.lock = NO_TURNING;
            scene_add(world, &body);
        }
    }
    scene_floor(world);
    return world;
}

// Does the first step, from zero impulses.
static void settle(struct gabion_world *world) {
    scene_step(world, 1);
    assert_true(world->report.contacts > 150);
    assert_true(world->report.sweeps >= 20);
}

static void assert_warm(struct gabion_world *world, int steps) {
    for (int k = 0; k < steps; k++) {
        scene_step(world, 1);
        assert_true(world->report.contacts > 150);
        assert_in_range(world->report.sweeps, 0, 1);
    }
}

static void test_after_first_step(void **state) {
    (void)state;
    struct gabion_world *world = pyramid();
    settle(world);
    scene_step(world, 2); // contacts that rounding opens and closes
    assert_warm(world, 60);
    scene_destroy(world);
}

// A body that enters or leaves far away puts all bodies in another order; impulses go with them.
static void add_guest(struct gabion_world *world, double enters, double leaves) {
    struct gabion_error error = {0};
    struct gabion_body guest = scene_sphere_body(vec3_make(-10, -10, 5), RADIUS, 1);
    guest.group = gabion_add_group(world, "guest", &error);
    guest.insert_time = enters;
    scene_add(world, &guest);
    assert_true(gabion_add_removal(world, guest.group, leaves, &error));
}

static void test_new_order(void **state) {
    (void)state;
    struct gabion_world *world = pyramid();
    add_guest(world, 5e-3, 10e-3);
    settle(world);
    scene_step(world, 2);
    assert_int_equal(world->bodies.count, SPHERES + 1);
    assert_warm(world, 5);
    assert_int_equal(world->bodies.count, SPHERES + 2);
    assert_warm(world, 10);
    assert_int_equal(world->bodies.count, SPHERES + 1);
    scene_destroy(world);
}

// Impulses are part of a checkpoint.
static void test_restored(void **state) {
    (void)state;
    char path[] = "/tmp/gabion-warm-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct gabion_error error = {0};
    struct gabion_world *world = pyramid(), *resumed = pyramid();
    settle(world);
    scene_step(world, 2);
    assert_true(gabion_write_checkpoint(world, path, &error));
    assert_true(gabion_restore_checkpoint(resumed, path, &error));
    assert_warm(resumed, 5);
    unlink(path);
    scene_destroy(world);
    scene_destroy(resumed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_first_step),
        cmocka_unit_test(test_new_order),
        cmocka_unit_test(test_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
