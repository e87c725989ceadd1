// Mass splitting: a body with more contacts than there are colours is represented by several solver
// bodies (struct split_body of engine/solvers/sweep/plan.h).
#ifndef ENGINE_SOLVERS_SWEEP_SPLIT_H
#define ENGINE_SOLVERS_SWEEP_SPLIT_H

#include "engine/solvers/sweep/plan.h"

// Assigns numbers to the copies of a body; split_fill fills them later.
void split_add(struct sweep_plan *plan, int32_t body, int32_t copies);

// Fills all copies, with an equal share of the mass each, and the null body after them.
void split_fill(struct sweep_plan *plan);

// Returns the body that a solver body is, or is a copy of.
int32_t split_whole(const struct sweep_plan *plan, int32_t index);

// Returns a name of a solver body that every rank gives it: its body, then the number of the copy.
uint64_t split_name(const struct sweep_plan *plan, int32_t index);

#endif
