// The method anderson: accelerated sweeps until they stall. It is also the first stage of chains of
// methods.
#ifndef ENGINE_SOLVERS_KRYLOV_ANDERSON_H
#define ENGINE_SOLVERS_KRYLOV_ANDERSON_H

#include "engine/solvers/monitor.h"

#define ANDERSON_PATIENT INT32_MAX

// Sweeps until the monitor says stop (returns true) or the best measure has not fallen to a tenth
// within `window` sweeps (returns false).
bool anderson_run(struct monitor *monitor, int window, double *r);

#endif
