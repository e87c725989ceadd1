// Validation 13: what must not change the results. The first 50 steps, to 1e-9.
#include "tests/unit/scene.h"

#define BALLS 60
#define STEPS 50
#define EQUAL 1e-9

// How a scene is placed in the world.
struct placement {
    vec3 shift;
    mat3 turn;
    double length; // unit of length, ten in the scene as it is: spheres of 0.5 to 1 m; times go
                   // with its square root, gravity stays
    bool reversed; // body order in the input
};

static const mat3 identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static vec3 place(const struct placement *placement, vec3 x) {
    return vec3_add(placement->shift,
                    mat3_apply(placement->turn, vec3_scale(placement->length, x)));
}

struct state {
    vec3 x[BALLS], v[BALLS], w[BALLS]; // as they would be in the scene that was not moved
    double force;                      // on the floor
    int contacts;
};

// Spheres thrown into a corner of three planes: impacts, sliding and rolling within 50 steps.
static struct gabion_world *corner_create(const struct placement *p, enum gabion_gap gap) {
    double time = sqrt(p->length);
    struct gabion_settings settings = scene_settings(2e-3 * time, 0.5);
    settings.gap = gap;
    settings.gravity = mat3_apply(p->turn, vec3_make(0, 0, -9.81));
    settings.tolerance = 1e-13;
    settings.on_cap = GABION_CAP_WARN;
    settings.max_sweeps = 5000;
    settings.projection = 0; // healing is accurate to a few hundredths of what it leaves, by order
    struct gabion_world *world =
        scene_create(&settings, (struct gabion_law){.friction = 0.4, .restitution = 0.3});
    const vec3 normals[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int k = 0; k < 3; k++)
        scene_plane(world, place(p, vec3_zero()), mat3_apply(p->turn, normals[k]));
    struct gabion_body bodies[BALLS];
    struct random_stream random = {8};
    for (int k = 0; k < BALLS; k++) {
        double radius = random_between(&random, 0.05, 0.1);
        vec3 x = {0.11 + 0.205 * (k % 4) + random_between(&random, 0, 0.004),
                  0.11 + 0.205 * (k / 4 % 3) + random_between(&random, 0, 0.004),
                  0.11 + 0.205 * (k / 12) + random_between(&random, 0, 0.004)};
        vec3 v = vec3_add(vec3_make(-1, -1, -2), scene_random_unit(&random));
        vec3 w = vec3_scale(5, scene_random_unit(&random));
        bodies[k] = scene_sphere_body(place(p, x), radius * p->length, 0);
        bodies[k].density = 2500;
        bodies[k].velocity = mat3_apply(p->turn, vec3_scale(time, v)); // length / time = time
        bodies[k].spin = mat3_apply(p->turn, vec3_scale(1 / time, w));
    }
    for (int k = 0; k < BALLS; k++)
        scene_add(world, &bodies[p->reversed ? BALLS - 1 - k : k]);
    return world;
}

static void corner_run(const struct placement *p, enum gabion_gap gap, struct state *state) {
    struct gabion_world *world = corner_create(p, gap);
    double time = sqrt(p->length);
    scene_step(world, STEPS);
    for (int k = 0; k < BALLS; k++) {
        int32_t id = 3 + (p->reversed ? BALLS - 1 - k : k);
        vec3 x = vec3_sub(scene_position(world, id), p->shift);
        state->x[k] = vec3_scale(1 / p->length, mat3_apply_transposed(p->turn, x));
        state->v[k] =
            vec3_scale(1 / time, mat3_apply_transposed(p->turn, scene_velocity(world, id)));
        state->w[k] = vec3_scale(time, mat3_apply_transposed(p->turn, scene_spin(world, id)));
    }
    state->contacts = (int)world->report.contacts;
    assert_int_equal(world->run.unconverged_steps, 0);
    scene_assert_ledger(world);
    scene_destroy(world);
}

static void assert_same(const struct placement *placement, double tolerance) {
    const struct placement home = {vec3_zero(), identity, 10, false};
    for (int gap = GABION_GAP_MOREAU; gap <= GABION_GAP_STABILIZED; gap++) {
        static struct state expected, found;
        corner_run(&home, (enum gabion_gap)gap, &expected);
        corner_run(placement, (enum gabion_gap)gap, &found);
        assert_true(expected.contacts > 20);
        // Rounding of a gap is an overlap to push out, and decides whether the contact carries.
        if (gap != GABION_GAP_STABILIZED)
            assert_int_equal(found.contacts, expected.contacts);
        double worst = 0;
        for (int k = 0; k < BALLS; k++) {
            worst = fmax(worst, vec3_length(vec3_sub(found.x[k], expected.x[k])));
            worst = fmax(worst, vec3_length(vec3_sub(found.v[k], expected.v[k])));
            worst = fmax(worst, 0.1 * vec3_length(vec3_sub(found.w[k], expected.w[k])));
        }
        print_message("largest difference after %d steps: %.1e, %d contacts\n", STEPS, worst,
                      found.contacts);
        assert_at_most(worst, tolerance);
    }
}

static void test_translation(void **state) {
    (void)state;
    assert_same(&(struct placement){{1000, -500, 20}, identity, 10, false}, EQUAL);
}

static void test_rotation(void **state) {
    (void)state;
    struct random_stream random = {9};
    for (int k = 0; k < 3; k++) {
        mat3 turn = scene_rotation(scene_random_unit(&random), random_between(&random, 0.5, PI));
        assert_same(&(struct placement){vec3_zero(), turn, 10, false}, EQUAL);
    }
}

static void test_scaling(void **state) {
    (void)state;
    const double lengths[] = {40, 0.1, 370};
    for (int k = 0; k < 3; k++)
        assert_same(&(struct placement){vec3_zero(), identity, lengths[k], false}, EQUAL);
}

// The order in memory is canonical (a space-filling curve), so the input order leaves no trace.
static void test_body_order(void **state) {
    (void)state;
    assert_same(&(struct placement){vec3_zero(), identity, 10, true}, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_translation),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_body_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
