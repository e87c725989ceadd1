// Events at given times: bodies enter or leave, velocities are reset. An event takes place in the
// first step that starts at or after its time; whether it is over follows from the step number
// alone. Whatever happens, the bodies' time of rest begins anew.
#ifndef ENGINE_WORLD_EVENTS_H
#define ENGINE_WORLD_EVENTS_H

#include "engine/world/world.h"

// Returns whether the events of a time have taken place: the first step that starts at or after it
// is complete.
bool events_done(const struct gabion_world *world, double time);

// Inserts the bodies whose time has come; sets world->entered.
void events_insert(struct gabion_world *world);

// Applies the resets that are due; sets world->changed.
void events_reset(struct gabion_world *world);

// Returns an array, by body index, of which bodies leave in this step, for order_remove; NULL:
// none. Removals by region look at the centres of mass as the step begins. Sets world->changed.
// Free the array with memory_free.
bool *events_leaving(struct gabion_world *world);

#endif
