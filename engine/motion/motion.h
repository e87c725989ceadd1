// Motion within a step: from the positions q_i at its start to the midpoint q_m and the free
// velocity v_free, and, once the contacts are solved, from there to q_{i+1}. h is the time step,
// theta the parameter of the scheme, F the applied forces.
//
//   q_m = q + (1 - theta) h v            v_free = v + h M^-1 (theta F_{i+1} + (1 - theta) F_i)
//   q_{i+1} = q_m + theta h v_{i+1}
//
// Rotations use the exponential map of the world angular velocity w. A rotation about w leaves w
// itself unchanged, so w- and w+ are the same vectors at q_m as at the ends of the step.
//
// Fixed bodies that a driver moves follow its path x*(t) exactly, at every theta:
//
//   q_m = x*(t + (1-theta) h),   v+ = [x*(t + h + (1-theta) h) - x*(t + (1-theta) h)] / h,
//   q_{i+1} = x*(t + h),
//
// and the same for orientations, where the difference is the rotation from one to the other.
// Solving q_{i+1} = q_m + theta h v+ for v+ instead would ring for ever at theta = 1/2.
#ifndef ENGINE_MOTION_MOTION_H
#define ENGINE_MOTION_MOTION_H

#include "engine/motion/midpoint.h"
#include "engine/world/world.h"

// Fill world->midpoint: free bodies, bodies that stand still, bodies on a path, then inverse
// masses. Call these four in this order.
void motion_predict_free(struct gabion_world *world);
void motion_predict_fixed(struct gabion_world *world);
void motion_predict_driven(struct gabion_world *world);
void motion_predict_masses(struct gabion_world *world);

// Gives every rank the inverse masses of all bodies, where each follows a piece of them.
void motion_gather_masses(struct gabion_world *world);

// Does all of this, again where it was done for some bodies only.
void motion_predict(struct gabion_world *world);

// Moves the free bodies to the end of the step with the velocities `velocity(context, i)`, and the
// driven ones along their path.
typedef struct body_velocity (*velocity_function)(const void *context, int32_t body);
void motion_integrate_free(struct gabion_world *world, velocity_function velocity,
                           const void *context);
void motion_integrate_driven(struct gabion_world *world);

// motion_stand fills the midpoint with the present positions of the bodies; motion_arrive replaces
// its free velocities and inverse masses by the present ones as well.
void motion_stand(struct gabion_world *world);
void motion_arrive(struct gabion_world *world);

// Returns whether the inverse mass of a body is more than the two numbers of struct round_mass.
bool motion_needs_tensor(const struct bodies *bodies, int32_t i);

// Integrates the rotation of a body with unequal moments: angular velocities in body axes before
// and after a step h by the implicit midpoint rule, I (W1 - W0) + h Wm x I Wm = kick,
// Wm = (W0 + W1) / 2, which without a kick (an angular impulse) keeps energy and |L| to rounding.
// `held` is a unit vector along the one axis that the body cannot turn about, and the equation then
// holds across it; zero: it turns about all. Above 3 rad in a step the equation may not be solved
// by Newton's method; the gyroscopic term is then left out, which still keeps the energy.
vec3 motion_free_spin(vec3 inertia, vec3 held, vec3 before, vec3 kick, double h);

// Returns the moment Wm x I Wm of a gyroscopic body in the equation above, as the free rotation of
// the step used it: in body axes at q_m, between the spin before the step and `free`, the solution
// with what joints were expected to do.
vec3 motion_gyroscopic_moment(const struct gabion_world *world, int32_t i, const mat3 *axes,
                              vec3 before, vec3 free);

// Returns whether a body has a gyroscopic term: unequal moments, and more than one axis to turn
// about. About a single axis, which is fixed in the world, the moment does not change.
bool motion_is_gyroscopic(const struct bodies *bodies, int32_t i);

// Returns the change of spin that joints are expected to cause in this step, in body axes at q_m,
// from their impulses in the last step. The gyroscopic term includes it: otherwise a jointed body
// with unequal moments would be integrated to first order only. A change larger than the spin
// itself came from a shock, which is not expected to repeat: it is scaled down, the more the larger
// it is, so that nothing jumps. Zero for bodies with a locked rotation.
vec3 motion_expected_turn(const struct gabion_world *world, int32_t i, const mat3 *axes);

// Returns the orientation of a body at q_m.
mat3 motion_midpoint_axes(const struct gabion_world *world, int32_t i);

#endif
