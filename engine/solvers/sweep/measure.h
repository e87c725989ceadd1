// The residual over the contacts of a plan, chunk by chunk.
#ifndef ENGINE_SOLVERS_SWEEP_MEASURE_H
#define ENGINE_SOLVERS_SWEEP_MEASURE_H

#include "engine/problem/residual.h"
#include "engine/solvers/sweep/plan.h"

// Add the part of one chunk. The first wants the free velocities in plan->bodies, the second those
// that the impulses give.
void measure_free(const struct sweep_plan *plan, const struct chunk *chunk,
                  struct residual_sums *sums);
void measure_solved(const struct sweep_plan *plan, const struct chunk *chunk,
                    struct residual_sums *sums);

#endif
