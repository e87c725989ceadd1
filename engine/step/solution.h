// The impulses of a step by the method that the settings name.
#ifndef ENGINE_STEP_SOLUTION_H
#define ENGINE_STEP_SOLUTION_H

#include "engine/solvers/sweep/nsgs.h"

// Whether every contact is visited at least once: a panel's method may find a step solved as it
// stands, and what it starts from must lie in the cones already.
bool solution_visits_all(const struct gabion_settings *settings);

// Leaves the impulses in the world's problem and the velocities they give in its solver bodies.
struct nsgs_result solution_find(struct gabion_world *world);

#endif
