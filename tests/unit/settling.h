// Spheres come down in a box three spheres wide, as in cases/papers/settling_80.yaml.
#ifndef TESTS_UNIT_SETTLING_H
#define TESTS_UNIT_SETTLING_H

#include "cases/generators.h"
#include "tests/unit/scene.h"

// Returns the world after some steps; the lattice has so many layers of nine.
static struct gabion_world *settling(int spheres, int layers, int steps, double friction) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 0.01;
    settings.method = GABION_METHOD_NSGS; // the scene is a heap, not a test of auto
    settings.max_sweeps = 1000;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = friction});
    struct container_definition box = {
        .name = "box", .material = SCENE_GROUND, .high = {8, 8, 60}, .walls = 31};
    struct grain_kind kind = {.template = scene_sphere_body(vec3_zero(), 1, 1e4),
                              .size = {.radius = 1}};
    struct lattice_definition lattice = {
        .grains = {&kind, 1, SHARE_NUMBER},
        .origin = {1.8, 1.8, 1.1},
        .spacing = {2.1, 2.1, 2.1},
        .count = {3, 3, layers},
        .jitter = 0.02,
        .limit = spheres,
        .seed = 3,
    };
    assert_true(generate_container(world, &box, &error));
    assert_true(generate_lattice(world, &lattice, &error));
    scene_step(world, steps);
    return world;
}

#endif
