// Momentum: accelerates sweeps by Nesterov's extrapolation. The next sweep starts from y = r + beta
// (r - r_last) with beta growing as (k - 1)/(k + 2), where r are the impulses; velocities, being
// linear in r, are extrapolated with them. Mazhar, Heyn, Negrut, Tasora (2015) do the same to
// projected gradients, MuJoCo to its scalar sweeps. A Gauss-Seidel sweep is not a gradient step, so
// the extrapolation restarts (k = 0) as soon as it points against the sweep, (y - r).(r - r_last) >
// 0 (O'Donoghue and Candes 2015), or the change of a sweep grows. beta stays below 0.9: with larger
// values settled piles were seen to diverge. docs/solvers.md reports the gain.
#ifndef ENGINE_SOLVERS_SWEEP_MOMENTUM_H
#define ENGINE_SOLVERS_SWEEP_MOMENTUM_H

#include <math.h>

#include "engine/solvers/sweep/sphere_sweep.h"

#define MOMENTUM_MAX 0.9

struct momentum { // every thread keeps its own copy of the same numbers
    int k;
    double change2; // struct sweep_sums of the previous sweep
};

static inline double momentum_beta(const struct momentum *momentum) {
    double k = momentum->k;
    return momentum->k < 2 ? 0 : fmin((k - 1) / (k + 2), MOMENTUM_MAX);
}

static inline void momentum_update(struct momentum *momentum, const struct sweep_sums *total) {
    bool against = total->alignment > 0 || total->change2 > momentum->change2;
    bool restart = momentum->k > 1 && against;
    momentum->change2 = restart ? INFINITY : total->change2;
    momentum->k = restart ? 0 : momentum->k + 1;
}

#endif
