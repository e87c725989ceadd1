// The corrective scheme of Galizzi and Faure ("Animation efficace de solides en contact par modele
// physique", AFIG 2002). It corrects accelerations at the present contacts, integrates the motion,
// and then corrects first positions and then velocities at the collisions that the motion led to.
// Each correction has its own number of iterations.
#ifndef ENGINE_STEP_GALIZZI_H
#define ENGINE_STEP_GALIZZI_H

#include "engine/world/world.h"

// Makes one step. Returns false on an error that stops the run.
bool galizzi_step(struct gabion_world *world, struct gabion_error *error);

#endif
