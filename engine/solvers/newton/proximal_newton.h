// The method newton: nonsmooth Newton with proximal regularisation, for problems such as masonry on
// which sweeps converge too slowly.
#ifndef ENGINE_SOLVERS_NEWTON_PROXIMAL_NEWTON_H
#define ENGINE_SOLVERS_NEWTON_PROXIMAL_NEWTON_H

#include "engine/solvers/monitor.h"
#include "engine/solvers/newton/resolvent.h"

// Which velocities a stage starts from, where the problem is between bodies.
enum newton_start {
    NEWTON_FROM_DRIFT,    // those before the step: they belong to the impulses of the last step
    NEWTON_FROM_IMPULSES, // those that follow from r: a stage before found it
};

// Runs a stage of at most `budget` factorisations, starting from r, and leaves the last impulses in
// r. Returns how many factorisations it took.
int proximal_newton_run(struct monitor *monitor, struct resolvent *resolvent, int budget,
                        enum newton_start from, double *r);

// Returns whether newton prefers impulses with this scaled residual and growth (residual_swelling)
// to none as its start.
bool proximal_newton_starts_from(double residual, double swelling);

#endif
