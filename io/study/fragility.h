// Fragility curves: the probability of an event against a level, as the distribution function of a
// lognormal variable.
//
// The median and the deviation are those of the largest likelihood, each level being a binomial
// trial: method and formulas as in J. W. Baker, Efficient analytical fragility function fitting
// using dynamic structural analysis, Earthquake Spectra 31 (2015) 579-599. Written as a probit
// regression on the logarithm of the level, the likelihood has one maximum, which Fisher's scoring
// finds from any start.
#ifndef IO_STUDY_FRAGILITY_H
#define IO_STUDY_FRAGILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "io/study/statistics.h"

struct stripe { // what was seen at one level
    double level;
    size_t trials, events;
};

enum fit_kind {
    FIT_NONE,    // no events, events only, or a probability that does not rise
    FIT_STEP,    // at most one level has both outcomes: the likelihood rises as deviation goes to 0
    FIT_REGULAR, // a maximum of the likelihood
};

struct lognormal {
    enum fit_kind kind;
    double median;
    double deviation;  // of the logarithm; 0 for a step
    double likelihood; // its logarithm, without the binomial coefficients; NAN but for FIT_REGULAR
};

// The levels are positive and rise.
struct lognormal lognormal_fit(const struct stripe *stripes, size_t count);
double lognormal_share(const struct lognormal *fit, double level);

struct observation { // one member of an ensemble
    size_t level;    // index of its level
    size_t unit;     // what is drawn again: a record that was used at several levels is one unit
    bool event;
};

struct bootstrap_request {
    const double *levels; // rising
    size_t level_count;
    const struct observation *observations;
    size_t observation_count, unit_count;
    int samples;
    uint64_t seed;
    double confidence;
    const double *grid; // levels at which the bounds of the curve are asked for
    size_t grid_count;
};

struct bootstrap {
    struct bounds median, deviation;
    struct bounds *curve; // at each level of the grid; the caller frees it with memory_free
    int fits, steps;      // samples with a fit, and those of them that are steps
};

// Draws the units with replacement, fits each sample and returns the percentiles of what was found.
// Outcomes of one record at several levels depend on each other: they stay together.
struct bootstrap fragility_bootstrap(const struct bootstrap_request *request);

// Counts the events of every level.
void fragility_stripes(const struct bootstrap_request *request, const size_t *unit_weights,
                       struct stripe *stripes);

#endif
