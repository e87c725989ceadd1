// The order of bodies in memory, and changes to who is in the run.
#ifndef ENGINE_WORLD_ORDER_H
#define ENGINE_WORLD_ORDER_H

#include "engine/world/world.h"

// Sorts: moving bodies along a space-filling curve, then fixed ones, then walls, each by id. Done
// at step 0 and every ORDER_INTERVAL steps, so that the order depends on the state alone.
//
// Both functions return the new index of each body, -1 where it left, for what is kept by index
// elsewhere (contacts_reorder); free it with memory_free.
#define ORDER_INTERVAL 500
int32_t *order_bodies(struct gabion_world *world);

// Takes out the bodies for which leaves[index] is set.
int32_t *order_remove(struct gabion_world *world, const bool *leaves);

#endif
