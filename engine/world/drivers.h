// Drivers: the paths that fixed bodies follow.
#ifndef ENGINE_WORLD_DRIVERS_H
#define ENGINE_WORLD_DRIVERS_H

#include "engine/world/world.h"

// Takes in the fixed bodies of driven groups that are not on a path yet: those that entered the run
// at a time of their own, and those that were defined after the driver. A group moves as one: a
// late body enters at its own position plus the displacement so far.
void drivers_adopt(struct gabion_world *world);

// Returns whether some driver turns its bodies.
bool drivers_turn(const struct gabion_world *world);

struct placement {
    vec3 x;
    quat q;
};

// Returns where entry k of world->driven, which is in the run, is at a time: turned first, in the
// order of the drivers, then shifted by the sum of the others.
struct placement drivers_path(const struct gabion_world *world, int k, double time);

#endif
