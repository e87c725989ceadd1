// Hollow spheres and drums: what balls, clumps and blocks do inside.
#include <string.h>

#include "engine/contact/contacts.h"
#include "tests/unit/clump_scene.h"

#define GRAVITY 9.81

// Time of the second passage through the lowest point, from rest at a small angle: 3/4 of a period.
static double swing(struct gabion_world *world, int32_t ball) {
    double before = scene_position(world, ball).x;
    int passages = 0;
    for (int k = 0; k < 100000; k++) {
        scene_step(world, 1);
        double now = scene_position(world, ball).x;
        if (now * before < 0 && ++passages == 2)
            return gabion_time(world) - world->settings.step * now / (now - before);
        before = now;
    }
    return NAN;
}

// A ball in a hollow sphere is a pendulum of length R - r; rolling, one of 7/5 of its inertia.
static void test_pendulum(void **state) {
    (void)state;
    const double R = 1, r = 0.1, angle = 0.02;
    for (int run = 0; run < 4; run++) {
        bool rolls = run % 2, drum = run / 2;
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        struct gabion_world *world =
            scene_create(&settings, (struct gabion_law){.friction = rolls ? 0.8 : 0});
        struct gabion_body body =
            drum ? clump_scene_drum(R, 3, vec3_make(0, 1, 0), true) : clump_scene_hollow(R);
        body.position = vec3_make(0, 0.3, 2);
        scene_add(world, &body);
        vec3 start = {(R - r) * sin(angle), 0.3, 2 - (R - r) * cos(angle)};
        int32_t ball = scene_sphere(world, start, r, 1, vec3_zero());
        double period = 2 * PI * sqrt((rolls ? 1.4 : 1) * (R - r) / GRAVITY);
        assert_near(swing(world, ball) / (0.75 * period), 1, 5e-4);
        assert_at_most(world->report.max_overlap, 1e-5);
        scene_destroy(world);
    }
}

// A ball at the bottom of a drum that turns spins in place at the speed of the wall.
static void test_spins_in_place(void **state) {
    (void)state;
    const double R = 0.5, r = 0.1, rate = 2;
    struct gabion_error error = {0};
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    struct gabion_body body = clump_scene_drum(R, 1, vec3_make(0, 1, 0), true);
    body.group = gabion_add_group(world, "drum", NULL);
    scene_add(world, &body);
    struct gabion_signal turn = scene_signal(GABION_SIGNAL_LINEAR, rate, 0, INFINITY);
    assert_true(
        gabion_add_rotation(world, body.group, vec3_zero(), vec3_make(0, 1, 0), &turn, &error));
    struct gabion_body ball = scene_sphere_body(vec3_make(0, 0, r - R), r, 1);
    ball.spin = vec3_make(0, rate * R / r, 0);
    int32_t id = scene_add(world, &ball);
    scene_step(world, 2000);
    assert_vector_near(scene_position(world, id), vec3_make(0, 0, r - R), 1e-7);
    assert_vector_near(scene_spin(world, id), vec3_make(0, rate * R / r, 0), 1e-6);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// From rest friction carries it up the wall, the way the drum turns, and spins it up to there.
static void test_dragged(void **state) {
    (void)state;
    const double R = 0.5, r = 0.1, rate = 2, mu = 0.2;
    struct gabion_error error = {0};
    struct gabion_settings settings = scene_settings(1e-4, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = mu});
    struct gabion_body body = clump_scene_drum(R, 1, vec3_make(0, 1, 0), false);
    body.group = gabion_add_group(world, "drum", NULL);
    int32_t drum = scene_add(world, &body);
    struct gabion_signal turn = scene_signal(GABION_SIGNAL_LINEAR, rate, 0, INFINITY);
    assert_true(
        gabion_add_rotation(world, body.group, vec3_zero(), vec3_make(0, 1, 0), &turn, &error));
    int32_t id = scene_sphere(world, vec3_make(0, 0, r - R), r, 1, vec3_zero());
    scene_step(world, 100);
    double t = gabion_time(world);
    // The bottom of the wall moves towards -x; the ball slides: mu g, and 5/2 mu g / r.
    assert_near(scene_velocity(world, id).x, -mu * GRAVITY * t, 1e-3 * mu * GRAVITY * t);
    assert_near(scene_spin(world, id).y, 2.5 * mu * GRAVITY / r * t, 0.05);
    assert_int_equal(scene_contact(world, id, drum)->status, CONTACT_SLIP);
    scene_destroy(world);
}

// In a drum on a slope a ball leans against wall and end: m g cos and m g sin.
static void test_wall_and_end(void **state) {
    (void)state;
    const double slope = 0.4, r = 0.1;
    struct gabion_settings settings = scene_settings(1e-2, 1);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0});
    vec3 axis = {cos(slope), 0, sin(slope)}, up = {-sin(slope), 0, cos(slope)};
    struct gabion_body body = clump_scene_drum(0.5, 2, axis, true);
    scene_add(world, &body);
    vec3 corner = vec3_add_scaled(vec3_scale(-(1 - r), axis), -(0.5 - r), up);
    int32_t id = scene_sphere(world, corner, r, 2, vec3_zero());
    scene_step(world, 50);
    assert_vector_near(scene_position(world, id), corner, 1e-9);
    assert_int_equal((int)world->contacts->count, 2);
    double along = 0, across = 0;
    for (int k = 0; k < 2; k++) {
        along += vec3_dot(world->contacts->impulse[k], axis);
        across += vec3_dot(world->contacts->impulse[k], up);
    }
    assert_near(along, 2 * GRAVITY * sin(slope) * settings.step, 1e-9);
    assert_near(across, 2 * GRAVITY * cos(slope) * settings.step, 1e-9);
    scene_destroy(world);
}

