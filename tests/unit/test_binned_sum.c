// Sums that do not depend on the order of their terms (parallel/binned_sum.h), against whole
// numbers and long double.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "parallel/binned_sum.h"
#include "parallel/random.h"

#define TERMS 2000

// Adds them one by one and in runs, which must be the same.
static double sum_of(const double *terms, size_t count) {
    struct binned_sum sum = {0}, in_runs = {0};
    for (size_t k = 0; k < count; k++)
        binned_add(&sum, terms[k]);
    for (size_t k = 0, run = 1; k < count; k += run, run = run % BINNED_ALL + 1)
        binned_add_all(&in_runs, &terms[k], run < count - k ? run : count - k);
    assert_memory_equal(&in_runs, &sum, sizeof sum);
    return binned_value(&sum);
}

static void shuffle(double *terms, size_t count, struct random_stream *random) {
    for (size_t k = count - 1; k > 0; k--) {
        size_t other = random_bits(random) % (k + 1);
        double kept = terms[k];
        terms[k] = terms[other];
        terms[other] = kept;
    }
}

// A sum of few terms has a way of its own, which gives the same bits.
static void assert_few(const double *terms) {
    double digits = sum_of(terms, BINNED_FEW), few = binned_value_of_few(terms);
    assert_memory_equal(&few, &digits, sizeof few);
}

// Numbers over `decades` powers of ten, of both signs, some of them zero.
static void wild_terms(double *terms, double decades, struct random_stream *random) {
    for (size_t k = 0; k < TERMS; k++)
        terms[k] = k % 17 == 0 ? 0
                               : random_between(random, -1, 1) *
                                     pow(10, random_between(random, -decades, decades));
}

// Merges sums over random pieces of the terms, two and two in random order.
static double sum_of_pieces(const double *terms, struct random_stream *random) {
    enum { PIECES = 20 };
    struct binned_sum piece[PIECES] = {0};
    for (size_t k = 0; k < TERMS; k++)
        binned_add(&piece[random_bits(random) % PIECES], terms[k]);
    for (size_t left = PIECES; left > 1; left--) {
        size_t from = random_bits(random) % left, to = random_bits(random) % (left - 1);
        struct binned_sum taken = piece[from];
        piece[from] = piece[left - 1];
        binned_merge(&piece[to], &taken);
    }
    return binned_value(&piece[0]);
}

static void test_order_and_pieces_do_not_matter(void **state) {
    (void)state;
    static double terms[TERMS];
    struct random_stream random = {7};
    static const double decades[] = {0, 5, 15, 100, 290, 320};
    for (size_t d = 0; d < sizeof decades / sizeof *decades; d++) {
        wild_terms(terms, decades[d], &random);
        if (decades[d] > 290) // some lie below the smallest normal number, none is infinite
            for (size_t k = 0; k < TERMS; k++)
                terms[k] = isfinite(terms[k]) ? terms[k] : 1;
        double first = sum_of(terms, TERMS);
        for (int repeat = 0; repeat < 50; repeat++) {
            shuffle(terms, TERMS, &random);
            double again = sum_of(terms, TERMS), pieces = sum_of_pieces(terms, &random);
            assert_memory_equal(&again, &first, sizeof first);
            assert_memory_equal(&pieces, &first, sizeof first);
        }
    }
}

// The same for coarse sums, with the same terms added and pieces merged.
static void test_coarse_sums(void **state) {
    (void)state;
    static double terms[TERMS];
    struct random_stream random = {8};
    wild_terms(terms, 20, &random);
    double first = 0, largest = 0;
    long double exact = 0;
    for (int repeat = 0; repeat < 50; repeat++) {
        struct binned_sum half[2] = {0};
        for (size_t k = 0; k < TERMS; k++)
            binned_add_coarse(&half[random_bits(&random) % 2], terms[k]);
        binned_merge(&half[0], &half[1]);
        binned_trim(&half[0]);
        double value = binned_value(&half[0]);
        first = repeat == 0 ? value : first;
        assert_memory_equal(&value, &first, sizeof first);
        shuffle(terms, TERMS, &random);
    }
    for (size_t k = 0; k < TERMS; k++) {
        exact += terms[k];
        largest = fmax(largest, fabs(terms[k]));
    }
    assert_true(fabsl(first - exact) <= TERMS * 0x1p-37L * largest);
}

// A digit that was kept before the bound rose, and is not where the largest term came first.
static void test_coarse_sums_forget_the_third_digit(void **state) {
    (void)state;
    static const double terms[2][3] = {{0x1p-50, 1e10, -1e10}, {1e10, -1e10, 0x1p-50}};
    for (int order = 0; order < 2; order++) {
        struct binned_sum sum = {0};
        for (int k = 0; k < 3; k++)
            binned_add_coarse(&sum, terms[order][k]);
        binned_trim(&sum);
        assert_true(binned_value(&sum) == 0);
    }
}

