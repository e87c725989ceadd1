// Sweeps over a plan (engine/solvers/sweep/plan.h) by the threads of its team.
#ifndef ENGINE_SOLVERS_SWEEP_PACKED_H
#define ENGINE_SOLVERS_SWEEP_PACKED_H

#include <stdatomic.h>

#include "engine/problem/residual.h"
#include "engine/solvers/sweep/lane_sweep.h"
#include "engine/solvers/sweep/plan.h"
#include "engine/solvers/sweep/sphere_sweep.h"

struct packed {
    struct sweep_plan *plan;
    const struct solver_settings *settings;
    sphere_sweep_function sphere_sweep;
    const struct lane_kernel *lane_kernel;
    struct residual_tally *measured; // one per chunk
    struct sweep_tally *changed;     // one per chunk, of the last sweep
    struct sweep_sums change;        // of the last sweep
    struct residual_tally free;      // of all contacts, what their free velocities add
    struct residual_sums total;
    _Atomic int64_t fallbacks;
};

// Where the vector r has enough room beyond its slots (settings->spare), sweeps write over it.
// NULL: there are none.
struct packed packed_open(struct sweep_plan *plan, const struct solver_settings *settings, vec3 *r);
int64_t packed_close(struct packed *packed); // returns the fallbacks of local solvers

// Measures the impulses of the plan and sets the velocities that they cause.
void packed_measure(struct packed *packed);

// Sets the velocities of the bodies to the free ones, for a plan without contacts.
void packed_rest(struct packed *packed);

// The functions of a struct sweeper (nsgs.h); context is a struct packed.
void packed_start(void *context);
void packed_sweep(void *context, double beta);
struct sweep_sums packed_change(const void *context);
void packed_extrapolate(void *context, double beta);
void packed_check(void *context);

#endif
