// The impulses of a step by the method that the settings name.
#ifndef ENGINE_SOLUTION_H
#define ENGINE_SOLUTION_H

#include "engine/solvers/nsgs.h"

// Leaves the impulses in the world's problem and the velocities they give in its solver bodies.
struct nsgs_result solution_find(struct gabion_world *world);

#endif
