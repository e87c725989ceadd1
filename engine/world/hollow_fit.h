// Whether the spheres of the run have room in its hollow spheres and drums.
#ifndef ENGINE_WORLD_HOLLOW_FIT_H
#define ENGINE_WORLD_HOLLOW_FIT_H

#include "engine/world/world.h"

// Returns whether every sphere fits into every hollow; false with an error that names the two
// bodies. Bodies must be sorted, moving ones first.
bool hollow_fit_check(const struct gabion_world *world, struct gabion_error *error);

#endif
