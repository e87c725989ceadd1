// Sums whose bits do not depend on the order of their terms, nor on how the terms are shared out
// over chunks, lanes, threads or processes that merge what they have (after Demmel and Nguyen,
// "Parallel reproducible summation", 2015).
//
// A term is written in digits of BINNED_BITS bits, from the largest place on, each digit rounded to
// the nearest: digit and remainder follow from the term alone. A sum keeps the digits of three
// neighbouring places as whole numbers, whose addition is exact in any order. The topmost place
// follows from the largest term; digits that a larger term has pushed out are dropped, which is
// the same whether they had been added up before or not. So at most 2^-73 of the largest term is
// lost with each term: more than the last bit only where the terms cancel each other in 20 digits.
//
// Terms of 2^971 (about 2e292) and more count as infinite, and what lies below 2^-1045 as zero. A
// sum has room for 2^28 terms.
#ifndef PARALLEL_BINNED_SUM_H
#define PARALLEL_BINNED_SUM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BINNED_BITS   36
#define BINNED_DIGITS 3

enum { BINNED_PLUS = BINNED_DIGITS, BINNED_MINUS, BINNED_WORDS };

// All zeros is the empty sum. Processes merge theirs by taking the maximum of the bounds, raising
// to it, and adding the words.
struct binned_sum {
    double bound; // all finite terms are smaller; half a unit of the place above the topmost
    // The digits, and how many terms were +infinity and -infinity; a NaN counts as both.
    int64_t word[BINNED_WORDS];
};

// A number that is added to a term, and subtracted again, to round it to a multiple of the unit of
// digit `digit` (0: the topmost): a unit in the last place of this number is that unit.
static inline double binned_rounder(double bound, int digit) {
    static const double factor[BINNED_DIGITS] = {0x1.8p17, 0x1.8p-19, 0x1.8p-55};
    return bound * factor[digit];
}

// Raises the bound so that the sum can take the term x. Returns false for one that is infinite or
// not a number: the sum has noted it.
bool binned_make_room(struct binned_sum *sum, double x);

// Raises the bound to that of another sum, or of several.
void binned_raise(struct binned_sum *sum, double bound);

static inline void binned_add_digits(struct binned_sum *sum, double x, int digits) {
    if (x == 0 || (!(fabs(x) < sum->bound) && !binned_make_room(sum, x)))
        return;
    for (int k = 0; k < digits; k++) {
        double rounder = binned_rounder(sum->bound, k), rounded = x + rounder;
        int64_t with, without;
        memcpy(&with, &rounded, sizeof with);
        memcpy(&without, &rounder, sizeof without);
        sum->word[k] += with - without;
        x -= rounded - rounder;
    }
}

static inline void binned_add(struct binned_sum *sum, double x) {
    binned_add_digits(sum, x, BINNED_DIGITS);
}

// Adds many terms, at most BINNED_ALL.
#define BINNED_ALL 256
void binned_add_all(struct binned_sum *sum, const double *x, size_t count);

// Terms that are kept until there are enough of them to be added side by side. A loop that adds one
// term after the other keeps them here and ends with binned_flush.
#define BINNED_KEPT 64
struct binned_terms {
    struct binned_sum *sum;
    size_t count;
    double x[BINNED_KEPT];
};

static inline void binned_flush(struct binned_terms *terms) {
    binned_add_all(terms->sum, terms->x, terms->count);
    terms->count = 0;
}

static inline void binned_keep(struct binned_terms *terms, double x) {
    terms->x[terms->count++] = x;
    if (terms->count == BINNED_KEPT)
        binned_flush(terms);
}

// Returns the value that the sum of BINNED_FEW terms has, none of which is negative. Most such sums
// need no digits.
#define BINNED_FEW 4
double binned_value_of_few(const double *x);

// A coarse sum takes two digits of its terms, and binned_trim drops the third, of terms that were
// added before the bound rose, before its value is taken: up to 2^-37 of the largest term is lost
// with each.
#define BINNED_COARSE 2
static inline void binned_add_coarse(struct binned_sum *sum, double x) {
    binned_add_digits(sum, x, BINNED_COARSE);
}

static inline void binned_trim(struct binned_sum *sum) { sum->word[BINNED_COARSE] = 0; }

// Adds the terms of another sum.
void binned_merge(struct binned_sum *total, const struct binned_sum *part);

// Returns the sum, rounded once.
double binned_value(const struct binned_sum *sum);

#endif
