// Predicts the cost of a factorisation of the resolvent (engine/solvers/newton/resolvent.h) without
// memory for its factors, which in large heaps of grains would not fit.
#ifndef ENGINE_SOLVERS_NEWTON_FILL_H
#define ENGINE_SOLVERS_NEWTON_FILL_H

#include "engine/problem/contact_problem.h"

// Returns about as many multiplications as resolvent_cost. The problem must have rows or a matrix.
double fill_cost(const struct contact_problem *problem);

#endif
