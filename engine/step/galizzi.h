// The corrective scheme of Galizzi and Faure ("Animation efficace de solides en contact par modele
// physique", AFIG 2002): accelerations are corrected at the contacts there are, the motion is
// integrated, and at the collisions it led to positions and then velocities are corrected, each by
// its own share of iterations.
#ifndef ENGINE_STEP_GALIZZI_H
#define ENGINE_STEP_GALIZZI_H

#include "engine/motion/midpoint.h"
#include "engine/world/world.h"

bool galizzi_step(struct gabion_world *world, struct gabion_error *error);

// Returns the velocity of a body as the last correction left it, within a step.
struct body_velocity galizzi_velocity(const struct gabion_world *world, int32_t body);

#endif
