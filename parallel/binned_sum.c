#include "parallel/binned_sum.h"

#include <float.h>

// Places are counted in digits from the one of unit 1. The unit of the lowest place is a normal
// number, and so are all that round to it.
#define LOWEST_PLACE  (-27)
#define HIGHEST_PLACE 26

// Returns the bound of a sum whose topmost digit has the given place.
static double bound_of(int place) { return ldexp(1, BINNED_BITS * place + BINNED_BITS - 1); }

static int place_of(double bound) { return (ilogb(bound) - BINNED_BITS + 1) / BINNED_BITS; }

// Returns the lowest place whose bound is above |x|.
static int place_for(double x) {
    int place = LOWEST_PLACE;
    if (fabs(x) >= bound_of(place)) {
        int above = ilogb(x) + 1 - (BINNED_BITS - 1); // |x| < 2^(above + BINNED_BITS - 1)
        place = above <= 0 ? -(-above / BINNED_BITS) : (above + BINNED_BITS - 1) / BINNED_BITS;
    }
    return place;
}

void binned_raise(struct binned_sum *sum, double bound) {
    if (bound <= sum->bound)
        return;
    int up = sum->bound > 0 ? place_of(bound) - place_of(sum->bound) : BINNED_DIGITS;
    for (int k = BINNED_DIGITS - 1; k >= 0; k--)
        sum->word[k] = k >= up ? sum->word[k - up] : 0;
    sum->bound = bound;
}

bool binned_make_room(struct binned_sum *sum, double x) {
    bool finite = fabs(x) < bound_of(HIGHEST_PLACE);
    if (finite) {
        binned_raise(sum, bound_of(place_for(x)));
    } else {
        sum->word[BINNED_PLUS] += !(x < 0);
        sum->word[BINNED_MINUS] += !(x > 0);
    }
    return finite;
}

void binned_merge(struct binned_sum *total, const struct binned_sum *part) {
    struct binned_sum other = *part;
    binned_raise(total, other.bound);
    binned_raise(&other, total->bound);
    for (int k = 0; k < BINNED_WORDS; k++)
        total->word[k] += other.word[k];
}

__extension__ typedef __int128 long_integer;

// Returns the double nearest to (high 2^BINNED_BITS + low) 2^exponent, where 0 <= low <
// 2^BINNED_BITS. Where high is long, low matters only as being there or not.
static double nearest(long_integer high, int64_t low, int exponent) {
    const long_integer one = 1;
    bool is_long = high >= one << 60 || high < -(one << 60);
    long_integer whole = is_long ? high * 2 + (low != 0) : high * (one << BINNED_BITS) + low;
    return ldexp((double)whole, is_long ? exponent + BINNED_BITS - 1 : exponent);
}

double binned_value(const struct binned_sum *sum) {
    if (sum->word[BINNED_PLUS] > 0 || sum->word[BINNED_MINUS] > 0)
        return sum->word[BINNED_MINUS] == 0  ? INFINITY
               : sum->word[BINNED_PLUS] == 0 ? -INFINITY
                                             : NAN;
    if (sum->bound == 0)
        return 0;
    const int64_t base = (int64_t)1 << BINNED_BITS;
    int64_t low = sum->word[2] & (base - 1);
    long_integer high =
        (long_integer)sum->word[0] * base + sum->word[1] + (sum->word[2] - low) / base;
    return nearest(high, low, BINNED_BITS * (place_of(sum->bound) - 2));
}
