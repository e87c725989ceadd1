// Events at given times: bodies enter or leave, velocities are reset. An event takes place in the
// first step that starts at or after its time; whether it is over follows from the step number
// alone.
#ifndef ENGINE_WORLD_EVENTS_H
#define ENGINE_WORLD_EVENTS_H

#include "engine/world/world.h"

// Inserts the bodies whose time has come; sets world->entered.
void events_insert(struct gabion_world *world);

// Applies the resets that are due; sets world->changed.
void events_reset(struct gabion_world *world);

// Returns an array, by body index, of which bodies leave in this step, for order_remove; NULL:
// none. Sets world->changed. Free the array with memory_free.
bool *events_leaving(struct gabion_world *world);

#endif
