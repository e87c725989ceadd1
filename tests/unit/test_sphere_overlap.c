// Overlaps of spheres and planes, which a step takes from its contacts (engine/contact/standing.h),
// against all pairs of the scene, one by one.
#include "tests/unit/scene.h"

#include "engine/contact/pair.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(heaps_of_spheres),
                                       cmocka_unit_test(healed_heap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
