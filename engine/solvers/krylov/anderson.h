// The method anderson: accelerated sweeps until they stall. It is also the first stage of chains of
// methods.
#ifndef ENGINE_SOLVERS_KRYLOV_ANDERSON_H
#define ENGINE_SOLVERS_KRYLOV_ANDERSON_H

#include "engine/solvers/monitor.h"

// Returns the sweeps that cost as much as another method.
typedef double anderson_worth(const struct contact_problem *problem, double tolerance);

// Sweeps until the monitor says stop (returns true) or the rate of convergence predicts that the
// sweeps missing cost more than another method (returns false). What they are worth is asked for
// once some sweeps were made; NULL: any number. The start r need not have been measured: where the
// first sweep solves the problem it never is.
bool anderson_run(struct monitor *monitor, anderson_worth *worth, double *r);

#endif
