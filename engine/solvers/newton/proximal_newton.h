// Nonsmooth Newton with proximal regularisation: what sweeps cannot do in reasonable time on
// masonry.
#ifndef ENGINE_SOLVERS_NEWTON_PROXIMAL_NEWTON_H
#define ENGINE_SOLVERS_NEWTON_PROXIMAL_NEWTON_H

#include "engine/solvers/monitor.h"
#include "engine/solvers/newton/resolvent.h"

// A stage of at most `budget` factorisations, from r; leaves the last impulses there. Returns how
// many it took.
int proximal_newton_run(struct monitor *monitor, struct resolvent *resolvent, int budget,
                        double *r);

#endif
