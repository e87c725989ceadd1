// The rate of convergence of sweeps: predicts how many more a solution takes.
#ifndef ENGINE_SOLVERS_SWEEP_RATE_H
#define ENGINE_SOLVERS_SWEEP_RATE_H

#include <math.h>
#include <stdbool.h>

// Measures at two earlier sweeps, `before` and `mark`, about a half and two thirds of the way to
// the present one. The rate since `before` follows sweeps that gain or lose speed without being
// misled by a single check.
struct rate {
    int mark, before;
    double mark_measure, before_measure;
};

static inline struct rate rate_open(double start) {
    return (struct rate){.mark_measure = start, .before_measure = start};
}

// Returns the sweeps that are missing after `sweep` of them; INFINITY where nothing was gained.
static inline double rate_left(struct rate *rate, int sweep, double measure, double tolerance) {
    if (2 * sweep >= 3 * rate->mark && sweep > rate->mark) {
        rate->before = rate->mark;
        rate->before_measure = rate->mark_measure;
        rate->mark = sweep;
        rate->mark_measure = measure;
    }
    double gain = log(rate->before_measure / measure) / (sweep - rate->before);
    return gain > 0 ? fmax(log(measure / tolerance) / gain, 0) : INFINITY;
}

// A rate says little before this share of the sweeps that are worth making: the first sweeps from a
// good start often make the residual grow. And the tail is longer than the rate predicts: sweeps
// are left when more than this share of those worth making is missing.
#define RATE_EARLY 0.2
#define RATE_LEFT  0.5

// Returns whether sweeps are to be left, where `worth` of them would cost as much as another
// method.
static inline bool rate_hopeless(int sweep, double left, double worth) {
    return sweep >= RATE_EARLY * worth && left > RATE_LEFT * worth;
}

#endif
