// Joints for scenes.
#ifndef TESTS_UNIT_SCENE_JOINTS_H
#define TESTS_UNIT_SCENE_JOINTS_H

#include "tests/unit/scene.h"

#define SCENE_PLANE (GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ) // motion in x, z, about y

// A hinge turns about y.
static inline struct gabion_joint scene_joint(enum gabion_joint_kind kind, int32_t first,
                                              int32_t second, vec3 anchor) {
    return (struct gabion_joint){
        .kind = kind, .first = first, .second = second, .anchor = anchor, .axis = {0, 1, 0}};
}

static inline int scene_join(struct gabion_world *world, struct gabion_joint joint) {
    struct gabion_error error = {0};
    int number = gabion_add_joint(world, &joint, &error);
    if (number < 0)
        fail_msg("%s", error.text);
    return number;
}

// Adds three bars that make a rhomb with the ground, bodies 0 to 2, the last with a push: four
// hinges hold 20 directions of 18, and it moves still.
static inline void scene_rhomb(struct gabion_world *world) {
    int upright = scene_box_shape(world, vec3_make(0.05, 0.05, 0.5));
    int across = scene_box_shape(world, vec3_make(0.5, 0.05, 0.05));
    scene_block(world, upright, vec3_make(0, 0, -0.5));
    scene_block(world, upright, vec3_make(1, 0, -0.5));
    struct gabion_body beam = scene_block_body(across, vec3_make(0.5, 0, -1));
    beam.velocity = vec3_make(2, 0, 0);
    scene_add(world, &beam);
    for (int k = 0; k < 2; k++) {
        scene_join(world, scene_joint(GABION_JOINT_HINGE, k, -1, vec3_make(k, 0, 0)));
        scene_join(world, scene_joint(GABION_JOINT_HINGE, k, 2, vec3_make(k, 0, -1)));
    }
}

#endif
