// What happens at a time: bodies enter or leave, velocities are set. An event belongs to the first
// step that starts at or after its time; whether it is over follows from the step number alone.
#ifndef ENGINE_WORLD_EVENTS_H
#define ENGINE_WORLD_EVENTS_H

#include "engine/world/world.h"

void events_apply(struct gabion_world *world);

#endif
