// Cuts of a range of indices into one piece for each rank.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parallel/cuts.h"
#include "parallel/memory.h"
#include "parallel/random.h"

static int32_t piece(const struct cuts *cuts, int rank) {
    return cuts->first[rank + 1] - cuts->first[rank];
}

// Every index is in one piece: pieces follow each other from 0 to the end.
static void assert_partition(const struct cuts *cuts, int ranks, int32_t count) {
    assert_int_equal(cuts->ranks, ranks);
    assert_int_equal(cuts->first[0], 0);
    assert_int_equal(cuts->first[ranks], count);
    for (int rank = 0; rank < ranks; rank++)
        assert_true(piece(cuts, rank) >= 0);
}

// The owner is the rank whose piece has the index, and the only one that calls it its own.
static void assert_owners(struct cuts *cuts, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        int owner = cuts_owner(cuts, i), mine = 0;
        assert_true(cuts->first[owner] <= i && i < cuts->first[owner + 1]);
        for (cuts->me = 0; cuts->me < cuts->ranks; cuts->me++)
            mine += cuts_mine(cuts, i);
        assert_int_equal(mine, 1);
    }
    cuts->me = 0;
}

static void test_nothing_is_cut(void **state) {
    (void)state;
    struct cuts cuts = {0};
    assert_int_equal(cuts_begin(&cuts), 0);
    assert_int_equal(cuts_end(&cuts, 7), 7);
    assert_true(cuts_mine(&cuts, 6));
    assert_int_equal(cuts_owner(&cuts, 6), 0);
}

static void test_equal_lengths(void **state) {
    (void)state;
    struct cuts cuts = {0};
    cuts_make(&cuts, 3, 1, 10, NULL, 0);
    assert_partition(&cuts, 3, 10);
    for (int rank = 0; rank < 3; rank++)
        assert_in_range(piece(&cuts, rank), 3, 4);
    assert_int_equal(cuts_begin(&cuts), cuts.first[1]);
    assert_int_equal(cuts_end(&cuts, 10), cuts.first[2]);
    assert_owners(&cuts, 10);
    // Products of counts and ranks do not fit in 32 bits.
    cuts_make(&cuts, 4096, 4095, 400000000, NULL, 0);
    assert_partition(&cuts, 4096, 400000000);
    for (int rank = 0; rank < 4096; rank++)
        assert_in_range(piece(&cuts, rank), 97656, 97657);
    assert_int_equal(cuts_owner(&cuts, 399999999), 4095);
    cuts_free(&cuts);
    assert_null(cuts.first);
}

static void test_more_ranks_than_indices(void **state) {
    (void)state;
    struct cuts cuts = {0};
    const double weight[] = {1, 5, 1};
    cuts_make(&cuts, 7, 0, 3, NULL, 0);
    assert_partition(&cuts, 7, 3);
    assert_owners(&cuts, 3);
    cuts_make(&cuts, 7, 0, 3, weight, 3);
    assert_partition(&cuts, 7, 3);
    assert_owners(&cuts, 3);
    cuts_make(&cuts, 4, 0, 0, NULL, 0);
    assert_partition(&cuts, 4, 0);
    cuts_free(&cuts);
}

// One bin for each index: pieces weigh the same up to the heaviest index.
static void test_weights_of_indices(void **state) {
    (void)state;
    enum { COUNT = 500 };
    struct random_stream random = {11};
    struct cuts cuts = {0};
    double weight[COUNT], total = 0;
    for (int k = 0; k < COUNT; k++)
        total += weight[k] = random_between(&random, 0, k < COUNT / 2 ? 1 : 20);
    for (int ranks = 1; ranks <= 9; ranks++) {
        cuts_make(&cuts, ranks, 0, COUNT, weight, COUNT);
        assert_partition(&cuts, ranks, COUNT);
        assert_owners(&cuts, COUNT);
        for (int rank = 0; rank < ranks; rank++) {
            double own = 0;
            for (int32_t i = cuts.first[rank]; i < cuts.first[rank + 1]; i++)
                own += weight[i];
            assert_true(fabs(own - total / ranks) <= 20);
        }
    }
    cuts_free(&cuts);
}

// A bin's weight is spread over its indices: 100 in each, all weight in the third of four bins.
static void test_weight_within_a_bin(void **state) {
    (void)state;
    struct cuts cuts = {0};
    const double weight[] = {0, 0, 8, 0};
    cuts_make(&cuts, 4, 0, 400, weight, 4);
    assert_partition(&cuts, 4, 400);
    assert_int_equal(cuts.first[1], 225);
    assert_int_equal(cuts.first[2], 250);
    assert_int_equal(cuts.first[3], 275);
    assert_owners(&cuts, 400);
    // Without any weight pieces are equally long.
    const double none[] = {0, 0};
    cuts_make(&cuts, 2, 0, 400, none, 2);
    assert_int_equal(cuts.first[1], 200);
    cuts_free(&cuts);
}

// Fewer indices than bins, and a number of indices that bins do not divide.
static void test_bins_of_any_length(void **state) {
    (void)state;
    struct random_stream random = {12};
    struct cuts cuts = {0};
    double weight[64];
    for (int k = 0; k < 64; k++)
        weight[k] = k % 3 == 0 ? 0 : random_between(&random, 0, 1);
    for (int32_t count = 1; count < 200; count += 13)
        for (int ranks = 1; ranks <= 5; ranks += 2) {
            cuts_make(&cuts, ranks, 0, count, weight, 64);
            assert_partition(&cuts, ranks, count);
            assert_owners(&cuts, count);
        }
    cuts_free(&cuts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_cut),          cmocka_unit_test(test_equal_lengths),
        cmocka_unit_test(test_more_ranks_than_indices), cmocka_unit_test(test_weights_of_indices),
        cmocka_unit_test(test_weight_within_a_bin),     cmocka_unit_test(test_bins_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
