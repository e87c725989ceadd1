// Scenes with clumps and hollow containers, on top of scene.h.
#ifndef TESTS_UNIT_CLUMP_SCENE_H
#define TESTS_UNIT_CLUMP_SCENE_H

#include "tests/unit/scene.h"

static inline int clump_scene_shape(struct gabion_world *world, struct clump *clump) {
    struct gabion_error error = {0};
    assert_non_null(clump);
    int number = world_add_clump(world, clump, &error);
    assert_true(number >= 0);
    return number;
}

static inline int clump_scene_bar(struct gabion_world *world, int count, double radius,
                                  double spacing) {
    struct gabion_error error = {0};
    return clump_scene_shape(world, clump_bar(count, radius, spacing, CLUMP_SUM, &error));
}

static inline int clump_scene_torus(struct gabion_world *world, int count, double radius,
                                    double ring) {
    struct gabion_error error = {0};
    return clump_scene_shape(world, clump_torus(count, radius, ring, CLUMP_SUM, &error));
}

static inline struct gabion_body clump_scene_body(int clump, vec3 position, quat orientation) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_CLUMP;
    body.clump = clump;
    body.position = position;
    body.orientation = orientation;
    body.material = SCENE_BODY;
    body.density = 1000;
    return body;
}

static inline struct gabion_body clump_scene_hollow(double radius) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_HOLLOW_SPHERE;
    body.radius = radius;
    body.material = SCENE_GROUND;
    body.fixed = true;
    return body;
}

static inline struct gabion_body clump_scene_drum(double radius, double length, vec3 axis,
                                                  bool ends) {
    struct gabion_body body = clump_scene_hollow(radius);
    body.shape = GABION_DRUM;
    body.length = length;
    body.normal = axis;
    body.ends = ends;
    return body;
}

#endif
