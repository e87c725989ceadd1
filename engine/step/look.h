// The second look of a step: contacts that the solved velocities lead to join the problem, and it
// is solved again (engine/contact/ahead.h).
#ifndef ENGINE_STEP_LOOK_H
#define ENGINE_STEP_LOOK_H

#include "engine/world/world.h"

// Starts the looks of a step.
void look_begin(struct gabion_world *world);
// Looks along the ways of the bodies. Call it after each solve of a step.
void look_ahead(struct gabion_world *world);
// Returns whether the last look found contacts, so that the step has to be solved again.
bool look_found(const struct gabion_world *world);

#endif
