// Nonsmooth Gauss-Seidel: block by block over the coloured contacts until the residual of the
// contact law is below the tolerance (Renouf, Acary, Dumont 2005, section 6; Jean 1999).
#ifndef ENGINE_SOLVERS_SWEEP_NSGS_H
#define ENGINE_SOLVERS_SWEEP_NSGS_H

#include "engine/problem/problem.h"

struct nsgs_result {
    bool converged;
    int sweeps; // or iterations, as the method counts
    double residual, residual_fclib;
    double swelling; // velocities that single impulses cause, to those that there are
    int64_t local_fallbacks;
    char refusal[200]; // "", or why the method does not take this problem
};

// Leaves the impulses in the problem and the velocities they give in its solver bodies.
struct nsgs_result nsgs_solve(struct gabion_world *world);

// The same for impulses as they are: how good they are and the velocities that they give.
struct nsgs_result nsgs_measure(struct gabion_world *world);

#endif
