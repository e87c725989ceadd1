// Loads: gravity and the forces that act on groups of bodies, as functions of time.
#ifndef ENGINE_WORLD_LOADS_H
#define ENGINE_WORLD_LOADS_H

#include "engine/world/world.h"

// Returns gravity at a time, with its ramp and tilt.
vec3 loads_gravity(const struct gabion_world *world, double time);

// Returns the direction of gravity at a time, with its tilt and whatever its ramp says; zero where
// there is no gravity.
vec3 loads_down(const struct gabion_world *world, double time);

// Returns the mean of gravity over the step in progress, weighted by theta.
vec3 loads_step_gravity(const struct gabion_world *world);

// Adds up the mean force on each group over the step in progress, weighted by theta. A force acts
// in a step when the middle of the step lies inside [start, end].
void loads_group_forces(const struct gabion_world *world, vec3 *force);

// Returns the force and moment that gabion_apply_force gave a body for this step.
static inline struct applied loads_applied(const struct gabion_world *world, int32_t i) {
    return world->applied ? world->applied[world->bodies.id[i]] : (struct applied){0};
}

#endif
