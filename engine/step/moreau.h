// The scheme of Moreau and Jean: each step solves one contact problem for the velocities at its
// end.
#ifndef ENGINE_STEP_MOREAU_H
#define ENGINE_STEP_MOREAU_H

#include "engine/world/world.h"

// Makes one step. Returns false on an error that stops the run.
bool moreau_step(struct gabion_world *world, struct gabion_error *error);

#endif
