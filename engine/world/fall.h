// Falls: the criterion of a stop at collapse.
#ifndef ENGINE_WORLD_FALL_H
#define ENGINE_WORLD_FALL_H

#include "engine/world/world.h"

// Finds the moving body of the lowest id that has fallen by fall_distance or falls at fall_speed,
// among those of world->fall_group. Falls are measured along the gravity that acts now: on a tilted
// table, a block that slides down falls, and one that stays where it is does not, however far the
// table tilts.
bool fall_find(const struct gabion_world *world, struct gabion_fall *fall);

// Finds it at the end of a step after which each rank knows its own piece of the bodies alone, for
// fall_find.
void fall_note(struct gabion_world *world);

#endif
