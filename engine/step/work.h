// Computes the work done in a step from the velocities before and after it, and books it in the
// energy ledger (engine/world/ledger.h).
#ifndef ENGINE_STEP_WORK_H
#define ENGINE_STEP_WORK_H

#include "engine/world/world.h"

// Books the work of loads, contacts, joints and drivers. Call it before positions are integrated.
void work_of_step(struct gabion_world *world);

// Books only the work of contacts and joints, for impulses that are applied later in the same step.
void work_of_impulses(struct gabion_world *world);

#endif
