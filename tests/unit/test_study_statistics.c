// Statistics of studies against published values and closed forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "io/study/fragility.h"
#include "io/study/statistics.h"
#include "parallel/memory.h"

static void assert_within(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g +- %g", value, expected, tolerance);
}

// Tables of the normal and of Student's distribution (Abramowitz and Stegun, tables 26.1, 26.10).
static void quantiles_are_those_of_the_tables(void **state) {
    (void)state;
    assert_within(normal_quantile(0.975), 1.959963984540054, 1e-12);
    assert_within(normal_quantile(0.5), 0, 1e-12);
    assert_within(normal_quantile(1e-10), -6.361340902404056, 1e-10);
    assert_within(student_quantile(0.975, 1), 12.706204736, 1e-7);
    assert_within(student_quantile(0.975, 4), 2.776445105, 1e-8);
    assert_within(student_quantile(0.95, 10), 1.812461123, 1e-8);
    assert_within(student_quantile(0.025, 30), -2.042272456, 1e-8);
    // With one degree of freedom it is Cauchy's: 1/2 + atan(t)/pi.
    assert_within(student_share(3.7, 1), 0.5 + atan(3.7) / M_PI, 1e-14);
    assert_within(student_share(-0.2, 1), 0.5 + atan(-0.2) / M_PI, 1e-14);
}

// Far down the tail, against the first terms of the asymptotic series at the place where the
// functions change over: both sides must agree.
static void tails_join(void **state) {
    (void)state;
    assert_within(normal_log_share(-30.000001) - normal_log_share(-29.999999), -6.01e-5, 1e-5);
    assert_within(normal_hazard(-30.000001) / normal_hazard(-29.999999), 1, 1e-5);
    assert_within(normal_hazard(0), 2 / sqrt(2 * M_PI), 1e-15);
    assert_true(isfinite(normal_log_share(-1e6)));
}

// Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3 (score): 81/263, 15/148,
// 0/20 and 1/29.
static void wilson_is_as_published(void **state) {
    (void)state;
    static const struct {
        size_t events, trials;
        double low, high;
    } published[] = {{81, 263, 0.2553, 0.3662},
                     {15, 148, 0.0624, 0.1605},
                     {0, 20, 0.0000, 0.1611},
                     {1, 29, 0.0061, 0.1718}};
    for (size_t i = 0; i < 4; i++) {
        struct bounds found = wilson_bounds(published[i].events, published[i].trials, 0.95);
        assert_within(found.low, published[i].low, 6e-5);
        assert_within(found.high, published[i].high, 6e-5);
    }
    assert_true(wilson_bounds(0, 0, 0.95).low == 0 && wilson_bounds(0, 0, 0.95).high == 1);
    assert_true(wilson_bounds(7, 7, 0.95).high == 1);
}

// Mean 3, variance 10/4; t(0.975, 4) = 2.776445105.
static void means_have_students_bounds(void **state) {
    (void)state;
    const double values[] = {1, 2, 3, 4, 5};
    struct moments found = moments_of(values, 5, 0.95);
    assert_within(found.mean, 3, 1e-15);
    assert_within(found.deviation, sqrt(2.5), 1e-15);
    assert_within(found.bounds.high, 3 + 2.776445105 * sqrt(0.5), 1e-8);
    assert_true(isnan(moments_of(values, 1, 0.95).bounds.low));
    assert_true(isnan(moments_of(values, 0, 0.95).mean));
}

static void quantiles_of_samples_interpolate(void **state) {
    (void)state;
    double values[] = {4, 1, 3, 2};
    values_sort(values, 4);
    assert_within(sorted_quantile(values, 4, 0), 1, 0);
    assert_within(sorted_quantile(values, 4, 0.5), 2.5, 1e-15);
    assert_within(sorted_quantile(values, 4, 1), 4, 0);
}

// The beetles of Bliss (1935), with the probit fit that A. J. Dobson, An introduction to
// generalized linear models (2nd edition 2002, table 7.4) prints: -34.94 + 19.73 log10(dose).
static void probit_of_bliss_is_as_published(void **state) {
    (void)state;
    static const double dose[] = {1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839};
    static const size_t beetles[] = {59, 60, 62, 56, 63, 59, 62, 60};
    static const size_t killed[] = {6, 13, 18, 28, 52, 53, 61, 60};
    struct stripe stripes[8];
    for (size_t i = 0; i < 8; i++)
        stripes[i] = (struct stripe){pow(10, dose[i]), beetles[i], killed[i]};
    struct lognormal fit = lognormal_fit(stripes, 8);
    assert_int_equal(fit.kind, FIT_REGULAR);
    assert_within(log(10) / fit.deviation, 19.73, 0.005);
    assert_within(-log(fit.median) / fit.deviation, -34.94, 0.005);
    assert_within(lognormal_share(&fit, fit.median), 0.5, 1e-15);
}

