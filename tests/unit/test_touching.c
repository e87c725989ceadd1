// Bodies that touch but for rounding. Blocks touch from a gap of a millionth of their thickness on
// (docs/architecture.md), spheres at gap zero.
#include "engine/contact/contacts.h"
#include "engine/step/solve.h"
#include "tests/unit/scene.h"

#define H     1e-3
#define HALF  0.1 // m, of every body
#define TOUCH (1e-6 * 2 * HALF)

enum { SPHERE, BLOCK };

// Two bodies, one on the other on the floor, with this gap below each. Nothing else is within the
// alert distance.
static struct gabion_world *pair(struct gabion_settings settings, int kind, double gap) {
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int shape = kind == BLOCK ? scene_box_shape(world, vec3_make(HALF, HALF, HALF)) : -1;
    scene_floor(world);
    for (int k = 0; k < 2; k++) {
        vec3 x = {0, 0, HALF + gap + k * (2 * HALF + gap)};
        if (kind == BLOCK)
            scene_block(world, shape, x);
        else
            scene_sphere(world, x, HALF, 1, vec3_zero());
    }
    return world;
}

// What the law makes of contacts with a gap: the velocity that they prescribe, and whether they are
// active.
struct reading {
    double bias;
    bool active;
};

static struct reading read_gap(enum gabion_gap law, int kind, double gap) {
    struct gabion_settings settings = scene_settings(H, 0.5);
    settings.gap = law;
    settings.alert = 1e-3;
    struct gabion_world *world = pair(settings, kind, gap);
    struct contacts *contacts = world->contacts;
    scene_enter_step(world);
    scene_find_contacts(world);
    contacts_match(world);
    scene_open_problem(world);
    assert_int_equal(contacts->count, kind == BLOCK ? 8 : 2);
    struct reading reading = {contacts->bias[0], contacts->list[0].flags & CONTACT_ACTIVE};
    for (size_t k = 0; k < contacts->count; k++) {
        assert_near(contacts->bias[k], reading.bias, 1e-15 / H);
        assert_true(((contacts->list[k].flags & CONTACT_ACTIVE) != 0) == reading.active);
    }
    solve_close(world);
    scene_destroy(world);
    return reading;
}

// Gaps and overlaps of rounding, and up to the millionth, ask for nothing; the next ones for all of
// the gap.
static void test_blocks(void **state) {
    (void)state;
    const double touching[] = {0, 1e-16, -1e-16, 0.99 * TOUCH, -0.99 * TOUCH};
    for (int k = 0; k < 5; k++) {
        struct reading exact = read_gap(GABION_GAP_GAP, BLOCK, touching[k]);
        assert_true(exact.active && exact.bias == 0);
        assert_true(read_gap(GABION_GAP_MOREAU, BLOCK, touching[k]).active);
        assert_near(read_gap(GABION_GAP_STABILIZED, BLOCK, touching[k]).bias, 0, 0);
    }
    double above = 1.01 * TOUCH;
    assert_near(read_gap(GABION_GAP_GAP, BLOCK, above).bias, above / H, 1e-15 / H);
    assert_false(read_gap(GABION_GAP_MOREAU, BLOCK, above).active);
    assert_near(read_gap(GABION_GAP_STABILIZED, BLOCK, above).bias, above / H, 1e-15 / H);
    assert_near(read_gap(GABION_GAP_STABILIZED, BLOCK, -3 * TOUCH).bias, -2 * TOUCH / H, 1e-15 / H);
    assert_near(read_gap(GABION_GAP_GAP, BLOCK, -3 * TOUCH).bias, 0, 0);
}

// A gap just above the rounding of positions is a gap between spheres.
static void test_spheres(void **state) {
    (void)state;
    for (int k = -1; k <= 0; k++) {
        struct reading exact = read_gap(GABION_GAP_GAP, SPHERE, 1e-12 * k);
        assert_true(exact.active && fabs(exact.bias) <= 1e-16 / H);
    }
    assert_near(read_gap(GABION_GAP_GAP, SPHERE, 1e-12).bias, 1e-12 / H, 1e-16 / H);
    assert_true(read_gap(GABION_GAP_MOREAU, SPHERE, -1e-12).active);
    assert_false(read_gap(GABION_GAP_MOREAU, SPHERE, 1e-12).active);
    assert_near(read_gap(GABION_GAP_STABILIZED, SPHERE, -1e-12).bias, -1e-12 / H, 1e-16 / H);
}

// Bodies that touch exactly, or but for rounding, stay where they are, without jitter: impulses of
// one step are those of the next.
static void assert_rests(int kind, double gap) {
    struct gabion_world *world = pair(scene_settings(H, 0.5), kind, gap);
    vec3 last = vec3_zero(), x = scene_position(world, 2);
    for (int step = 0; step < 100; step++) {
        scene_step(world, 1);
        assert_int_equal(world->report.contacts, kind == BLOCK ? 8 : 2);
        assert_int_equal(world->report.late, 0);
        vec3 impulse = world->contacts->impulse[0];
        if (step > 2)
            assert_vector_near(impulse, last, 1e-9 * vec3_length(last));
        last = impulse;
    }
    assert_vector_near(scene_position(world, 2), x, 1e-13);
    scene_assert_ledger(world);
    scene_destroy(world);
}

static void test_rest(void **state) {
    (void)state;
    const double gaps[] = {0, 2e-17, -2e-17, 1e-16, -1e-16};
    for (int k = 0; k < 5; k++) {
        assert_rests(SPHERE, gaps[k]);
        assert_rests(BLOCK, gaps[k]);
    }
}

// A block that stands askew by less than the millionth rests on all four corners and stays askew.
static void test_askew(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(H, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int shape = scene_box_shape(world, vec3_make(HALF, HALF, HALF));
    scene_floor(world);
    struct gabion_body body = scene_block_body(shape, vec3_make(0, 0, HALF));
    body.orientation = quat_exp(vec3_make(0, 0.4 * TOUCH / HALF, 0));
    int32_t block = scene_add(world, &body);
    for (int step = 0; step < 50; step++) {
        scene_step(world, 1);
        assert_int_equal(world->report.contacts, 4);
        assert_at_most(vec3_length(scene_spin(world, block)), 1e-10);
    }
    assert_near(scene_position(world, block).z, HALF, 1e-13);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_askew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
