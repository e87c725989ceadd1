// Momentum: accelerates sweeps by Nesterov's extrapolation. The next sweep starts from y = r + beta
// (r - r_last) with beta growing as (k - 1)/(k + 2), where r are the impulses; velocities, being
// linear in r, are extrapolated with them. Mazhar, Heyn, Negrut, Tasora (2015) do the same to
// projected gradients, MuJoCo to its scalar sweeps. A Gauss-Seidel sweep is not a gradient step, so
// the extrapolation restarts (k = 0) as soon as it points against the sweep, (y - r).(r - r_last) >
// 0 (O'Donoghue and Candes 2015), or the change of a sweep grows too much. beta stays below 0.9:
// with larger values settled piles were seen to diverge. docs/solvers.md reports the gain.
#ifndef ENGINE_SOLVERS_SWEEP_MOMENTUM_H
#define ENGINE_SOLVERS_SWEEP_MOMENTUM_H

#include <limits.h>
#include <math.h>

#include "engine/solvers/sweep/sphere_sweep.h"

#define MOMENTUM_MAX 0.9

// Momentum restarts when the square of a sweep's change exceeds this multiple of that of the sweep
// before, or after a number of sweeps without a new smallest change. Problems of some thousand
// contacts gain from letting it swing; on larger ones the swings of distant parts add up, and any
// growth restarts. docs/solvers.md has the numbers. Swings must not build up: the change stays
// below a multiple of the smallest one since the restart, and after a restart without progress any
// growth restarts for the rest of the solve.
#define MOMENTUM_GROWTH_SMALL 4.0
#define MOMENTUM_GROWTH_LARGE 1.0
#define MOMENTUM_SWING        25.0 // times the square of the smallest change
#define MOMENTUM_WINDOW_SMALL 50
#define MOMENTUM_WINDOW_LARGE INT_MAX
#define MOMENTUM_LARGE        10000 // contacts and points of joints
#define MOMENTUM_GAIN         0.9   // of the square: what counts as a new smallest change

struct momentum {
    int k;
    double growth;         // allowed, of change2
    int window;            // sweeps
    double change2, best2; // struct sweep_sums of the previous sweep; the least since the restart
    double earlier2;       // the least before the restart
    int since;             // sweeps since the least
};

static inline struct momentum momentum_open(size_t contacts) {
    bool large = contacts >= MOMENTUM_LARGE;
    return (struct momentum){.k = 1,
                             .growth = large ? MOMENTUM_GROWTH_LARGE : MOMENTUM_GROWTH_SMALL,
                             .window = large ? MOMENTUM_WINDOW_LARGE : MOMENTUM_WINDOW_SMALL,
                             .change2 = INFINITY,
                             .best2 = INFINITY,
                             .earlier2 = INFINITY};
}

static inline double momentum_beta(const struct momentum *momentum) {
    double k = momentum->k;
    return momentum->k < 2 ? 0 : fmin((k - 1) / (k + 2), MOMENTUM_MAX);
}

static inline void momentum_restart(struct momentum *momentum) {
    if (!(momentum->best2 < momentum->earlier2)) {
        momentum->growth = MOMENTUM_GROWTH_LARGE;
        momentum->window = MOMENTUM_WINDOW_LARGE;
    }
    momentum->earlier2 = fmin(momentum->earlier2, momentum->best2);
    momentum->k = 0;
    momentum->change2 = momentum->best2 = INFINITY;
    momentum->since = 0;
}

static inline void momentum_update(struct momentum *momentum, const struct sweep_sums *total) {
    momentum->since++;
    if (!(total->change2 >= MOMENTUM_GAIN * momentum->best2)) {
        momentum->best2 = total->change2;
        momentum->since = 0;
    }
    bool against = total->alignment > 0 || total->change2 > momentum->growth * momentum->change2 ||
                   total->change2 > MOMENTUM_SWING * momentum->best2 ||
                   momentum->since > momentum->window;
    if (momentum->k > 1 && against) {
        momentum_restart(momentum);
        return;
    }
    momentum->change2 = total->change2;
    momentum->k++;
}

#endif
