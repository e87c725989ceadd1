// The kernel that sweeps over sphere contacts, where most of the time of a run with grains is
// spent. One source is compiled once per instruction set; every version does the same operations in
// the same order and gives the same bits.
#ifndef ENGINE_SOLVERS_SWEEP_SPHERE_SWEEP_H
#define ENGINE_SOLVERS_SWEEP_SPHERE_SWEEP_H

#include "engine/solvers/sweep/plan.h"

// What one Gauss-Seidel pass over the groups [begin, end) of a batch changed. The pass extrapolates
// each contact by the momentum (engine/solvers/sweep/momentum.h): y is the impulse found in the
// group, r the local solution; the group is left with r + beta (r - last), and `last` with r. w_t
// is the tangential entry of the contact's W.
struct sweep_sums {
    double alignment; // sum of w_t (y - r).(r - last)
    double change2;   // sum of w_t |y - r|^2
    double largest2;  // max of w_t^2 |y - r|^2: a velocity, squared
};

struct sweep_call {
    struct solver_body *bodies;
    struct sphere_group *groups;
    struct lane_vector *last;
    const struct batch *batch;
    double omega, beta;
};

typedef void (*sphere_sweep_function)(const struct sweep_call *call, uint32_t begin, uint32_t end,
                                      struct sweep_sums *sums);

void sphere_sweep_baseline(const struct sweep_call *call, uint32_t begin, uint32_t end,
                           struct sweep_sums *sums);
#ifdef __x86_64__
void sphere_sweep_avx2(const struct sweep_call *call, uint32_t begin, uint32_t end,
                       struct sweep_sums *sums);
#endif

// Returns the fastest version that this processor can run; GABION_KERNEL=baseline in the
// environment selects the baseline.
sphere_sweep_function sphere_sweep_choose(const char **name);

#endif
