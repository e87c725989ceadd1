// Measures the residual (engine/problem/residual.h) over the contacts of a sweep plan, chunk by
// chunk.
#ifndef ENGINE_SOLVERS_SWEEP_MEASURE_H
#define ENGINE_SOLVERS_SWEEP_MEASURE_H

#include "engine/problem/residual.h"
#include "engine/solvers/sweep/plan.h"

// Add the contribution of one chunk. For measure_free and measure_limited, plan->bodies must hold
// the free velocities; for measure_solved, the velocities that the impulses cause. The number is
// the floor of the problem, or for measure_limited the largest squared speed that counts.
typedef void (*measure_function)(const struct sweep_plan *plan, const struct chunk *chunk,
                                 double limit, struct residual_tally *tally);
void measure_free(const struct sweep_plan *plan, const struct chunk *chunk, double floor,
                  struct residual_tally *tally);
void measure_limited(const struct sweep_plan *plan, const struct chunk *chunk, double fast2,
                     struct residual_tally *tally);
void measure_solved(const struct sweep_plan *plan, const struct chunk *chunk, double floor,
                    struct residual_tally *tally);

// Finds the bodies of the contact with the name residual_sums.worst. Returns false for 0: no
// contact has an error.
bool measure_place(int64_t place, int32_t *c, int32_t *a);

#endif
