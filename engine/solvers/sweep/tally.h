// What a sweep changed, summed up contact by contact in any order (parallel/binned_sum.h).
#ifndef ENGINE_SOLVERS_SWEEP_TALLY_H
#define ENGINE_SOLVERS_SWEEP_TALLY_H

#include "parallel/binned_sum.h"

// The sums over a sweep. The pass extrapolates each contact by the momentum
// (engine/solvers/sweep/momentum.h): y is the impulse found in the group, r the local solution; the
// group is left with r + beta (r - last), and `last` with r. w_t is the tangential entry of the
// contact's W.
struct sweep_sums {
    double alignment; // sum of w_t (y - r).(r - last)
    double change2;   // sum of w_t |y - r|^2
    double largest2;  // max of w_t^2 |y - r|^2: a velocity, squared
};

// Both sums are coarse, and keep the digits of the same places: kernels work on them side by side.
struct sweep_tally {
    struct binned_sum alignment, change2;
    double largest2;
};

// Leaves out what is not a number. (fmax would be a call.)
static inline void tally_note_largest(struct sweep_tally *tally, double largest2) {
    if (largest2 > tally->largest2)
        tally->largest2 = largest2;
}

static inline void tally_add(struct sweep_tally *tally, double alignment, double change2,
                             double largest2) {
    binned_add_coarse(&tally->alignment, alignment);
    binned_add_coarse(&tally->change2, change2);
    tally_note_largest(tally, largest2);
}

static inline void tally_merge(struct sweep_tally *total, const struct sweep_tally *part) {
    binned_merge(&total->alignment, &part->alignment);
    binned_merge(&total->change2, &part->change2);
    tally_note_largest(total, part->largest2);
}

static inline double tally_bound(const struct sweep_tally *tally) {
    double a = tally->alignment.bound, b = tally->change2.bound;
    return a > b ? a : b;
}

static inline struct sweep_sums tally_close(struct sweep_tally tally) {
    double bound = tally_bound(&tally);
    binned_raise(&tally.alignment, bound);
    binned_raise(&tally.change2, bound);
    binned_trim(&tally.alignment);
    binned_trim(&tally.change2);
    return (struct sweep_sums){binned_value(&tally.alignment), binned_value(&tally.change2),
                               tally.largest2};
}

#endif
