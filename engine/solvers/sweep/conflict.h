// What must hold of every plan: threads that sweep one colour never meet.
#ifndef ENGINE_SOLVERS_SWEEP_CONFLICT_H
#define ENGINE_SOLVERS_SWEEP_CONFLICT_H

#include "engine/solvers/sweep/plan.h"

#define CONFLICT_NONE    (-1)
#define CONFLICT_OUTSIDE (-2) // some index is not that of a solver body

// Returns the first moving body, or copy of one, that two nodes of the same colour share. Debug
// builds call it for every plan.
int32_t conflict_find(const struct sweep_plan *plan);

#endif
