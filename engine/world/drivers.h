// Drivers: fixed bodies that follow a path x*(t) exactly, at every theta:
//
//   q_m = x*(t + (1-theta) h),   v+ = [x*(t + h + (1-theta) h) - x*(t + (1-theta) h)] / h,
//   q_{i+1} = x*(t + h),
//
// and the same for orientations, where the difference is the rotation from one to the other.
// Solving q_{i+1} = q_m + theta h v+ for v+ instead would ring for ever at theta = 1/2.
#ifndef ENGINE_WORLD_DRIVERS_H
#define ENGINE_WORLD_DRIVERS_H

#include "engine/world/world.h"

// Takes in the fixed bodies of driven groups that are not on a path yet: those that entered the run
// at a time of their own, and those that were defined after the driver. A group moves as one: a
// late body enters at its own position plus the displacement so far.
void drivers_adopt(struct gabion_world *world);

bool drivers_turn(const struct gabion_world *world); // some driver does

void drivers_predict(struct gabion_world *world);   // q_m, v+ and s+ into the problem
void drivers_integrate(struct gabion_world *world); // x, q, v and w of the bodies

#endif
