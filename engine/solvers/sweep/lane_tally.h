// The sums of a sweep (engine/solvers/sweep/tally.h), formed by kernels lane by lane.
#ifndef ENGINE_SOLVERS_SWEEP_LANE_TALLY_H
#define ENGINE_SOLVERS_SWEEP_LANE_TALLY_H

#include "engine/solvers/sweep/lanes.h"

// A tally lane by lane, in multiples of the units of its two digits. As numbers these are exact:
// a call of the kernel adds a few hundred digits of 36 bits.
struct lane_tally {
    struct sweep_tally *total;
    lanes bound, rounder[BINNED_COARSE];
    lanes alignment[BINNED_COARSE], change2[BINNED_COARSE], largest2;
};

INLINE void open_tally(struct lane_tally *tally, struct sweep_tally *total) {
    double bound = tally_bound(total);
    *tally = (struct lane_tally){.total = total, .bound = splat(bound)};
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
    double bound = tally->bound[0];
    if (bound > 0) {
        add_digits(tally->alignment, bound, &total->alignment);
        add_digits(tally->change2, bound, &total->change2);
    }
    for (int lane = 0; lane < WIDTH; lane++)
        total->largest2 = fmax(total->largest2, tally->largest2[lane]);
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

INLINE void add_sums(struct lane_tally *tally, struct lane_vec change, struct lane_vec progress,
                     lanes w_t) {
    lanes change2 = dot(change, change), largest2 = change2 * (w_t * w_t);
    lanes alignment = -(w_t * dot(change, progress)), change2_w = w_t * change2;
    lanes against = choose(alignment < splat(0), -alignment, alignment);
    tally->largest2 = choose(largest2 > tally->largest2, largest2, tally->largest2);
    if (lane_bits((against < tally->bound) & (change2_w < tally->bound)) !=
        part_bits(ALL_LANES, 0)) {
        add_beyond(tally, &alignment, &change2_w);
        return;
    }
    add_lanes(tally->rounder, alignment, tally->alignment);
    add_lanes(tally->rounder, change2_w, tally->change2);
}

#endif
