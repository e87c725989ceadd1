#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/digits.h"
#include "tests/unit/effort.h"

// The reference of every test is the C library's printf.

static void check_one(double real) {
    char text[DIGITS_SIZE], expected[DIGITS_SIZE];
    int length = snprintf(expected, sizeof expected, "%.17g", real);
    int written = digits_real(real, text);
    if (written != length || strcmp(text, expected) != 0)
        fail_msg("%a: %s, expected %s", real, text, expected);
}

static void check_real(double real) {
    check_one(real);
    check_one(-real);
}

// A number and its neighbours.
static void check_around(double real) {
    double below = real, above = real;
    check_real(real);
    for (int k = 0; k < 3; k++) {
        check_real(below = nextafter(below, -INFINITY));
        check_real(above = nextafter(above, INFINITY));
    }
}

static uint64_t random_bits(uint64_t *state) { // splitmix64
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void test_edges(void **state) {
    (void)state;
    const double edges[] = {0, INFINITY, DBL_MIN, DBL_MAX, DBL_TRUE_MIN, DBL_EPSILON, 1.0 / 3};
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++)
        check_around(edges[k]);
    check_one(NAN);
    check_one(-NAN);
}

// Where the number of digits before the point, and the form, change.
static void test_powers(void **state) {
    (void)state;
    for (int k = -324; k <= 308; k++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", k);
        check_around(strtod(text, NULL));
    }
    for (int k = -1074; k < 1024; k++)
        check_around(ldexp(1, k));
}

// Decimals of few digits, of which most are cut short.
static void test_short_decimals(void **state) {
    (void)state;
    for (int k = 0; k < 100000; k++)
        for (double scale = 1; scale < 1e13; scale *= 1e3)
            check_one(k / scale);
}

// Halves of the last digit: integers beyond 2^53 that end in 5 have their seventeenth digit
// before it, and so have multiples of small powers of two.
static void test_halves(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 20000; k++) {
        check_one((double)(9007199254740993 + 2 * k));
        check_one((double)(99999999999990000 + k));
        for (int power = 1; power < 60; power++)
            check_one(ldexp((double)(2 * k + 1), -power));
    }
}

static void test_random(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (int k = 0; k < effort(2000000, 20000); k++) {
        double real;
        uint64_t bits = random_bits(&seed);
        memcpy(&real, &bits, sizeof real); // any number at all
        check_one(real);
        check_one(ldexp((double)(bits >> 11), (int)(bits % 200) - 190)); // 1e-57 to 1e18
    }
}

static void test_read_back(void **state) {
    (void)state;
    uint64_t seed = 29;
    for (int k = 0; k < effort(500000, 5000); k++) {
        char text[DIGITS_SIZE];
        uint64_t bits = random_bits(&seed);
        double real = ldexp((double)(bits >> 11), (int)(bits % 160) - 150);
        digits_real(real, text);
        assert_true(strtod(text, NULL) == real);
    }
}

static void check_integer(int64_t integer) {
    char text[DIGITS_SIZE], expected[DIGITS_SIZE];
    int length = snprintf(expected, sizeof expected, "%" PRId64, integer);
    assert_int_equal(digits_integer(integer, text), length);
    assert_string_equal(text, expected);
}

static void test_integers(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int64_t k = -1000; k <= 1000; k++)
        check_integer(k);
    for (int shift = 0; shift < 64; shift++)
        check_integer((int64_t)(random_bits(&seed) >> shift));
    check_integer(INT64_MAX);
    check_integer(INT64_MIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),          cmocka_unit_test(test_powers),
        cmocka_unit_test(test_short_decimals), cmocka_unit_test(test_halves),
        cmocka_unit_test(test_random),         cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
