// Gap treatment `stabilized`: Anitescu's fixed-step scheme (2003), validation 7.1.
#include "engine/contact/contacts.h"
#include "engine/world/order.h"
#include "parallel/memory.h"
#include "tests/unit/scene.h"

static const double thetas[] = {0.5, 0.75, 1};
static const double es[] = {0, 0.25, 0.5, 0.8, 1};

static struct gabion_settings stabilized_settings(double h, double theta) {
    struct gabion_settings settings = scene_settings(h, theta);
    settings.gap = GABION_GAP_STABILIZED;
    settings.gravity = vec3_zero();
    return settings;
}

#define RADIUS 0x1p-10 // small, and the wall at 0: positions near it have all their digits

// 7.1: a way of 1 to the wall, v = 1, no gravity.
static struct gabion_world *wall_create(const struct gabion_settings *settings, double e,
                                        int32_t *ball) {
    struct gabion_world *world = scene_create(settings, (struct gabion_law){.restitution = e});
    scene_plane(world, vec3_zero(), vec3_make(-1, 0, 0));
    *ball = scene_sphere(world, vec3_make(-1 - RADIUS, 0, 0), RADIUS, 1, vec3_make(1, 0, 0));
    return world;
}

// What the scheme gives by hand: positions of the paper are our midpoints, which start at
// (1 - theta) h. One step arrives, with the velocity and the impulse of section III.D; the next
// rebounds. Positions are rounded once a step, and the gap is divided by h.
static void assert_wall(struct gabion_settings settings, double e) {
    double h = settings.step, way = 1 - (1 - settings.theta) * h;
    double arrival = way / h - ceil(way / h) + 1, rounding = DBL_EPSILON / (h * h);
    bool corrected = settings.restitution_velocity == GABION_RESTITUTION_CORRECTED;
    double after = -e * (corrected ? 1 : arrival), push = 0;
    int32_t ball;
    struct gabion_world *world = wall_create(&settings, e, &ball);
    int steps = (int)ceil(way / h);
    scene_step(world, steps - 1);
    assert_near(scene_velocity(world, ball).x, 1, 1e-14);
    scene_step(world, 1);
    push = scene_normal_impulse(world, ball, 0);
    assert_near(scene_velocity(world, ball).x, arrival, rounding);
    assert_near(push, ceil(way / h) - way / h, rounding);
    for (int k = 0; k < steps; k++) {
        scene_step(world, 1);
        assert_near(scene_velocity(world, ball).x, after, corrected ? 1e-14 : rounding);
    }
    scene_assert_ledger(world);
    scene_destroy(world);
}

static void test_wall(void **state) {
    (void)state;
    const double steps[] = {0.05, 0.03, 0.011, 0.007, 0.003};
    for (int k = 0; k < 5 * 5 * 3 * 2 * 2; k++) {
        struct gabion_settings settings = stabilized_settings(steps[k % 5], thetas[k / 25 % 3]);
        settings.restitution_velocity = (enum gabion_restitution_velocity)(k / 75 % 2);
        settings.local = k / 150 ? GABION_LOCAL_EXACT : GABION_LOCAL_AUTO;
        assert_wall(settings, es[k / 5 % 5]);
    }
}

// The printed row of 7.1: e = 1, theta = 1. The uncorrected velocity jumps where 1/h is whole; as a
// double, 0.05 is a little more than 1/20, and the ball arrives in the twentieth step.
static void test_printed_values(void **state) {
    (void)state;
    const double steps[] = {0.05, 0.03, 0.011, 0.007, 0.003};
    const double printed[] = {-1.0000, -0.3333, -0.9091, -0.8571, -0.3333};
    for (int k = 0; k < 10; k++) {
        struct gabion_settings settings = stabilized_settings(steps[k % 5], 1);
        bool corrected = k < 5;
        settings.restitution_velocity =
            corrected ? GABION_RESTITUTION_CORRECTED : GABION_RESTITUTION_UNCORRECTED;
        int32_t ball;
        struct gabion_world *world = wall_create(&settings, 1, &ball);
        scene_step(world, (int)(1.5 / settings.step));
        double v = scene_velocity(world, ball).x;
        assert_near(v, corrected ? -1 : printed[k % 5], corrected ? 1e-14 : 5e-5);
        scene_destroy(world);
    }
}

// A body that touches when the step ends, without an impulse, collides in the next.
static void test_exact_arrival(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++) {
        struct gabion_settings settings = stabilized_settings(0.0625, 1);
        int32_t ball;
        struct gabion_world *world = wall_create(&settings, es[k], &ball);
        scene_step(world, 16);
        assert_near(scene_position(world, ball).x, -RADIUS, 0);
        assert_near(scene_velocity(world, ball).x, 1, 0);
        scene_step(world, 1);
        assert_near(scene_velocity(world, ball).x, 0, 0);
        scene_step(world, 5);
        assert_near(scene_velocity(world, ball).x, -es[k], 1e-15);
        scene_destroy(world);
    }
}

