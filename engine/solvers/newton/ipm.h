// Interior point method: the problems on which sweeps stall.
#ifndef ENGINE_SOLVERS_NEWTON_IPM_H
#define ENGINE_SOLVERS_NEWTON_IPM_H

#include "engine/solvers/monitor.h"
#include "engine/solvers/newton/resolvent.h"

// A stage of at most `budget` factorisations. Returns how many it took; r is left as it was, what
// was found is the monitor's best.
int ipm_run(struct monitor *monitor, struct resolvent *resolvent, int budget, double *r);

#endif
