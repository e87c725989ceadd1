// Drivers: prescribed paths that fixed bodies follow.
#ifndef ENGINE_WORLD_DRIVERS_H
#define ENGINE_WORLD_DRIVERS_H

#include "engine/world/world.h"

// Adds the fixed bodies of driven groups that are not on a path yet to world->driven: those that
// entered the run later, and those that were defined after the driver. A group moves as one, so a
// late body enters at its own position plus the displacement of the group so far.
void drivers_adopt(struct gabion_world *world);

// Takes the paths of drivers that have changed up where the bodies are, so that none jumps: moves
// the origins of paths that lead elsewhere at the present time. Bodies that no driver moved before
// are adopted.
void drivers_continue(struct gabion_world *world);

// Returns whether any driver turns its bodies.
bool drivers_turn(const struct gabion_world *world);

struct placement {
    vec3 x;
    quat q;
};

// Returns the position and orientation at a time of entry k of world->driven, which must be in the
// run. Drivers that turn act first, in their order; the sum of the displacements follows.
struct placement drivers_path(const struct gabion_world *world, int k, double time);

#endif
