// The step.
#ifndef ENGINE_STEP_H
#define ENGINE_STEP_H

#include "engine/world.h"

bool world_step(struct gabion_world *world, struct error *error);

#endif
