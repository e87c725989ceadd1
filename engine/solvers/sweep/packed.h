// Sweeps over a plan (engine/solvers/sweep/plan.h) by the threads of a team. Functions that take
// `thread` are called by all threads of a parallel region with the same other arguments, and end in
// a barrier.
#ifndef ENGINE_SOLVERS_SWEEP_PACKED_H
#define ENGINE_SOLVERS_SWEEP_PACKED_H

#include "engine/problem/residual.h"
#include "engine/solvers/sweep/lane_sweep.h"
#include "engine/solvers/sweep/plan.h"
#include "engine/solvers/sweep/sphere_sweep.h"

struct packed {
    struct sweep_plan *plan;
    const struct solver_settings *settings;
    int threads; // as many as the size of the plan is worth
    sphere_sweep_function sphere_sweep;
    const struct lane_kernel *lane_kernel;
    // One per thread. Of sweeps by parity: the last ones are still read while the next are written.
    struct residual_tally *measured;
    struct sweep_tally *changed[2];
    struct residual_tally free; // of all contacts, what their free velocities add
    struct residual_sums total;
    int64_t *fallbacks; // one per thread
};

struct packed packed_open(struct sweep_plan *plan, const struct solver_settings *settings);
int64_t packed_close(struct packed *packed); // returns the fallbacks of local solvers

// Sets the velocities of the bodies to the free ones, for a plan without contacts.
void packed_rest(struct packed *packed);

// The functions of a struct sweeper (nsgs.h); context is a struct packed.
void packed_start(void *context, int thread, int threads);
void packed_sweep(void *context, int sweep, double beta, int thread, int threads);
struct sweep_sums packed_change(const void *context, int sweep);
void packed_extrapolate(void *context, double beta, int thread, int threads);
void packed_check(void *context, int thread, int threads);

#endif
