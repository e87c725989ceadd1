// Scenes with compounds, on top of scene.h.
#ifndef TESTS_UNIT_COMPOUND_SCENE_H
#define TESTS_UNIT_COMPOUND_SCENE_H

#include "tests/unit/scene.h"

// A box as part of a compound.
struct compound_box {
    vec3 half, centre;
};

static inline int compound_scene_shape(struct gabion_world *world, const struct gabion_part *part,
                                       int64_t parts) {
    struct gabion_error error = {0};
    int number = gabion_add_compound(world, part, parts, &error);
    if (number < 0)
        fail_msg("%s", error.text);
    return number;
}

static inline int compound_scene_boxes(struct gabion_world *world, const struct compound_box *box,
                                       int count) {
    struct gabion_part part[64];
    assert_true(count <= 64);
    for (int k = 0; k < count; k++)
        part[k] = (struct gabion_part){.polyhedron = scene_box_shape(world, box[k].half),
                                       .position = box[k].centre,
                                       .orientation = {1, 0, 0, 0}};
    return compound_scene_shape(world, part, count);
}

static inline struct gabion_body compound_scene_body(int compound, vec3 position) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_COMPOUND;
    body.compound = compound;
    body.position = position;
    body.material = SCENE_BODY;
    body.density = 1000;
    return body;
}

// A cube of side 2 half made of eight.
static inline int compound_scene_cube(struct gabion_world *world, double half) {
    struct compound_box box[8];
    double h = 0.5 * half;
    for (int k = 0; k < 8; k++)
        box[k] = (struct compound_box){{h, h, h}, {k & 1 ? h : -h, k & 2 ? h : -h, k & 4 ? h : -h}};
    return compound_scene_boxes(world, box, 8);
}

#endif
