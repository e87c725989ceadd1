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

#endif
