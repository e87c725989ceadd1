// Solvers side by side on one contact problem. Each entrant times its own solve alone: what it
// needs to have the problem in its own form is not counted. Everything runs on one thread, with
// tests/bench/watch.h; OPENBLAS_NUM_THREADS=1 sees to it that Siconos does.
#ifndef TESTS_BENCH_RACE_H
#define TESTS_BENCH_RACE_H

#include "engine/problem/contact_problem.h"

struct race_run {
    double seconds;
    int iterations;
};

struct entrant {
    const char *name;
    bool ours;
    // From r = 0 until the solver says that the error of FCLIB is at most `tolerance`, or gives up.
    struct race_run (*solve)(const struct entrant *entrant, struct contact_problem *problem,
                             double tolerance, double *r);
    int method;          // ours: enum gabion_method
    const void *setting; // others: what `solve` understands
};

// Strong settings of Siconos, fast ones first. 0 where it was not there to compile against.
size_t siconos_entrants(const struct entrant **entrants);

#endif
