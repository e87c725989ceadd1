// Nonsmooth Gauss-Seidel: contact after contact until the residual of the contact law is below the
// tolerance (Jean 1999; Renouf, Dubois, Alart 2004; Renouf, Acary, Dumont 2005, section 6). There
// is one driver; it sweeps over the packed plan of a problem with views, or over the rows of any
// other.
#ifndef ENGINE_SOLVERS_SWEEP_NSGS_H
#define ENGINE_SOLVERS_SWEEP_NSGS_H

#include "engine/problem/residual.h"
#include "engine/solvers/monitor.h"
#include "engine/solvers/sweep/sphere_sweep.h"

// One way to sweep. The functions are called by all threads of a region.
struct sweeper {
    // Takes the start impulses and measures the free velocities.
    void (*start)(void *context, int thread, int threads);
    // Sweep number `sweep`, with momentum beta.
    void (*sweep)(void *context, int sweep, double beta, int thread, int threads);
    // Returns what that sweep changed.
    struct sweep_sums (*change)(const void *context, int sweep);
    // Prepares the next sweep from what was found so far and the momentum.
    void (*extrapolate)(void *context, double beta, int thread, int threads);
    // Measures the impulses of the last sweep, by thread 0 into *total.
    void (*check)(void *context, int thread, int threads);
};

#endif
