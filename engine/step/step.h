// The step.
#ifndef ENGINE_STEP_STEP_H
#define ENGINE_STEP_STEP_H

#include "engine/world/world.h"

bool world_step(struct gabion_world *world, struct gabion_error *error);

// What the schemes have in common: a phase on the clock; events and the start of a step; a look at
// the velocities in the solver bodies before they become state; the end of a step.
void step_phase(struct gabion_world *world, enum phase phase, void (*work)(struct gabion_world *));
bool step_begin(struct gabion_world *world, struct gabion_error *error);
bool step_check(struct gabion_world *world, struct gabion_error *error);
void step_count(struct gabion_world *world);

#endif
