// The method admm: alternating directions with one factorisation, for cold starts of structures.
#ifndef ENGINE_SOLVERS_NEWTON_ADMM_H
#define ENGINE_SOLVERS_NEWTON_ADMM_H

#include <math.h>

#include "engine/solvers/monitor.h"
#include "engine/solvers/newton/resolvent.h"

// Iterations that are worth making where another method is at hand.
struct admm_worth {
    double trial; // to see how fast it converges
    double digit; // that cost as much as the other method takes for a digit of the residual
};
#define ADMM_PATIENT ((struct admm_worth){INFINITY, INFINITY})

// Runs a stage of at most `budget` iterations, starting from r, and leaves the last impulses in r.
// The stage is left once its rate of convergence makes it dearer than the other method. Returns how
// many iterations it took, all of which share one factorisation.
int admm_run(struct monitor *monitor, struct resolvent *resolvent, int budget,
             struct admm_worth worth, double *r);

#endif
