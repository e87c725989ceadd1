// Drivers: fixed bodies that follow a path x*(t) exactly, at every theta:
//
//   q_m = x*(t + (1-theta) h),   v+ = [x*(t + h + (1-theta) h) - x*(t + (1-theta) h)] / h,
//   q_{i+1} = x*(t + h).
//
// Solving q_{i+1} = q_m + theta h v+ for v+ instead would ring for ever at theta = 1/2.
#ifndef ENGINE_DRIVERS_H
#define ENGINE_DRIVERS_H

#include "engine/world.h"

void drivers_predict(struct gabion_world *world);   // q_m and v+ into the problem
void drivers_integrate(struct gabion_world *world); // x and v of the bodies

#endif
