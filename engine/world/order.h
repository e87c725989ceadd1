// The order of bodies in memory, and changes to who is in the run.
#ifndef ENGINE_WORLD_ORDER_H
#define ENGINE_WORLD_ORDER_H

#include "engine/world/world.h"

// Moving bodies along a space-filling curve, then fixed spheres, then half-spaces, each by id.
// Done at step 0 and every ORDER_INTERVAL steps, so that it depends on the state alone.
#define ORDER_INTERVAL 500
void order_bodies(struct gabion_world *world);

// Takes out the bodies for which leaves[index] is set; the contacts they had are forgotten.
void order_remove(struct gabion_world *world, const bool *leaves);

#endif
