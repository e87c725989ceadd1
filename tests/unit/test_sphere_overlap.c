// Overlaps of spheres and planes, which a step takes from its contacts (engine/contact/standing.h),
// against all pairs of the scene, one by one.
#include "tests/unit/scene.h"

#include "engine/contact/pair.h"
#include "engine/step/overlap.h"

#define SPHERES 90

static const struct gabion_law rough = {.friction = 0.3};

struct worst {
    double depth, relative;
    size_t pairs;
};

static void add_pair(const struct bodies *bodies, int32_t c, int32_t a, struct worst *worst) {
    vec3 normal;
    mat3 axes = quat_matrix(bodies->q[a]);
    double gap = pair_gap(bodies, bodies->x, &axes, c, a, &normal);
    worst->pairs += gap < 0;
    worst->depth = fmax(worst->depth, -gap);
    worst->relative = fmax(worst->relative, -gap / bodies_smaller_size(bodies, c, a));
}

static struct worst worst_of_all(const struct bodies *bodies) {
    struct worst worst = {0, 0, 0};
    for (int32_t c = 0; c < bodies->moving; c++)
        for (int32_t a = c + 1; a < bodies->count; a++)
            add_pair(bodies, c, a, &worst);
    return worst;
}

static void add_walls(struct gabion_world *world) {
    scene_floor(world);
    for (int k = 0; k < 4; k++) {
        double side = k % 2 == 0 ? 1 : -1;
        vec3 normal = k < 2 ? vec3_make(side, 0, 0) : vec3_make(0, side, 0);
        scene_plane(world, vec3_scale(-0.8, normal), normal);
    }
}

// Loosely filled from z = 0.2 on.
static void add_spheres(struct gabion_world *world, struct random_stream *random) {
    for (int k = 0; k < SPHERES; k++) {
        vec3 at = vec3_make(-0.6 + 0.4 * (k % 4), -0.6 + 0.4 * (k / 4 % 4), 0.25 + 0.4 * (k / 16));
        scene_sphere(world, at, random_between(random, 0.1, 0.2), 1,
                     vec3_scale(2, scene_random_unit(random)));
    }
}

// Returns in how many steps something overlapped.
static int compare_steps(struct gabion_world *world, int steps) {
    int overlapping = 0;
    for (int step = 0; step < steps; step++) {
        scene_step(world, 1);
        struct worst worst = worst_of_all(&world->bodies);
        assert_near(world->report.max_overlap, worst.depth, 0);
        assert_near(world->report.max_overlap_relative, worst.relative, 0);
        overlapping += worst.pairs > 0;
    }
    return overlapping;
}

// Three sweeps for each step leave deep overlaps, and bodies that outrun what the step looked for.
static struct gabion_settings poor_settings(double speed_of_gravity) {
    struct gabion_settings settings = scene_settings(0.01, 0.5);
    settings.gravity = vec3_make(0, 0, -speed_of_gravity);
    settings.method = GABION_METHOD_NSGS;
    settings.max_sweeps = 3;
    settings.on_cap = GABION_CAP_ACCEPT;
    settings.projection = 0;
    return settings;
}

static void heaps_of_spheres(void **state) {
    (void)state;
    const double gravities[] = {10, 100, 1000};
    for (size_t k = 0; k < 3; k++) {
        struct random_stream random = {k + 1};
        struct gabion_settings settings = poor_settings(gravities[k]);
        struct gabion_world *world = scene_create(&settings, rough);
        add_walls(world);
        add_spheres(world, &random);
        assert_true(compare_steps(world, 80) > 20);
        scene_free(world);
    }
}

// With overlaps that the pass on positions removes: it moves bodies after the step has measured.
static void healed_heap(void **state) {
    (void)state;
    struct random_stream random = {4};
    struct gabion_settings settings = poor_settings(50);
    settings.projection = GABION_AUTOMATIC;
    struct gabion_world *world = scene_create(&settings, rough);
    add_walls(world);
    add_spheres(world, &random);
    assert_true(compare_steps(world, 80) > 10);
    scene_free(world);
}

// Bodies are put where the step did not expect them: the pairs are none of its contacts.
static void bodies_elsewhere(void **state) {
    (void)state;
    struct gabion_settings settings = poor_settings(0);
    struct gabion_world *world = scene_create(&settings, rough);
    scene_floor(world);
    int32_t first = scene_sphere(world, vec3_make(0, 0, 3), 0.5, 1, vec3_zero());
    int32_t second = scene_sphere(world, vec3_make(9, 0, 3), 0.2, 1, vec3_zero());
    scene_step(world, 1);
    assert_near(world->report.max_overlap, 0, 0);
    world->bodies.x[world->bodies.index_of[second]] = vec3_make(0.65, 0, 3);
    overlap_measure(world);
    assert_near(world->report.max_overlap, 0.05, 1e-15);
    world->bodies.x[world->bodies.index_of[first]] = vec3_make(5, 0, 0.4);
    overlap_measure(world);
    assert_near(world->report.max_overlap, 0.1, 1e-15);
    scene_destroy(world);
}

// A heavy sphere hits a light one, which meets a third one in the same step, further away than the
// search looked. Its rebound may wait for the next step: then they overlap without a contact.
static void rebounds_that_wait(void **state) {
    (void)state;
    int waiting = 0;
    for (int k = 0; k < 60; k++) {
        struct gabion_settings settings = poor_settings(0);
        settings.max_sweeps = 200;
        settings.alert = 0;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.restitution = 1});
        scene_sphere(world, vec3_make(-0.202, 0, 0), 0.1, 5, vec3_make(2.34, 0, 0));
        int32_t hit = scene_sphere(world, vec3_zero(), 0.1, 0.5, vec3_zero());
        int32_t met = scene_sphere(world, vec3_make(0.205 + 0.0005 * k, 0, 0), 0.1, 1, vec3_zero());
        for (int step = 0; step < 3; step++) {
            int overlapping = compare_steps(world, 1);
            waiting +=
                overlapping > 0 && !scene_contact(world, hit, met) &&
                vec3_length(vec3_sub(scene_position(world, hit), scene_position(world, met))) < 0.2;
        }
        scene_free(world);
    }
    assert_true(waiting > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_of_spheres),
        cmocka_unit_test(healed_heap),
        cmocka_unit_test(bodies_elsewhere),
        cmocka_unit_test(rebounds_that_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