// An open drum lets go of what leaves it, and does not catch it again from outside.
static void test_open_drum(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0});
    struct gabion_body body = clump_scene_drum(0.5, 1, vec3_make(1, 0, 0), false);
    scene_add(world, &body);
    int32_t id = scene_sphere(world, vec3_make(0.4, 0, -0.4), 0.1, 2, vec3_make(1, 0, 0));
    scene_step(world, 1000);
    double fall = 1 - 0.1; // it leaves at x = 0.5
    vec3 x = scene_position(world, id);
    assert_near(x.x, 1.4, 1e-9);
    assert_near(x.z, -0.4 - 0.5 * GRAVITY * fall * fall, 0.02);
    scene_destroy(world);
}

// A block and a bar at the bottom of a hollow sphere: corners and balls carry the weight.
static void test_block_and_bar(void **state) {
    (void)state;
    for (int run = 0; run < 2; run++) {
        struct gabion_settings settings = scene_settings(5e-3, 1);
        settings.tolerance = 1e-9;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
        struct gabion_body hollow = clump_scene_hollow(1);
        int32_t shell = scene_add(world, &hollow), id;
        vec3 start = {0, 0, -0.8};
        if (run == 0) {
            id = scene_block(world, scene_box_shape(world, vec3_make(0.2, 0.2, 0.1)), start);
        } else {
            struct gabion_body bar =
                clump_scene_body(clump_scene_bar(world, 7, 0.05, 0.06), start, (quat){1, 0, 0, 0});
            id = scene_add(world, &bar);
        }
        scene_step(world, 400);
        double weight = world->bodies.mass[0] * GRAVITY * settings.step;
        assert_vector_near(scene_pair_impulse(world, id, shell), vec3_make(0, 0, weight),
                           1e-6 * weight);
        // Four corners at a distance of R from the middle; two balls at R - r.
        double depth = run == 0 ? sqrt(1 - 2 * 0.04) - 0.1 : sqrt(0.95 * 0.95 - 0.18 * 0.18);
        assert_vector_near(scene_position(world, id), vec3_make(0, 0, -depth), 1e-4);
        scene_destroy(world);
    }
}

static void test_too_large(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings = scene_settings(5e-3, 1);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    struct gabion_body hollow = clump_scene_hollow(1);
    scene_add(world, &hollow);
    scene_sphere(world, vec3_zero(), 1.5, 1, vec3_zero());
    assert_false(gabion_step(world, &error));
    assert_non_null(strstr(error.text, "body 1"));
    assert_non_null(strstr(error.text, "does not fit"));
    scene_destroy(world);
}

// Nor between the ends of a drum, and nor later: here the count of bodies stays the same.
static void test_too_large_later(void **state) {
    (void)state;
    for (int run = 0; run < 2; run++) {
        struct gabion_error error = {0};
        struct gabion_settings settings = scene_settings(5e-3, 1);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
        struct gabion_body hollow =
            run ? clump_scene_hollow(1) : clump_scene_drum(3, 2, vec3_make(0, 1, 0), true);
        scene_add(world, &hollow);
        struct gabion_body small = scene_sphere_body(vec3_zero(), 0.9, 1);
        struct gabion_body large = scene_sphere_body(vec3_make(0, 0, 0.1), 1.1, 1);
        small.group = gabion_add_group(world, "small", NULL);
        large.insert_time = 2.5 * settings.step;
        scene_add(world, &small);
        scene_add(world, &large);
        assert_true(gabion_add_removal(world, small.group, large.insert_time, &error));
        scene_step(world, 3);
        assert_false(gabion_step(world, &error));
        assert_non_null(strstr(error.text, "step 4: body 2 "));
        assert_non_null(strstr(error.text, "does not fit into body 0"));
        scene_destroy(world);
    }
}

static void test_bad_hollows(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings = scene_settings(5e-3, 1);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    struct gabion_body body = clump_scene_hollow(0);
    assert_int_equal(gabion_add_body(world, &body, &error), -1);
    body = clump_scene_hollow(1);
    body.fixed = false;
    assert_int_equal(gabion_add_body(world, &body, &error), -1);
    body = clump_scene_drum(1, 1, vec3_make(1, 1, 0), true);
    assert_int_equal(gabion_add_body(world, &body, &error), -1);
    body = clump_scene_drum(1, 0, vec3_make(1, 0, 0), true);
    assert_int_equal(gabion_add_body(world, &body, &error), -1);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),        cmocka_unit_test(test_spins_in_place),
        cmocka_unit_test(test_dragged),         cmocka_unit_test(test_wall_and_end),
        cmocka_unit_test(test_open_drum),       cmocka_unit_test(test_block_and_bar),
        cmocka_unit_test(test_too_large),       cmocka_unit_test(test_bad_hollows),
        cmocka_unit_test(test_too_large_later),
    };
    return scene_run_methods(tests, sizeof tests / sizeof *tests);
}
