// Gap treatments. g is measured at the midpoint configuration q_m = q + (1 - theta) h v, and so the
// place where a body arrives exactly is the next midpoint; with theta = 1 that is the end of the
// step.
#include "engine/contact/contacts.h"
#include "tests/unit/scene.h"

#define GRAVITY 9.81

// Rounding of positions of the order of 1 m, in one step.
#define ROUNDING (8 * DBL_EPSILON)

static const double thetas[] = {0.5, 0.75, 1};

static struct gabion_world *drop_create(struct gabion_settings settings, struct gabion_law law,
                                        double height, double speed, int32_t *ball) {
    struct gabion_world *world = scene_create(&settings, law);
    scene_floor(world);
    *ball = scene_sphere(world, vec3_make(0, 0, 0.5 + height), 0.5, 2, vec3_make(0, 0, -speed));
    return world;
}

// `gap`: a falling sphere with e = 0 arrives exactly, from any height, at any theta and step: it
// never overlaps the floor by more than rounding, and rests on it without a gap.
static void test_arrives_exactly(void **state) {
    (void)state;
    struct random_stream random = {7};
    for (int run = 0; run < 60; run++) {
        double h = pow(10, random_between(&random, -4, -1.5));
        // Far enough for one step at the given speed: nothing holds a body back before q_m.
        double speed = random_between(&random, 0, 10), near = h * speed;
        double height = near + random_between(&random, 0.01, 0.5);
        struct gabion_settings settings = scene_settings(h, thetas[run % 3]);
        settings.local = run % 2 ? GABION_LOCAL_EXACT : GABION_LOCAL_AUTO;
        int32_t ball;
        struct gabion_law law = {.friction = 0.3};
        struct gabion_world *world = drop_create(settings, law, height, speed, &ball);
        double fall = (sqrt(speed * speed + 2 * GRAVITY * height) - speed) / GRAVITY;
        int steps = (int)(fall / h) + 4;
        for (int k = 0; k < steps; k++) {
            scene_step(world, 1);
            assert_at_most(0.5 - scene_position(world, ball).z, ROUNDING);
            assert_at_most(world->report.max_overlap, ROUNDING);
        }
        assert_near(scene_position(world, ball).z, 0.5, ROUNDING);
        assert_near(scene_velocity(world, ball).z, 0, ROUNDING / h);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// Two spheres that meet in flight arrive at each other in the same way.
static void test_spheres_arrive_exactly(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct gabion_settings settings = scene_settings(7e-3, thetas[k]);
        settings.gravity = vec3_zero();
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
        scene_sphere(world, vec3_make(0, 0, 0), 0.5, 1, vec3_make(1, 0, 0));
        scene_sphere(world, vec3_make(1.1, 0, 0), 0.5, 3, vec3_make(-1, 0, 0));
        for (int step = 0; step < 20; step++) {
            scene_step(world, 1);
            double gap = scene_position(world, 1).x - scene_position(world, 0).x - 1;
            assert_at_most(-gap, ROUNDING);
        }
        assert_near(scene_position(world, 1).x - scene_position(world, 0).x, 1, 2 * ROUNDING);
        assert_near(scene_velocity(world, 0).x, -0.5, 1e-13); // momentum
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// `gap` lets a body travel just the gap while it is still far: no force before it arrives.
static void test_no_force_at_a_distance(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-2, 0.5);
    settings.alert = 0.2; // seen long before
    int32_t ball;
    struct gabion_world *world =
        drop_create(settings, (struct gabion_law){.friction = 0.3}, 0.15, 0, &ball);
    for (int k = 0; k < 15; k++) {
        scene_step(world, 1);
        const struct contact *contact = scene_contact(world, ball, 0);
        assert_non_null(contact);
        double g = contact->gap, v_free = -GRAVITY * gabion_time(world);
        if (g > -v_free * 1e-2) {
            assert_near(vec3_length(scene_contact_impulse(world, contact)), 0, 0);
            assert_near(scene_velocity(world, ball).z, v_free, 1e-14);
        }
    }
    scene_destroy(world);
}

// `moreau` is active only when the predicted gap g + theta h u_n closes.
static void test_moreau_activation(void **state) {
    (void)state;
    const double h = 1e-2, speed = 1;
    for (int k = 0; k < 3; k++) {
        struct gabion_settings settings = scene_settings(h, thetas[k]);
        settings.gap = GABION_GAP_MOREAU;
        settings.gravity = vec3_zero();
        settings.alert = 0.1; // a candidate in either case
        // At the start of the step the gap is just above, and just below, what one step covers.
        for (int closes = 0; closes < 2; closes++) {
            int32_t ball;
            double height = h * speed * (closes ? 1 - 1e-9 : 1 + 1e-9);
            struct gabion_law law = {.restitution = 0.5};
            struct gabion_world *world = drop_create(settings, law, height, speed, &ball);
            scene_step(world, 1);
            const struct contact *contact = scene_contact(world, ball, 0);
            assert_non_null(contact);
            assert_int_equal((contact->flags & CONTACT_ACTIVE) != 0, closes);
            assert_near(scene_velocity(world, ball).z, closes ? 0.5 : -1, 1e-14);
            assert_near(contact->gap, height - (1 - thetas[k]) * h * speed, 1e-15);
            scene_destroy(world);
        }
    }
}

// Rest under `moreau`: an overlap, once there, stays: the law acts on velocities.
static void test_moreau_keeps_overlap(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gap = GABION_GAP_MOREAU;
    int32_t ball;
    struct gabion_world *world =
        drop_create(settings, (struct gabion_law){.friction = 0.3}, -1e-3, 0, &ball);
    scene_step(world, 1000);
    assert_near(scene_position(world, ball).z, 0.499, 1e-13);
    assert_near(world->report.max_overlap, 1e-3, 1e-13);
    assert_near(world->report.max_overlap_relative, 2e-3, 1e-12);
    scene_destroy(world);
}

// Restitution in `gap` mode: above the cut-off the step is that of `moreau`, bit for bit; below it
// the body arrives with e = 0.
static void test_restitution_cutoff(void **state) {
    (void)state;
    const double h = 1e-2, cutoff = 0.5;
    for (int k = 0; k < 3; k++)
        for (int above = 0; above < 2; above++) {
            double speed = cutoff * (above ? 1 + 1e-9 : 1 - 1e-9);
            struct gabion_settings settings = scene_settings(h, thetas[k]);
            settings.gravity = vec3_zero();
            settings.restitution_cutoff = cutoff;
            struct gabion_law law = {.restitution = 0.8};
            int32_t ball, twin_ball;
            struct gabion_world *world = drop_create(settings, law, 0.012, speed, &ball);
            settings.gap = GABION_GAP_MOREAU;
            struct gabion_world *twin = drop_create(settings, law, 0.012, speed, &twin_ball);
            for (int step = 0; step < 10; step++) {
                scene_step(world, 1);
                scene_step(twin, 1);
                if (above) {
                    assert_vector_near(scene_velocity(world, ball), scene_velocity(twin, twin_ball),
                                       0);
                    assert_vector_near(scene_position(world, ball), scene_position(twin, twin_ball),
                                       0);
                }
            }
            assert_near(scene_velocity(twin, twin_ball).z, 0.8 * speed, 1e-14);
            assert_near(scene_velocity(world, ball).z, above ? 0.8 * speed : 0, 1e-13);
            if (!above)
                assert_near(scene_position(world, ball).z, 0.5, ROUNDING);
            scene_assert_ledger(world);
            scene_destroy(world);
            scene_destroy(twin);
        }
}

// The automatic cut-off is 2 g h: the speed that two steps of free fall give.
static void test_automatic_cutoff(void **state) {
    (void)state;
    for (int above = 0; above < 2; above++) {
        double h = 1e-2, speed = 2 * GRAVITY * h * (above ? 1.001 : 0.999);
        int32_t ball;
        struct gabion_world *world = drop_create(
            scene_settings(h, 0.5), (struct gabion_law){.restitution = 0.9}, 0, speed, &ball);
        scene_step(world, 1);
        assert_near(scene_velocity(world, ball).z, above ? 0.9 * speed : 0, 1e-14);
        scene_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrives_exactly),
        cmocka_unit_test(test_spheres_arrive_exactly),
        cmocka_unit_test(test_no_force_at_a_distance),
        cmocka_unit_test(test_moreau_activation),
        cmocka_unit_test(test_moreau_keeps_overlap),
        cmocka_unit_test(test_restitution_cutoff),
        cmocka_unit_test(test_automatic_cutoff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
