// The method anderson: accelerated sweeps until they stall. It is also the first stage of chains of
// methods.
#ifndef ENGINE_SOLVERS_KRYLOV_ANDERSON_H
#define ENGINE_SOLVERS_KRYLOV_ANDERSON_H

#include <math.h>

#include "engine/solvers/monitor.h"

#define ANDERSON_PATIENT INFINITY

// Sweeps until the monitor says stop (returns true) or the rate of convergence predicts more than
// `worth` further sweeps (returns false).
bool anderson_run(struct monitor *monitor, double worth, double *r);

#endif
