// How much memory bodies take in a run, estimated before they are made: a file or a generator may
// ask for more than there is.
#ifndef ENGINE_WORLD_FOOTPRINT_H
#define ENGINE_WORLD_FOOTPRINT_H

#include "engine/world/world.h"

// Returns the bytes that a run of this world takes, with the contacts of a dense packing.
double footprint_estimate(const struct gabion_world *world);

// Rejects `count` more bodies of a shape where there is no memory for them. Grains are counted
// without contacts, which they may never have; blocks with those of a wall.
bool footprint_check(const struct gabion_world *world, double count, enum gabion_shape shape,
                     struct gabion_error *error);

#endif
