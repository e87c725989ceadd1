// The kernel that sweeps over lane blocks (engine/solvers/sweep/plan.h), where most of the time of
// a run with masonry is spent. One source is compiled once per instruction set
// (engine/solvers/sweep/lanes.h).
#ifndef ENGINE_SOLVERS_SWEEP_LANE_SWEEP_H
#define ENGINE_SOLVERS_SWEEP_LANE_SWEEP_H

#include "engine/solvers/sweep/sphere_sweep.h"

struct lane_call {
    const struct sweep_plan *plan;
    double mu, omega, beta;
    int64_t fallbacks; // counts the contacts on which the local solver failed
};

// Makes one Gauss-Seidel pass over the points of the lane blocks [begin, end) of a batch, as
// described in sphere_sweep.h.
typedef void (*lane_sweep_function)(struct lane_call *call, uint32_t begin, uint32_t end,
                                    struct sweep_tally *tally);

// Adds the impulses of the lane blocks [begin, end) to the velocities of their bodies.
typedef void (*lane_apply_function)(const struct lane_call *call, uint32_t begin, uint32_t end);

struct lane_kernel {
    lane_sweep_function sweep;
    lane_apply_function apply;
};

extern const struct lane_kernel lane_kernel_baseline;
#ifdef __x86_64__
extern const struct lane_kernel lane_kernel_avx2;
#endif

// Returns the version that goes with that of sphere_sweep_choose.
const struct lane_kernel *lane_kernel_choose(void);

#endif
