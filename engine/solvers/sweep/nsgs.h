// The method nsgs, nonsmooth Gauss-Seidel: solves contact after contact, sweep after sweep, until
// the residual of the contact law is below the tolerance (Jean 1999; Renouf, Dubois, Alart 2004;
// Renouf, Acary, Dumont 2005, section 6). One main loop serves two ways to sweep: over the plan of
// a problem with views (packed.h), or over the rows of any other problem (row_sweep.h).
#ifndef ENGINE_SOLVERS_SWEEP_NSGS_H
#define ENGINE_SOLVERS_SWEEP_NSGS_H

#include "engine/problem/residual.h"
#include "engine/solvers/monitor.h"
#include "engine/solvers/sweep/rate.h"
#include "engine/solvers/sweep/sphere_sweep.h"

// One way to sweep.
struct sweeper {
    // Takes the start impulses and measures the free velocities.
    void (*start)(void *context);
    // Makes a sweep with momentum beta.
    void (*sweep)(void *context, double beta);
    // Returns what the last sweep changed.
    struct sweep_sums (*change)(const void *context);
    // Prepares the next sweep: extrapolates impulses and velocities by the momentum.
    void (*extrapolate)(void *context, double beta);
    // Measures the impulses of the last sweep: the sums go to the context.
    void (*check)(void *context);
};

// Decides whether sweeps are worth going on with, where another method is at hand.
struct sweep_judge {
    double coldest; // scaled residual of the start above which no sweep is made
    double worth;   // sweeps that are worth making; INFINITY: any number
    double effort;  // the same once the scaled residual is below `enough`
    double enough;
    // Results: the scaled residual of the start, and the sweeps that the solution takes or was
    // expected to take when the sweeps were given up.
    double first, expected;
    struct rate rate;
};

// Sweeps over the plan of a problem with views until it is solved, at the cap of the monitor, or
// not worth the trouble (SOLVER_STALLED). The start is measured first; it may be the solution.
void nsgs_judged(struct monitor *monitor, struct sweep_judge *judge, vec3 *r);

#endif
