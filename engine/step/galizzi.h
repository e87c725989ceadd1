// The corrective scheme of Galizzi and Faure ("Animation efficace de solides en contact par modele
// physique", AFIG 2002): accelerations are corrected at the contacts there are, the motion is
// integrated, and at the collisions it led to positions and then velocities are corrected, each by
// its own share of iterations.
#ifndef ENGINE_STEP_GALIZZI_H
#define ENGINE_STEP_GALIZZI_H

#include "engine/world/world.h"

bool corrective_step(struct gabion_world *world, struct gabion_error *error);

#endif
