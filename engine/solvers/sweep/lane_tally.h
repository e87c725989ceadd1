// The sums of a sweep (engine/solvers/sweep/tally.h), formed by kernels lane by lane.
#ifndef ENGINE_SOLVERS_SWEEP_LANE_TALLY_H
#define ENGINE_SOLVERS_SWEEP_LANE_TALLY_H

#include <float.h>

#include "engine/solvers/sweep/lanes.h"

// A tally lane by lane, in multiples of the units of its two digits. As numbers these are exact:
// a call of the kernel adds a few hundred digits of 36 bits.
struct lane_tally {
    struct sweep_tally *total;
    double bound;
    lanes most; // the largest number below the bound; 0 where the bound is
    lanes rounder[BINNED_COARSE];
    lanes alignment[BINNED_COARSE], change2[BINNED_COARSE], largest2;
};

INLINE void open_tally(struct lane_tally *tally, struct sweep_tally *total) {
    double bound = tally_bound(total);
    double most = bound > 0 ? bound - bound * (0.5 * DBL_EPSILON) : 0; // bounds are powers of two
    *tally = (struct lane_tally){.total = total, .bound = bound, .most = splat(most)};
    for (int k = 0; k < BINNED_COARSE; k++)
        tally->rounder[k] = splat(binned_rounder(bound, k));
}

static void add_digits(const lanes *digits, double bound, struct binned_sum *sum) {
    double per_unit = 0x1p35 / bound;
    binned_raise(sum, bound);
    for (int k = 0; k < BINNED_COARSE; k++, per_unit *= 0x1p36) {
        double digit = 0;
        for (int lane = 0; lane < WIDTH; lane++)
            digit += digits[k][lane];
        sum->word[k] += (int64_t)(digit * per_unit);
    }
}

static void close_tally(const struct lane_tally *tally) {
    struct sweep_tally *total = tally->total;
    double bound = tally->bound;
    if (bound > 0) {
        add_digits(tally->alignment, bound, &total->alignment);
        add_digits(tally->change2, bound, &total->change2);
    }
    for (int lane = 0; lane < WIDTH; lane++)
        tally_note_largest(total, tally->largest2[lane]);
}

INLINE void add_lanes(const lanes *rounder, lanes x, lanes *digits) {
    for (int k = 0; k < BINNED_COARSE; k++) {
        lanes digit = (x + rounder[k]) - rounder[k];
        digits[k] += digit;
        x -= digit;
    }
}

// Adds terms of which some are beyond the bound, which rises.
static __attribute__((noinline, cold)) void
add_beyond(struct lane_tally *tally, const lanes *alignment, const lanes *change2) {
    struct sweep_tally *total = tally->total;
    close_tally(tally);
    for (int lane = 0; lane < WIDTH; lane++)
        tally_add(total, (*alignment)[lane], (*change2)[lane], 0);
    open_tally(tally, total);
}

// What a contact adds to the sums.
struct lane_terms {
    lanes alignment, change2, largest2;
};

INLINE struct lane_terms terms_of(struct lane_vec change, struct lane_vec progress, lanes w_t) {
    lanes change2 = dot(change, change);
    return (struct lane_terms){.alignment = -(w_t * dot(change, progress)),
                               .change2 = w_t * change2,
                               .largest2 = change2 * (w_t * w_t)};
}

// Returns the lanes whose terms are below the bound.
INLINE lane_mask terms_fit(const struct lane_tally *tally, const struct lane_terms *terms) {
    return (lane_abs(terms->alignment) <= tally->most) & (terms->change2 <= tally->most);
}

INLINE void add_fitting(struct lane_tally *tally, const struct lane_terms *terms) {
    tally->largest2 = choose(terms->largest2 > tally->largest2, terms->largest2, tally->largest2);
    add_lanes(tally->rounder, terms->alignment, tally->alignment);
    add_lanes(tally->rounder, terms->change2, tally->change2);
}

INLINE void add_sums(struct lane_tally *tally, struct lane_vec change, struct lane_vec progress,
                     lanes w_t) {
    struct lane_terms terms = terms_of(change, progress, w_t);
    lane_mask fits = terms_fit(tally, &terms);
    if (lane_bits(fits) == ALL_WIDTH) {
        add_fitting(tally, &terms);
        return;
    }
    tally->largest2 = choose(terms.largest2 > tally->largest2, terms.largest2, tally->largest2);
    add_beyond(tally, &terms.alignment, &terms.change2);
}

#endif
