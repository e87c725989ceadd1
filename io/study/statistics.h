// Statistics of ensembles: confidence bounds of shares and means, quantiles.
#ifndef IO_STUDY_STATISTICS_H
#define IO_STUDY_STATISTICS_H

#include <stddef.h>

struct bounds {
    double low, high;
};

double normal_share(double z);        // distribution function of the standard normal
double normal_quantile(double share); // its inverse, for shares in (0, 1)
double normal_log_share(double z);    // logarithm of normal_share, also far down the tail
double normal_hazard(double z);       // density over normal_share, also far down the tail
double student_share(double t, double freedom);
double student_quantile(double share, double freedom);

// Returns the bounds of a probability of which `events` in `trials` were seen (Wilson 1927). They
// stay in [0, 1] and are useful for few trials and for no events at all, where the usual normal
// bounds are not.
struct bounds wilson_bounds(size_t events, size_t trials, double confidence);

struct moments {
    size_t count;
    double mean, deviation; // deviation of the sample, with count - 1; NAN for less than two values
    struct bounds bounds;   // of the mean (Student); NAN for less than two values
};
struct moments moments_of(const double *values, size_t count, double confidence);

// Sorts the values and returns the one below which a share of them lies, linear between two.
void values_sort(double *values, size_t count);
double sorted_quantile(const double *sorted, size_t count, double share);

#endif
