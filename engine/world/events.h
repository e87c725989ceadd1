// What happens at a time: bodies enter or leave, velocities are set. An event belongs to the first
// step that starts at or after its time; whether it is over follows from the step number alone.
#ifndef ENGINE_WORLD_EVENTS_H
#define ENGINE_WORLD_EVENTS_H

#include "engine/world/world.h"

// Lets the bodies enter whose time has come; sets world->entered.
void events_insert(struct gabion_world *world);

// Sets the velocities that fall due; sets world->changed.
void events_reset(struct gabion_world *world);

// Returns which bodies leave in this step, by index, for order_remove; NULL: none. Sets
// world->changed. Free it with memory_free.
bool *events_leaving(struct gabion_world *world);

#endif
