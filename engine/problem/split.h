// Mass splitting: the copies of busy bodies (struct split_body, engine/problem/problem.h) among the
// solver bodies.
#ifndef ENGINE_PROBLEM_SPLIT_H
#define ENGINE_PROBLEM_SPLIT_H

#include "engine/problem/problem.h"

// Makes numbers for the copies; they are filled later.
void split_add(struct problem *problem, int32_t body, int32_t copies);

// Of all splits, an equal share of the mass each, and the null body behind them.
void split_fill(struct problem *problem);

#endif
