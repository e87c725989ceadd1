// Contact laws of pairs of materials.
#ifndef ENGINE_WORLD_LAWS_H
#define ENGINE_WORLD_LAWS_H

#include "engine/world/world.h"

// Finds the first pair of materials that can touch and has no law. Two fixed bodies never touch,
// and a body never touches itself, so such pairs need none. Returns false where there is no such
// pair.
bool laws_find_missing(const struct gabion_world *world, int *first, int *second);

#endif
