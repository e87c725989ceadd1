// Free motion: from q_i to the midpoint and the free velocity, and from there to q_{i+1}.
//
//   q_m = q + (1 - theta) h v            v_free = v + h M^-1 (theta F_{i+1} + (1 - theta) F_i)
//   q_{i+1} = q_m + theta h v_{i+1}
//
// Rotations use the exponential map of the world angular velocity w. A rotation about w leaves w
// itself unchanged, so w- and w+ are the same vectors at q_m as at the ends of the step.
#ifndef ENGINE_MOTION_MOTION_H
#define ENGINE_MOTION_MOTION_H

#include "engine/world/world.h"

void motion_predict(struct gabion_world *world);
void motion_integrate(struct gabion_world *world);

// The configuration that detection and lever arms see becomes that of the bodies as they stand; and
// so do free velocities and inverse masses.
void motion_stand(struct gabion_world *world);
void motion_arrive(struct gabion_world *world);

// Gravity at a time, with its ramp and tilt, and the theta-average over the step that is being
// made.
vec3 motion_gravity(const struct gabion_world *world, double time);
vec3 motion_step_gravity(const struct gabion_world *world);

// Applied force on each group over the step, theta-average; NULL when no force acts.
// A force acts in a step when the middle of the step lies inside [start, end].
const vec3 *motion_group_forces(struct gabion_world *world);

// What the program applied to a body for this step.
static inline struct applied motion_applied(const struct gabion_world *world, int32_t i) {
    return world->applied ? world->applied[world->bodies.id[i]] : (struct applied){0};
}

// The inverse mass of the body is not two scalars.
bool motion_needs_tensor(const struct bodies *bodies, int32_t i);

// Rotation of a body with unequal moments: angular velocities in body axes before and after a step
// h by the implicit midpoint rule, I (W1 - W0) + h Wm x I Wm = kick, Wm = (W0 + W1) / 2, which
// without a kick (an angular impulse) keeps energy and |L| to rounding.
vec3 motion_free_spin(vec3 inertia, vec3 before, vec3 kick, double h);

// What joints are expected to turn the body by in this step, from the last one, over its moments,
// in body axes at q_m. The gyroscopic term is that of the spin with it: without, a jointed body
// with unequal moments would be integrated to first order only. More than the spin itself was a
// shock, which does not come twice: zero.
vec3 motion_expected_turn(const struct gabion_world *world, int32_t i, const mat3 *axes);

// Orientation at q_m.
mat3 motion_midpoint_axes(const struct gabion_world *world, int32_t i);

#endif
