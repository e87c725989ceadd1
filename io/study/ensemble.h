// Ensembles: members that differ in repetitions alone (records, seeds) form a group; groups get
// probabilities and means with confidence bounds, and groups along a variable a fragility curve.
#ifndef IO_STUDY_ENSEMBLE_H
#define IO_STUDY_ENSEMBLE_H

#include "io/study/fragility.h"
#include "io/study/sheet.h"
#include "io/study/study.h"

struct sample { // one finished member, or one search that found its threshold
    size_t point;
    enum answer event;
    const double *results;
};

struct ensemble_request {
    const struct study *study;
    const struct sample *samples;
    size_t count;
    const char *const *result_names;
    size_t result_count;
};

// Fills a sheet: the values of each group, its size, probability and means.
void ensemble_groups(const struct ensemble_request *request, struct sheet *sheet);

#define ENSEMBLE_GRID 101 // points of a curve as drawn

struct ensemble_curve {
    char label[256]; // values of the variables that tell curves apart; "" for a single one
    size_t first;    // a sample of the curve
    struct lognormal fit;
    struct bootstrap bounds;
    struct stripe *stripes;
    size_t stripe_count, observation_count, unit_count;
    double grid[ENSEMBLE_GRID];
};

// Fits a curve for each combination of the variables that are neither repetitions nor the one that
// the curve is against. The caller frees the list with ensemble_curves_free.
struct ensemble_curve *ensemble_curves(const struct ensemble_request *request, size_t *count);
void ensemble_curves_free(struct ensemble_curve *curves, size_t count);
void ensemble_fits(const struct ensemble_request *request, const struct ensemble_curve *curves,
                   size_t count, struct sheet *sheet);

#endif
