// The kernel that sweeps over sphere contacts, where most of the time of a run with grains is
// spent. One source is compiled once per instruction set; every version does the same operations in
// the same order and gives the same bits.
#ifndef ENGINE_SOLVERS_SWEEP_SPHERE_SWEEP_H
#define ENGINE_SOLVERS_SWEEP_SPHERE_SWEEP_H

#include "engine/solvers/sweep/plan.h"
#include "engine/solvers/sweep/tally.h"

// A Gauss-Seidel pass over the groups [begin, end) of a batch, extrapolated by the momentum.
struct sweep_call {
    struct solver_body *bodies;
    struct sphere_group *groups;
    struct lane_vector *last;
    const struct batch *batch;
    double omega, beta;
};

typedef void (*sphere_sweep_function)(const struct sweep_call *call, uint32_t begin, uint32_t end,
                                      struct sweep_tally *tally);

void sphere_sweep_baseline(const struct sweep_call *call, uint32_t begin, uint32_t end,
                           struct sweep_tally *tally);
#ifdef __x86_64__
void sphere_sweep_avx2(const struct sweep_call *call, uint32_t begin, uint32_t end,
                       struct sweep_tally *tally);
void sphere_sweep_avx512(const struct sweep_call *call, uint32_t begin, uint32_t end,
                         struct sweep_tally *tally);
#endif

// Returns the fastest version that this processor can run, but none that is faster than
// GABION_KERNEL in the environment asks for: baseline or avx2.
sphere_sweep_function sphere_sweep_choose(const char **name);

#endif
