// Whether the spheres of the run have room in its hollow spheres and drums.
#ifndef ENGINE_WORLD_HOLLOW_FIT_H
#define ENGINE_WORLD_HOLLOW_FIT_H

#include "engine/world/world.h"

// Of the bodies in the run, moving ones first. Says which sphere does not fit where.
bool hollow_fit_check(const struct gabion_world *world, struct gabion_error *error);

#endif
