// The scheme of Moreau and Jean: one implicit problem of velocities per step.
#ifndef ENGINE_STEP_MOREAU_H
#define ENGINE_STEP_MOREAU_H

#include "engine/world/world.h"

bool moreau_step(struct gabion_world *world, struct gabion_error *error);

#endif
