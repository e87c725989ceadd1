// Moves: how fast bodies go in a step, how far they turn, and whether numbers are fine enough to
// move them at all.
#ifndef ENGINE_STEP_MOVES_H
#define ENGINE_STEP_MOVES_H

#include "engine/motion/motion.h"

// Fills max_speed, max_turn and stuck of a report from the velocities `velocity(context, i)`. A
// velocity or spin that is not finite makes max_speed NaN.
void moves_measure(const struct gabion_world *world, velocity_function velocity,
                   const void *context, struct gabion_step_report *report);

// Returns the present velocity of a body, as a velocity_function: `world` is the context.
struct body_velocity moves_present(const void *world, int32_t body);

// Return the index of the moving body that turns fastest, and of the first one that is stuck, by
// their present velocities; -1: none.
int32_t moves_find_turning(const struct gabion_world *world);
int32_t moves_find_stuck(const struct gabion_world *world);

#endif
