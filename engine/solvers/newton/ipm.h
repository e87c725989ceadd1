// The method ipm, an interior point method for problems on which sweeps stall.
#ifndef ENGINE_SOLVERS_NEWTON_IPM_H
#define ENGINE_SOLVERS_NEWTON_IPM_H

#include "engine/solvers/monitor.h"
#include "engine/solvers/newton/resolvent.h"

#define IPM_PATIENT 30

// Runs a stage of at most `budget` factorisations and returns how many it took. The stage ends
// after `patience` iterations without a better answer. r is not changed; the best impulses found
// are in the monitor.
int ipm_run(struct monitor *monitor, struct resolvent *resolvent, int budget, int patience,
            double *r);

#endif
