// Mass splitting: the copies of busy bodies (struct split_body, engine/solvers/sweep/plan.h) among
// the solver bodies.
#ifndef ENGINE_SOLVERS_SWEEP_SPLIT_H
#define ENGINE_SOLVERS_SWEEP_SPLIT_H

#include "engine/solvers/sweep/plan.h"

// Gives the copies their numbers; they are filled later.
void split_add(struct sweep_plan *plan, int32_t body, int32_t copies);

// Fills all copies, with an equal share of the mass each, and the null body behind them.
void split_fill(struct sweep_plan *plan);

#endif
