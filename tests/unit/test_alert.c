// The alert distance, as docs/architecture.md states it: a body looks as far as it can travel in
// the step, and at least v_max h up to a quarter of its radius; contact.alert overrides the second
// part. Contacts that it misses would be met on the way and solved in another round (report.late).
#include "tests/unit/scene.h"

#define H      0.01
#define RADIUS 0.4

static struct gabion_settings still_settings(double alert) {
    struct gabion_settings settings = scene_settings(H, 0.5);
    settings.gravity = vec3_zero();
    settings.alert = alert;
    return settings;
}

static struct gabion_world *still_world(double alert) {
    struct gabion_settings settings = still_settings(alert);
    return scene_create(&settings, (struct gabion_law){.friction = 0.3});
}

static int64_t candidates_of_step(struct gabion_world *world) {
    scene_step(world, 1);
    assert_int_equal(world->report.late, 0);
    int64_t count = world->report.candidates;
    scene_destroy(world);
    return count;
}

// A sphere comes down at `speed` and is `gap` above the floor at the midpoint.
static int64_t seen_floor(double alert, double speed, double gap) {
    struct gabion_world *world = still_world(alert);
    scene_floor(world);
    scene_sphere(world, vec3_make(0, 0, RADIUS + gap + 0.5 * H * speed), RADIUS, 1,
                 vec3_make(0, 0, -speed));
    return candidates_of_step(world);
}

// Just as far as it travels, whatever contact.alert says below that; and as far as that says above.
static void test_travel(void **state) {
    (void)state;
    const double alerts[] = {GABION_AUTOMATIC, 0, 0.01};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(seen_floor(alerts[k], 2, 0.999 * 2 * H), 1);
        assert_int_equal(seen_floor(alerts[k], 2, 1.001 * 2 * H), 0);
    }
    assert_int_equal(seen_floor(0.05, 2, 0.999 * 0.05), 1);
    assert_int_equal(seen_floor(0.05, 2, 1.001 * 0.05), 0);
}

// Two spheres at rest, `gap` apart, while a third one moves at `speed` far away.
static int64_t seen_neighbour(double alert, double speed, double gap) {
    struct gabion_world *world = still_world(alert);
    scene_sphere(world, vec3_zero(), RADIUS, 1, vec3_zero());
    scene_sphere(world, vec3_make(2 * RADIUS + gap, 0, 0), RADIUS, 1, vec3_zero());
    scene_sphere(world, vec3_make(0, 1000, 0), RADIUS, 1, vec3_make(0, speed, 0));
    return candidates_of_step(world);
}

// Each of them looks v_max h far, but no further than a quarter of its radius, so that one bullet
// does not make candidates of all bodies.
static void test_pushed(void **state) {
    (void)state;
    const double slow = 4, bullet = 1e3;
    assert_int_equal(seen_neighbour(GABION_AUTOMATIC, slow, 0.999 * 2 * H * slow), 1);
    assert_int_equal(seen_neighbour(GABION_AUTOMATIC, slow, 1.001 * 2 * H * slow), 0);
    assert_int_equal(seen_neighbour(GABION_AUTOMATIC, bullet, 0.999 * 0.5 * RADIUS), 1);
    assert_int_equal(seen_neighbour(GABION_AUTOMATIC, bullet, 1.001 * 0.5 * RADIUS), 0);
    assert_int_equal(seen_neighbour(0.03, bullet, 0.999 * 2 * 0.03), 1);
    assert_int_equal(seen_neighbour(0.03, bullet, 1.001 * 2 * 0.03), 0);
    assert_int_equal(seen_neighbour(0, bullet, 1e-12), 0);
}

// The spin of a block brings its corners down: a bar of length 1 that turns about y and does not
// travel. At the midpoint it is level, `gap` above the floor; its ends have the speed of a point of
// the sphere about it.
static int64_t seen_spin(double spin, double gap) {
    struct gabion_world *world = still_world(0);
    scene_floor(world);
    int bar = scene_box_shape(world, vec3_make(0.5, 0.05, 0.05));
    struct gabion_body body = scene_block_body(bar, vec3_make(0, 0, 0.05 + gap));
    body.spin = vec3_make(0, spin, 0);
    body.orientation = quat_exp(vec3_make(0, -0.5 * H * spin, 0));
    scene_add(world, &body);
    return candidates_of_step(world);
}

static void test_spin(void **state) {
    (void)state;
    const double spin = 2, most = H * spin * sqrt(0.25 + 2 * 0.0025);
    assert_true(seen_spin(spin, 0.999 * most) > 0);
    assert_int_equal(seen_spin(spin, 1.001 * most), 0);
}

// A table that rises, and one that turns: the wall brings its own way with it, and the further out
// the more.
static int64_t seen_wall(bool turns, double gap) {
    struct gabion_world *world = still_world(0);
    struct gabion_error error = {0};
    int group = gabion_add_group(world, "table", NULL);
    struct gabion_body table = scene_plane_body(vec3_zero(), vec3_make(0, 0, 1));
    table.group = group;
    scene_add(world, &table);
    scene_sphere(world, vec3_make(turns ? 3 : 0, 0, RADIUS + gap), RADIUS, 1, vec3_zero());
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_LINEAR, 0.5, 0, 1);
    if (turns)
        assert_true(
            gabion_add_rotation(world, group, vec3_zero(), vec3_make(0, -1, 0), &signal, &error));
    else
        scene_drive(world, group, vec3_make(0, 0, 1), signal);
    return candidates_of_step(world);
}

static void test_walls(void **state) {
    (void)state;
    double rise = 0.5 * H; // half of it up to the midpoint
    assert_int_equal(seen_wall(false, 0.5 * rise + 0.999 * rise), 1);
    assert_int_equal(seen_wall(false, 0.5 * rise + 1.001 * rise), 0);
    assert_int_equal(seen_wall(true, 3 * rise), 1);
    assert_int_equal(seen_wall(true, 10 * rise), 0);
}

// In a box of spheres that fall together every contact is found before the solve: nothing is left
// for a second look. Candidates stay those of a packing, a few for each sphere.
static void test_pile(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(2e-3, 0.5);
    struct random_stream random = {3};
    settings.tolerance = 1e-6;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.4});
    scene_floor(world);
    for (int k = 0; k < 4; k++)
        scene_plane(world,
                    vec3_make(k == 0   ? -0.05
                              : k == 1 ? 0.85
                                       : 0,
                              k == 2   ? -0.05
                              : k == 3 ? 0.85
                                       : 0,
                              0),
                    vec3_make((k == 0) - (k == 1), (k == 2) - (k == 3), 0));
    for (int k = 0; k < 64; k++)
        scene_sphere(
            world, vec3_make(0.1 + 0.2 * (k % 4), 0.1 + 0.2 * (k / 4 % 4), 0.15 + 0.21 * (k / 16)),
            0.095, 1, vec3_scale(0.3, scene_random_unit(&random)));
    for (int step = 0; step < 200; step++) {
        scene_step(world, 1);
        assert_int_equal(world->report.late, 0);
        assert_at_most((double)world->report.candidates, 6 * 64);
    }
    assert_true(world->report.contacts > 100);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_travel), cmocka_unit_test(test_pushed), cmocka_unit_test(test_spin),
        cmocka_unit_test(test_walls),  cmocka_unit_test(test_pile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
