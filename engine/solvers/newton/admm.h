// The method admm: alternating directions with one factorisation, for cold starts of structures.
#ifndef ENGINE_SOLVERS_NEWTON_ADMM_H
#define ENGINE_SOLVERS_NEWTON_ADMM_H

#include "engine/solvers/monitor.h"
#include "engine/solvers/newton/resolvent.h"

// Runs a stage of at most `budget` iterations, starting from r, and leaves the last impulses in r.
// The stage is left once its rate of convergence makes it dearer than another method, which costs
// as much as `digit` iterations for every digit of the residual (INFINITY: there is none). Returns
// how many iterations it took, all of which share one factorisation.
int admm_run(struct monitor *monitor, struct resolvent *resolvent, int budget, double digit,
             double *r);

#endif
