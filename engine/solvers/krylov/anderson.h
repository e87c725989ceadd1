// Accelerated sweeps until they stall: the first stage of a chain.
#ifndef ENGINE_SOLVERS_KRYLOV_ANDERSON_H
#define ENGINE_SOLVERS_KRYLOV_ANDERSON_H

#include "engine/solvers/monitor.h"

#define ANDERSON_PATIENT INT32_MAX

// Sweeps until the monitor says stop (true) or the best measure has not fallen to a tenth within
// `window` sweeps (false).
bool anderson_run(struct monitor *monitor, int window, double *r);

#endif
