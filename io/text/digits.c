#include "io/text/digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

#define PRECISION     17
#define LIMIT         100000000000000000U // 10^PRECISION
#define FIVES_MAX     27                  // 5^27 is the last power of five of 64 bits
#define FIVE_TO_27    7450580596923828125U
#define MANTISSA_BITS 52 // that are stored; a number that is not tiny has a one before them
#define ONE           ((uint64_t)1 << MANTISSA_BITS)
#define EXPONENT_BIAS (1023 + MANTISSA_BITS)

static const uint64_t five_to[FIVES_MAX + 1] = {
    1U,
    5U,
    25U,
    125U,
    625U,
    3125U,
    15625U,
    78125U,
    390625U,
    1953125U,
    9765625U,
    48828125U,
    244140625U,
    1220703125U,
    6103515625U,
    30517578125U,
    152587890625U,
    762939453125U,
    3814697265625U,
    19073486328125U,
    95367431640625U,
    476837158203125U,
    2384185791015625U,
    11920928955078125U,
    59604644775390625U,
    298023223876953125U,
    1490116119384765625U,
    FIVE_TO_27,
};

// An exact product: high * 2^64 + low.
struct product {
    uint128 high;
    uint64_t low;
};

// Multiplies by 5^power, 0 <= power <= 2 * FIVES_MAX.
static struct product times_fives(uint64_t mantissa, int power) {
    int first = power < FIVES_MAX ? power : FIVES_MAX;
    uint128 part = (uint128)mantissa * five_to[first];
    uint128 low = (uint128)(uint64_t)part * five_to[power - first];
    uint128 high = (uint128)(uint64_t)(part >> 64) * five_to[power - first] + (uint64_t)(low >> 64);
    return (struct product){high, (uint64_t)low};
}

static bool bit_of(const struct product *product, int bit) {
    return bit < 64 ? product->low >> bit & 1 : (bool)(product->high >> (bit - 64) & 1);
}

static bool any_below(const struct product *product, int bit) {
    if (bit < 64)
        return (product->low & (((uint64_t)1 << bit) - 1)) != 0;
    return product->low != 0 || (product->high & (((uint128)1 << (bit - 64)) - 1)) != 0;
}

// Returns product * 2^shift, rounded as printf does: to the nearest integer, halves to the even
// one. It has at most 64 bits.
static uint64_t shift_rounded(const struct product *product, int shift) {
    if (shift >= 0)
        return product->low << shift;
    int gone = -shift;
    uint64_t whole = gone >= 64 ? (uint64_t)(product->high >> (gone - 64))
                                : (uint64_t)(product->high << (64 - gone)) | product->low >> gone;
    bool up = bit_of(product, gone - 1) && (whole % 2 == 1 || any_below(product, gone - 1));
    return whole + up;
}

// A number as digits * 10^(exponent - 16), with all PRECISION digits.
struct decimal {
    uint64_t digits;
    int exponent;
};

// Finds the decimal of a number in exact integers. Returns false where these would need more than
// 192 bits: beyond some 1e-38 and 1e17.
static bool find_decimal(double real, struct decimal *decimal) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    uint64_t mantissa = (bits & (ONE - 1)) | ONE;
    int binary = (int)(bits >> MANTISSA_BITS) - EXPONENT_BIAS; // number = mantissa * 2^binary
    // The exponent of ten, or one less. The fraction is log10(2) to 1e-6, and no power of two
    // between 2^-200 and 2^200 but 1 is as close to a power of ten.
    int exponent = (binary + MANTISSA_BITS) * 78913 >> 18;
    for (;; exponent++) {
        int power = PRECISION - 1 - exponent;
        if (power < 0 || power > 2 * FIVES_MAX)
            return false;
        struct product product = times_fives(mantissa, power);
        *decimal = (struct decimal){shift_rounded(&product, binary + power), exponent};
        if (decimal->digits < LIMIT)
            return true;
    }
}

static void write_pair(unsigned pair, char *text) {
    text[0] = (char)('0' + pair / 10);
    text[1] = (char)('0' + pair % 10);
}

// Writes eight digits. Parts that do not wait for each other are cut off in each line.
static void write_eight(uint32_t digits, char text[8]) {
    uint32_t left = digits / 10000, right = digits % 10000;
    write_pair(left / 100, text);
    write_pair(left % 100, text + 2);
    write_pair(right / 100, text + 4);
    write_pair(right % 100, text + 6);
}

// Writes all digits without those zeros at the end that stand behind the first `least`. Returns
// their number.
static int write_digits(uint64_t digits, int least, char text[PRECISION]) {
    uint64_t first = digits / 100000000;
    text[0] = (char)('0' + first / 100000000);
    write_eight((uint32_t)(first % 100000000), text + 1);
    write_eight((uint32_t)(digits % 100000000), text + 9);
    int count = PRECISION;
    while (count > least && text[count - 1] == '0')
        count--;
    return count;
}

// Writes 0.00ddd, dd.ddd or ddd. Returns the end.
static char *write_fixed(const struct decimal *decimal, char *text) {
    char digits[PRECISION];
    int whole = decimal->exponent + 1; // digits before the point
    int count = write_digits(decimal->digits, whole > 1 ? whole : 1, digits);
    if (whole <= 0) {
        memcpy(text, "0.000", 5);
        text += 2 - whole;
        memcpy(text, digits, (size_t)count);
        return text + count;
    }
    memcpy(text, digits, (size_t)whole);
    text += whole;
    if (count > whole) {
        *text++ = '.';
        memcpy(text, digits + whole, (size_t)(count - whole));
        text += count - whole;
    }
    return text;
}

// Writes d.ddde-05; the exponent is negative and has two digits. Returns the end.
static char *write_scientific(const struct decimal *decimal, char *text) {
    char digits[PRECISION];
    int count = write_digits(decimal->digits, 1, digits), exponent = -decimal->exponent;
    *text++ = digits[0];
    if (count > 1) {
        *text++ = '.';
        memcpy(text, digits + 1, (size_t)count - 1);
        text += count - 1;
    }
    *text++ = 'e';
    *text++ = '-';
    *text++ = (char)('0' + exponent / 10);
    *text++ = (char)('0' + exponent % 10);
    return text;
}

int digits_real(double real, char text[DIGITS_SIZE]) {
    struct decimal decimal = {0, 0};
    double size = fabs(real);
    if (!isfinite(real) || (size > 0 && !find_decimal(size, &decimal)))
        return snprintf(text, DIGITS_SIZE, "%.17g", real);
    char *end = text;
    if (signbit(real))
        *end++ = '-';
    end = decimal.exponent < -4 ? write_scientific(&decimal, end) : write_fixed(&decimal, end);
    *end = '\0';
    return (int)(end - text);
}

int digits_integer(int64_t integer, char text[DIGITS_SIZE]) {
    char digits[DIGITS_SIZE], *first = digits + DIGITS_SIZE, *end = text;
    uint64_t rest = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    do
        *--first = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (integer < 0)
        *end++ = '-';
    size_t count = (size_t)(digits + DIGITS_SIZE - first);
    memcpy(end, first, count);
    end[count] = '\0';
    return (int)(end - text) + (int)count;
}