// Multiples of one number add up without rounding in whole numbers.
static void test_against_whole_numbers(void **state) {
    (void)state;
    struct random_stream random = {9};
    for (int trial = 0; trial < 200; trial++) {
        struct binned_sum sum = {0};
        int64_t whole = 0;
        double scale = ldexp(1, (int)(random_bits(&random) % 1700) - 850);
        for (size_t k = 0; k < TERMS; k++) {
            int64_t term = (int64_t)(random_bits(&random) >> 14) - ((int64_t)1 << 49);
            whole += term;
            binned_add(&sum, (double)term * scale);
        }
        assert_true(binned_value(&sum) == (double)whole * scale);
    }
}

// All but the last digits cancel: a plain sum loses them.
static void test_cancellation(void **state) {
    (void)state;
    const double terms[] = {1e16, 1, 1e-5, -1e16};
    assert_true(terms[0] + terms[1] + terms[2] + terms[3] != 1 + 1e-5);
    assert_true(fabs(sum_of(terms, 4) - (1 + 1e-5)) <= 4 * 0x1p-73 * 1e16);
    const double tiny[] = {1, 0x1p-60, -1};
    assert_true(sum_of(tiny, 3) == 0x1p-60);
}

// Rounded once, to the nearest, ties to even.
static void test_rounding(void **state) {
    (void)state;
    const double tie[] = {1, 0x1p-53}, above[] = {1, 0x1p-53, 0x1p-70},
                 odd[] = {1 + 0x1p-52, 0x1p-53};
    assert_true(sum_of(tie, 2) == 1);
    assert_true(sum_of(above, 3) == 1 + 0x1p-52);
    assert_true(sum_of(odd, 2) == 1 + 0x1p-51);
    const double below[] = {-1, -0x1p-53, -0x1p-70};
    assert_true(sum_of(below, 3) == -1 - 0x1p-52);
}

static void test_single_terms_and_the_ends_of_the_range(void **state) {
    (void)state;
    const double kept[] = {
        0,      1,       -1,     3.7,    1e-280, 0x1.8p-1000, 1e290, -0x1.fffffffffffffp970,
        0x1p35, -0x1p35, 0x1p-1, 0x1p71, DBL_MIN};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        assert_true(sum_of(&kept[k], 1) == kept[k]);
    const double lost[] = {0x1p-1074, -0x1p-1060}, huge[] = {0x1p971, -DBL_MAX};
    assert_true(sum_of(lost, 2) == 0);
    assert_true(sum_of(&huge[0], 1) == INFINITY);
    assert_true(sum_of(&huge[1], 1) == -INFINITY);
    assert_true(sum_of(NULL, 0) == 0);
}

// Terms of like and of unlike sizes, with bits below the last digit, all over the range, and sums
// that lie half way between two numbers.
static void test_few_terms(void **state) {
    (void)state;
    struct random_stream random = {10};
    static const double decades[] = {0, 3, 12, 25, 40, 300};
    for (int trial = 0; trial < 200000; trial++) {
        double terms[BINNED_FEW], scale = ldexp(1, (int)(random_bits(&random) % 2080) - 1060);
        double spread = decades[trial % 6];
        for (int k = 0; k < BINNED_FEW; k++)
            terms[k] = random_bits(&random) % 9 == 0 ? 0
                       : trial % 4 == 0 ? scale * ldexp(1, -(int)(random_bits(&random) % 110))
                                        : scale * random_between(&random, 0, 1) *
                                              pow(10, -random_between(&random, 0, spread));
        assert_few(terms);
    }
    assert_few((const double[]){1, NAN, 2, 0});
    assert_few((const double[]){1, INFINITY, 2, NAN});
    assert_few((const double[]){INFINITY, 1, 0, 0});
    assert_few((const double[]){0, 0, 0, 0});
}

static void test_infinity_and_nan(void **state) {
    (void)state;
    const double plus[] = {1, INFINITY, -5}, minus[] = {-INFINITY, 2, -INFINITY},
                 both[] = {INFINITY, -INFINITY}, not_a_number[] = {1, NAN, 2},
                 mixed[] = {INFINITY, NAN};
    assert_true(sum_of(plus, 3) == INFINITY);
    assert_true(sum_of(minus, 3) == -INFINITY);
    assert_true(isnan(sum_of(both, 2)));
    assert_true(isnan(sum_of(not_a_number, 3)));
    assert_true(isnan(sum_of(mixed, 2)));
    struct binned_sum total = {0}, part = {0};
    binned_add(&part, NAN);
    binned_add(&total, 1);
    binned_merge(&total, &part);
    assert_true(isnan(binned_value(&total)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_pieces_do_not_matter),
        cmocka_unit_test(test_coarse_sums),
        cmocka_unit_test(test_coarse_sums_forget_the_third_digit),
        cmocka_unit_test(test_against_whole_numbers),
        cmocka_unit_test(test_cancellation),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_single_terms_and_the_ends_of_the_range),
        cmocka_unit_test(test_few_terms),
        cmocka_unit_test(test_infinity_and_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