// Two levels are met exactly: two parameters for two probabilities.
static void two_levels_are_met(void **state) {
    (void)state;
    const struct stripe stripes[] = {{1, 4, 1}, {2, 4, 3}};
    struct lognormal fit = lognormal_fit(stripes, 2);
    assert_int_equal(fit.kind, FIT_REGULAR);
    assert_within(fit.median, sqrt(2), 1e-12);
    assert_within(fit.deviation, log(2) / (2 * normal_quantile(0.75)), 1e-12);
    assert_within(lognormal_share(&fit, 1), 0.25, 1e-12);
}

static void what_cannot_be_fitted_is_said(void **state) {
    (void)state;
    const struct stripe none[] = {{1, 4, 0}, {2, 4, 0}}, all[] = {{1, 4, 4}, {2, 4, 4}};
    const struct stripe falls[] = {{1, 4, 3}, {2, 4, 1}}, back[] = {{1, 4, 4}, {2, 4, 0}};
    const struct stripe parted[] = {{1, 4, 0}, {4, 4, 4}};
    const struct stripe mixed[] = {{1, 4, 0}, {2, 4, 1}, {4, 4, 4}};
    assert_int_equal(lognormal_fit(none, 2).kind, FIT_NONE);
    assert_int_equal(lognormal_fit(all, 2).kind, FIT_NONE);
    assert_int_equal(lognormal_fit(falls, 2).kind, FIT_NONE);
    assert_int_equal(lognormal_fit(back, 2).kind, FIT_NONE);
    struct lognormal step = lognormal_fit(parted, 2);
    assert_int_equal(step.kind, FIT_STEP);
    assert_within(step.median, 2, 1e-15);
    step = lognormal_fit(mixed, 3);
    assert_int_equal(step.kind, FIT_STEP);
    assert_within(step.median, 2, 1e-15);
    assert_within(lognormal_share(&step, 1.9), 0, 0);
    assert_within(lognormal_share(&step, 2.1), 1, 0);
}

// 200 units with capacities of a known lognormal distribution, each tried at every level: the fit
// finds the distribution, and the bounds hold it. The deviation of the median's estimate is about
// deviation / sqrt(units), which the width of the bounds must be near.
static void bootstrap_bounds_hold_what_is_known(void **state) {
    (void)state;
    enum { UNITS = 200, LEVELS = 8 };
    static struct observation seen[UNITS * LEVELS];
    double levels[LEVELS], grid[1] = {1};
    for (size_t k = 0; k < LEVELS; k++)
        levels[k] = 0.3 * pow(10, (double)k / (LEVELS - 1));
    for (size_t u = 0; u < UNITS; u++) {
        double capacity = exp(0.4 * normal_quantile((u + 0.5) / UNITS));
        for (size_t k = 0; k < LEVELS; k++)
            seen[u * LEVELS + k] = (struct observation){k, u, levels[k] > capacity};
    }
    struct bootstrap_request request = {levels, LEVELS, seen, UNITS * LEVELS, UNITS,
                                        400,    3,      0.95, grid,           1};
    struct stripe stripes[LEVELS];
    fragility_stripes(&request, NULL, stripes);
    struct lognormal fit = lognormal_fit(stripes, LEVELS);
    assert_within(fit.median, 1, 0.02);
    assert_within(fit.deviation, 0.4, 0.02);
    struct bootstrap found = fragility_bootstrap(&request);
    assert_int_equal(found.fits, 400);
    assert_true(found.median.low < 1 && found.median.high > 1);
    assert_true(found.deviation.low < 0.4 && found.deviation.high > 0.4);
    assert_true(found.curve[0].low < 0.5 && found.curve[0].high > 0.5);
    double expected = 2 * 1.96 * 0.4 / sqrt(UNITS), width = found.median.high - found.median.low;
    assert_within(width / expected, 1.1, 0.35);
    struct bootstrap again = fragility_bootstrap(&request);
    assert_true(again.median.low == found.median.low && again.median.high == found.median.high);
    memory_free(found.curve);
    memory_free(again.curve);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(tails_join),
        cmocka_unit_test(wilson_is_as_published),
        cmocka_unit_test(means_have_students_bounds),
        cmocka_unit_test(quantiles_of_samples_interpolate),
        cmocka_unit_test(probit_of_bliss_is_as_published),
        cmocka_unit_test(two_levels_are_met),
        cmocka_unit_test(what_cannot_be_fitted_is_said),
        cmocka_unit_test(bootstrap_bounds_hold_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