// Two bodies in flight: u_n+ = -e u_n-, and momentum is kept.
static void test_pair(void **state) {
    (void)state;
    for (int k = 0; k < 15; k++) {
        struct gabion_settings settings = stabilized_settings(0.013, thetas[k / 5]);
        struct gabion_world *world =
            scene_create(&settings, (struct gabion_law){.restitution = es[k % 5]});
        vec3 n = scene_random_unit(&(struct random_stream){(uint64_t)k});
        scene_sphere(world, vec3_zero(), 0.5, 1, vec3_scale(2, n));
        scene_sphere(world, vec3_scale(1.31, n), 0.5, 3, vec3_scale(-1, n));
        scene_step(world, 20);
        double v = vec3_dot(scene_velocity(world, 0), n), w = vec3_dot(scene_velocity(world, 1), n);
        assert_near(w - v, 3 * es[k % 5], 1e-13);
        assert_near(v + 3 * w, -1, 1e-13);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// Approaches slower than the cut-off end at the wall, faster ones rebound.
static void test_cutoff(void **state) {
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        struct gabion_settings settings = stabilized_settings(0.03, 1);
        settings.restitution_cutoff = fast ? 1 - 1e-9 : 1 + 1e-9;
        int32_t ball;
        struct gabion_world *world = wall_create(&settings, 0.5, &ball);
        scene_step(world, 50);
        assert_near(scene_velocity(world, ball).x, fast ? -0.5 : 0, 1e-12);
        scene_destroy(world);
    }
}

// Section II.B: an overlap d shrinks to (1 - gamma) d in each step, measured at the midpoints, and
// an open gap is closed by the same part.
static void test_pushes_out(void **state) {
    (void)state;
    const double gammas[] = {1, 0.5, 0.2}, h = 0.01, g = 9.81;
    for (int k = 0; k < 18; k++) {
        double gamma = gammas[k % 3], gap = k < 9 ? -1e-3 : 1e-5;
        struct gabion_settings settings = stabilized_settings(h, thetas[k / 3 % 3]);
        settings.gravity = vec3_make(0, 0, -g);
        settings.gamma = gamma;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
        int32_t plane = scene_floor(world);
        int32_t ball = scene_sphere(world, vec3_make(0, 0, 0.5 + gap), 0.5, 2, vec3_zero());
        scene_step(world, 1);
        assert_near(scene_contact(world, ball, plane)->gap, gap, 1e-15);
        assert_near(scene_velocity(world, ball).z, -gamma * gap / h, 1e-12);
        scene_step(world, 1);
        assert_near(scene_contact(world, ball, plane)->gap, (1 - gamma) * gap, 1e-14);
        scene_step(world, 300);
        assert_near(scene_position(world, ball).z, 0.5, 1e-12);
        assert_near(scene_velocity(world, ball).z, 0, 1e-10);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// A block that rests on four corners stays at rest, pressed into the ground or not.
static void test_block_rests(void **state) {
    (void)state;
    const double depths[] = {0, 1e-9, 1e-4};
    for (int k = 0; k < 3; k++) {
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        settings.gap = GABION_GAP_STABILIZED;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
        scene_floor(world);
        int shape = scene_box_shape(world, vec3_make(0.3, 0.2, 0.1));
        int32_t block = scene_block(world, shape, vec3_make(0, 0, 0.1 - depths[k]));
        scene_step(world, 400);
        // Deeper ones are pushed out, to what counts as touching or, with the speed of one step of
        // pushing, above it and back.
        assert_near(scene_position(world, block).z, 0.1, 2.1e-7);
        assert_near(vec3_length(scene_velocity(world, block)), 0, 1e-9);
        assert_near(vec3_length(scene_spin(world, block)), 0, 1e-9);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// Where the bodies of a contact change places in memory, what it remembers changes sign.
static void test_order(void **state) {
    (void)state;
    struct gabion_settings settings = stabilized_settings(0.013, 1);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.restitution = 0.5});
    struct contacts *contacts = world->contacts;
    scene_sphere(world, vec3_zero(), 0.5, 1, vec3_make(1, 0, 0));
    scene_sphere(world, vec3_make(1.02, 0, 0), 0.5, 1, vec3_make(-1, 0, 0));
    scene_step(world, 1);
    assert_int_equal(contacts->memory_count, 1);
    vec3 impulse = contacts->memory[0].impulse, collision = contacts->memory_collision[0];
    assert_near(fabs(collision.x), 2, 0);
    uint64_t hash = gabion_state_hash(world);
    contacts->memory_collision[0] = vec3_zero();
    assert_true(gabion_state_hash(world) != hash);
    contacts->memory_collision[0] = collision;
    for (int32_t i = 0; i < 2; i++) // the whole scene mirrored
        world->bodies.x[i] = vec3_negate(world->bodies.x[i]);
    int32_t *new_index = order_bodies(world);
    contacts_reorder(world, new_index, world->bodies.moving);
    memory_free(new_index);
    assert_vector_near(contacts->memory[0].impulse, vec3_negate(impulse), 0);
    assert_vector_near(contacts->memory_collision[0], vec3_negate(collision), 0);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wall),          cmocka_unit_test(test_printed_values),
        cmocka_unit_test(test_exact_arrival), cmocka_unit_test(test_pair),
        cmocka_unit_test(test_cutoff),        cmocka_unit_test(test_pushes_out),
        cmocka_unit_test(test_block_rests),   cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
