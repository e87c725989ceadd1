// Velocities across contacts and joints: that of body c relative to body a, at the three moments of
// a step that energies are computed from.
#ifndef ENGINE_STEP_ACROSS_H
#define ENGINE_STEP_ACROSS_H

#include "engine/world/world.h"

struct joint_block;
struct joint_point;

struct across {
    vec3 before, free, after; // at the start, without impulses, and as the solve left it
};

// In world axes, like the impulse of the contact.
struct across across_contact(const struct gabion_world *world, size_t k);
// In the axes of the joint, like the impulse of its point.
struct across across_joint(const struct gabion_world *world, const struct joint_block *block,
                           const struct joint_point *point);

#endif
