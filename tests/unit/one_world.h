// A world with friction 0.5 that each test of a group finds empty: cmocka_run_group_tests with
// cmocka_unit_test_setup_teardown(test, start, stop).
#ifndef TESTS_UNIT_ONE_WORLD_H
#define TESTS_UNIT_ONE_WORLD_H

#include "tests/unit/scene.h"

static struct gabion_world *world;

static int start(void **state) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    (void)state;
    world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    return 0;
}

static int stop(void **state) {
    (void)state;
    scene_destroy(world);
    return 0;
}

#endif
