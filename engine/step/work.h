// The work of a step, for the ledger: from the velocities before and after it.
#ifndef ENGINE_STEP_WORK_H
#define ENGINE_STEP_WORK_H

#include "engine/world/world.h"

// Books the work of loads, contacts, joints and drivers. Called before positions are integrated.
void work_of_step(struct gabion_world *world);

// Books the part that contacts and joints did, alone: of impulses that come after the others.
void work_of_impulses(struct gabion_world *world);

#endif
