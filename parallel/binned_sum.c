#include "parallel/binned_sum.h"

#include <float.h>

#include "parallel/wide.h"

// Places are counted in digits from the one of unit 1. The unit of the lowest place is a normal
// number, and so are all that round to it.
#define LOWEST_PLACE  (-27)
#define HIGHEST_PLACE 26

// Returns x 2^exponent, which is a normal number: as ldexp does, without its call.
static double scaled(double x, int exponent) {
    if (exponent < -960 || exponent > 960)
        return ldexp(x, exponent);
    int64_t bits = (int64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return x * power;
}

// Returns the bound of a sum whose topmost digit has the given place.
static double bound_of(int place) { return scaled(1, BINNED_BITS * place + BINNED_BITS - 1); }

// A bound is a power of two and a normal number.
static int place_of(double bound) {
    int64_t bits;
    memcpy(&bits, &bound, sizeof bits);
    return ((int)(bits >> 52) - 1023 - BINNED_BITS + 1) / BINNED_BITS;
}

// Returns what ilogb returns for a normal number, without its call.
static int exponent_of(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

// Returns the lowest place whose bound is above |x|.
static int place_for(double x) {
    int place = LOWEST_PLACE;
    if (fabs(x) >= bound_of(place)) {
        int above = exponent_of(x) + 1 - (BINNED_BITS - 1); // |x| < 2^(above + BINNED_BITS - 1)
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

// Four terms anywhere in memory.
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t whole4 __attribute__((vector_size(32)));

static double add_four(const lanes4 *x) { return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]); }

// Adds terms below the bound, four at a time. Digits are kept as multiples of their unit: a few
// hundred of BINNED_BITS bits have exact sums.
WIDE static void add_fours(struct binned_sum *sum, const double *x, size_t fours) {
    const double bound = sum->bound;
    const lanes4 zero = {0};
    lanes4 digits[BINNED_DIGITS] = {zero, zero, zero}, rounder[BINNED_DIGITS];
    for (int k = 0; k < BINNED_DIGITS; k++)
        rounder[k] = binned_rounder(bound, k) - zero;
    for (size_t i = 0; i < fours; i++) {
        lanes4 rest = *(const four *)(x + 4 * i);
        for (int k = 0; k < BINNED_DIGITS; k++) {
            lanes4 digit = (rest + rounder[k]) - rounder[k];
            digits[k] += digit;
            rest -= digit;
        }
    }
    for (int k = 0; k < BINNED_DIGITS; k++) {
        double whole = add_four(&digits[k]) * (0x1p35 / bound); // in units of the topmost place
        for (int place = 0; place < k; place++)
            whole *= 0x1p36;
        sum->word[k] += (int64_t)whole;
    }
}

// Returns the largest size of the terms; NaN where one is not finite.
WIDE static double largest_of(const double *x, size_t count) {
    const double most = bound_of(HIGHEST_PLACE);
    const lanes4 zero = {0};
    whole4 all = ~(whole4){0}, sign = (whole4)(-zero);
    lanes4 four_largest = zero;
    size_t fours = count / 4;
    for (size_t i = 0; i < fours; i++) {
        lanes4 size = (lanes4)((whole4) * (const four *)(x + 4 * i) & ~sign);
        whole4 more = size > four_largest;
        all &= size < most;
        four_largest = (lanes4)(((whole4)size & more) | ((whole4)four_largest & ~more));
    }
    double largest = 0;
    for (size_t k = 0; k < 4; k++) {
        if (all[k] == 0)
            return NAN;
        largest = four_largest[k] > largest ? four_largest[k] : largest;
    }
    for (size_t i = 4 * fours; i < count; i++) {
        if (!(fabs(x[i]) < most))
            return NAN;
        largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    }
    return largest;
}

void binned_add_all(struct binned_sum *sum, const double *x, size_t count) {
    double largest = largest_of(x, count);
    bool fit = largest < sum->bound || (largest > 0 && binned_make_room(sum, largest));
    size_t fours = fit ? count / 4 : 0;
    if (fours > 0)
        add_fours(sum, x, fours);
    for (size_t i = 4 * fours; i < count; i++)
        binned_add(sum, x[i]);
}

void binned_merge(struct binned_sum *total, const struct binned_sum *part) {
    struct binned_sum other = *part;
    binned_raise(total, other.bound);
    binned_raise(&other, total->bound);
    for (int k = 0; k < BINNED_WORDS; k++)
        total->word[k] += other.word[k];
}

__extension__ typedef __int128 long_integer;

// Returns how many bits x has beyond those of a number of 64 bits that has two to spare for its
// sign and for rounding.
static int excess_bits(long_integer x) {
    int64_t high = (int64_t)(x >> 62), size = high < 0 ? ~high : high;
    return size == 0 ? 0 : 64 - __builtin_clzll((unsigned long long)size);
}

// Returns the double nearest to (high 2^BINNED_BITS + low) 2^exponent, where 0 <= low <
// 2^BINNED_BITS. Where high is long, low matters only as being there or not.
static double nearest(long_integer high, int64_t low, int exponent) {
    const long_integer one = 1;
    bool is_long = high >= one << 60 || high < -(one << 60);
    long_integer whole = is_long ? high * 2 + (low != 0) : high * (one << BINNED_BITS) + low;
    exponent += is_long ? BINNED_BITS - 1 : 0;
    int drop = excess_bits(whole);
    int64_t kept = (int64_t)(whole >> drop);
    kept |= (whole & ((one << drop) - 1)) != 0; // what is dropped matters as being there or not
    return scaled((double)kept, exponent + drop);
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

// Few terms -----------------------------------------------------------------------------------

// Returns x >= 0 as its digits have it: the nearest multiple of a unit, a power of two.
static double in_units(double x, double unit) {
    double rounder = 0x1p52 * unit;
    return x < rounder ? (x + rounder) - rounder : x;
}

// The digits of a sum whose largest term is well below the bound are multiples of one unit with at
// most 105 bits. Two doubles hold their sum without rounding: a partial sum, and what adding up
// lost. Where the sum is no such one, its digits are formed.
double binned_value_of_few(const double *x) {
    double largest = 0, sum = 0, lost = 0;
    for (int k = 0; k < BINNED_FEW; k++)
        largest = x[k] > largest ? x[k] : largest;
    double bound = bound_of(place_for(largest)), unit = bound * 0x1p-107;
    bool usual = largest < 0x1p-4 * bound && largest > 0x1p-800 && largest < 0x1p900;
    bool fits = usual || largest == 0;
    for (int k = 0; k < BINNED_FEW; k++) {
        double term = in_units(x[k], unit), next = sum + term, rest = next - sum;
        lost += (sum - (next - rest)) + (term - rest);
        sum = next;
        fits &= x[k] >= 0; // and is a number
    }
    if (fits)
        return sum + lost;
    struct binned_sum digits = {0};
    for (int k = 0; k < BINNED_FEW; k++)
        binned_add(&digits, x[k]);
    return binned_value(&digits);
}
