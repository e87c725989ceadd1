// The ranks of a run and exchanges between them. `make unit` runs this program as one rank; under
// mpirun each test is a test of that many, and tests/cli/test_ranks.sh does that.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parallel/exchange.h"
#include "parallel/memory.h"
#include "parallel/random.h"
#include "parallel/ranks.h"

static void test_numbers(void **state) {
    (void)state;
    assert_in_range(ranks_me(), 0, ranks_count() - 1);
    assert_in_range(ranks_on_machine(), 1, ranks_count());
    struct ranks_sharing sharing = ranks_sharing_cores();
    assert_in_range(sharing.count, 1, ranks_on_machine());
    assert_in_range(sharing.before, 0, sharing.count - 1);
}

static void test_sums(void **state) {
    (void)state;
    int64_t count = ranks_count(), me = ranks_me();
    // The sum of me + 1 is a triangular number; the second and third pass 2^32 and wrap at 2^64.
    int64_t numbers[] = {me + 1, -((int64_t)1 << 40) * (me + 1)};
    uint64_t wide[] = {UINT64_MAX, (uint64_t)me + 1};
    ranks_sum_signed(numbers, 2);
    ranks_sum(wide, 2);
    assert_int_equal(numbers[0], count * (count + 1) / 2);
    assert_int_equal(numbers[1], -((int64_t)1 << 40) * (count * (count + 1) / 2));
    assert_true(wide[0] == (uint64_t)-count);
    assert_int_equal(wide[1], count * (count + 1) / 2);
    ranks_sum(NULL, 0);
}

// More than one part of a reduction.
static void test_long_sum(void **state) {
    (void)state;
    size_t count = ((size_t)1 << 20) + 3;
    uint64_t *values = memory_allocate(count, sizeof *values, "numbers");
    for (size_t k = 0; k < count; k++)
        values[k] = k;
    ranks_sum(values, count);
    for (size_t k = 0; k < count; k++)
        assert_true(values[k] == k * (uint64_t)ranks_count());
    memory_free(values);
}

static void test_bits(void **state) {
    (void)state;
    uint64_t bits[] = {(uint64_t)1 << ranks_me(), (uint64_t)1 << 63};
    ranks_or(bits, 2);
    assert_true(bits[0] == ((uint64_t)1 << ranks_count()) - 1);
    assert_true(bits[1] == (uint64_t)1 << 63);
    int last = ranks_count() - 1;
    assert_true(ranks_any(ranks_me() == last));
    assert_false(ranks_any(false));
    assert_true(ranks_all(true));
    assert_false(ranks_all(ranks_me() != last));
    assert_true(ranks_decide(ranks_me() == 0));
    assert_false(ranks_decide(ranks_me() != 0));
}

static void test_extremes(void **state) {
    (void)state;
    double me = ranks_me(), last = ranks_count() - 1;
    double most[] = {-1 - me,
                     me,
                     me == 0 ? -0.0 : 0.0,
                     me == last ? INFINITY : -INFINITY,
                     me == last ? NAN : INFINITY,
                     5e-324,
                     me == last ? -NAN : 1};
    double least[] = {-1 - me,
                      me,
                      me == 0 ? 0.0 : -0.0,
                      me == last ? -INFINITY : INFINITY,
                      me == last ? -NAN : -INFINITY,
                      -5e-324,
                      me == last ? NAN : 1};
    ranks_max(most, 7);
    ranks_min(least, 7);
    assert_true(most[0] == -1 && most[1] == last && most[3] == INFINITY && isnan(most[4]));
    assert_true(least[0] == -1 - last && least[1] == 0 && least[3] == -INFINITY);
    assert_true(isnan(least[4]) && isnan(most[6]) && isnan(least[6]));
    assert_true(most[5] == 5e-324 && least[5] == -5e-324);
    // Zeros of both signs: the same bits on all ranks, so that any order gives the same.
    assert_true(signbit(most[2]) == (last == 0) && signbit(least[2]) == (last > 0));
}

static void test_broadcast(void **state) {
    (void)state;
    char text[100];
    int last = ranks_count() - 1;
    ranks_limit_messages(7);
    for (int from = 0; from <= last; from += last > 0 ? last : 1) {
        snprintf(text, sizeof text, "these are the words of rank %d", ranks_me());
        ranks_broadcast(text, sizeof text, from);
        char expected[100];
        snprintf(expected, sizeof expected, "these are the words of rank %d", from);
        assert_string_equal(text, expected);
    }
    ranks_limit_messages(INT32_MAX);
}

static void test_agreement(void **state) {
    (void)state;
    struct gabion_error error = {0};
    assert_true(ranks_agree(&error));
    assert_int_equal(error.status, GABION_OK);

    error_set(&error, GABION_ERROR_INPUT, "line 3 is bad");
    assert_false(ranks_agree(&error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_string_equal(error.text, "line 3 is bad");
}

static void test_following(void **state) {
    (void)state;
    struct gabion_error error = {0};
    assert_true(ranks_follow(&error));
    assert_int_equal(error.status, GABION_OK);
    if (ranks_me() == 0)
        error_set(&error, GABION_ERROR_RUN, "the disk is full");
    assert_false(ranks_follow(&error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_string_equal(error.text, "the disk is full");
}

// The last two ranks fail, each in its own way: of two ranks all of them.
static void test_first_error_wins(void **state) {
    (void)state;
    int count = ranks_count(), me = ranks_me(), first = count > 2 ? count - 2 : 0;
    struct gabion_error error = {0};
    char expected[100] = "";
    if (me >= first)
        error_set(&error, me == first ? GABION_ERROR_RUN : GABION_ERROR_INPUT, "disk %d is full",
                  me);
    assert_false(ranks_agree(&error));
    if (first > 0)
        snprintf(expected, sizeof expected, "rank %d: ", first);
    snprintf(expected + strlen(expected), 50, "disk %d is full", first);
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_string_equal(error.text, expected);
}

// The byte that belongs at a place of the whole.
static unsigned char byte_at(size_t place) { return (unsigned char)(place * 2654435761u >> 13); }

static void check_gather(size_t bytes, size_t limit) {
    int count = ranks_count(), me = ranks_me();
    size_t *offsets = memory_allocate((size_t)count + 1, sizeof *offsets, "offsets");
    ranks_offsets(bytes, offsets);
    assert_int_equal(offsets[me + 1] - offsets[me], bytes);
    size_t size = offsets[count];
    unsigned char *piece = memory_allocate(bytes, 1, "a piece");
    unsigned char *whole = memory_allocate(size, 1, "the whole");
    for (size_t k = 0; k < bytes; k++)
        piece[k] = byte_at(offsets[me] + k);
    ranks_limit_messages(limit);
    for (int to = -1; to < count; to++) {
        memset(whole, 0, size);
        if (to < 0)
            ranks_gather_all(piece, offsets, whole);
        else
            ranks_gather_to(to, piece, offsets, to == me ? whole : NULL);
        for (size_t k = 0; (to < 0 || to == me) && k < size; k++)
            assert_int_equal(whole[k], byte_at(k));
    }
    memcpy(whole + offsets[me], piece, bytes);
    ranks_gather_all(whole + offsets[me], offsets, whole);
    for (size_t k = 0; k < size; k++)
        assert_int_equal(whole[k], byte_at(k));
    ranks_limit_messages(INT32_MAX);
    memory_free(piece);
    memory_free(whole);
    memory_free(offsets);
}

static void test_gathers(void **state) {
    (void)state;
    size_t me = (size_t)ranks_me();
    check_gather(0, INT32_MAX);
    check_gather(5 + 3 * me, INT32_MAX);
    check_gather(me % 2 ? 0 : 1000, INT32_MAX);
    check_gather(1000 + me, 64); // in parts, as pieces beyond 2^31 bytes
    check_gather(me % 2 ? 0 : 64, 64);
}

// Exchanges ----------------------------------------------------------------------------------

// Each element is owned by one rank; who reads it in which channel is random, and every rank knows
// all lists, so that each can say what its copy must become.
#define ELEMENTS 300
#define CHANNELS 5
#define DOUBLES  8 // of an element, of which the first SENT are copied
#define SENT     6

struct plan {
    int owner[ELEMENTS];
    uint64_t readers[CHANNELS][ELEMENTS]; // a bit for each rank
};

// The last channel is empty, in the first one rank 0 alone reads, and each element is in few
// channels.
static void make_plan(struct plan *plan, uint64_t seed) {
    struct random_stream stream = {seed};
    uint64_t count = (uint64_t)ranks_count();
    for (int i = 0; i < ELEMENTS; i++)
        plan->owner[i] = (int)(random_bits(&stream) % count);
    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < ELEMENTS; i++) {
            uint64_t readers = random_bits(&stream) & (((uint64_t)1 << count) - 1);
            readers &= ~((uint64_t)1 << plan->owner[i]);
            if (c == 0)
                readers &= 1;
            bool in = c + 1 < CHANNELS && random_bits(&stream) % 4 == 0;
            plan->readers[c][i] = in ? readers : 0;
        }
}

// Returns how many elements go from one rank to another, in the order of a permutation that both
// know, and their indices.
static size_t list_make(const struct plan *plan, int channel, int from, int to, uint32_t *list) {
    size_t count = 0;
    for (uint32_t k = 0; k < ELEMENTS; k++) {
        uint32_t i = (uint32_t)(k * 7u % ELEMENTS);
        if (plan->owner[i] == from && plan->readers[channel][i] >> to & 1)
            list[count++] = i;
    }
    return count;
}

static void set_channel(struct exchange *exchange, const struct plan *plan, int channel) {
    int count = ranks_count(), me = ranks_me();
    struct exchange_peer *peers = memory_allocate((size_t)count, sizeof *peers, "peers");
    uint32_t *lists = memory_allocate(2 * (size_t)count * ELEMENTS, sizeof *lists, "lists");
    size_t used = 0;
    for (int k = 0; k < count; k++) {
        uint32_t *send = lists + 2 * (size_t)k * ELEMENTS, *receive = send + ELEMENTS;
        if (k == me)
            continue;
        peers[used++] = (struct exchange_peer){
            .rank = k,
            .send = send,
            .receive = receive,
            .send_count = list_make(plan, channel, me, k, send),
            .receive_count = list_make(plan, channel, k, me, receive),
        };
    }
    exchange_set(exchange, channel, peers, used);
    memory_free(peers);
    memory_free(lists);
}

static double value_at(int owner, int i, int part, int turn) {
    return owner + 10 * (i + ELEMENTS * (part + DOUBLES * turn));
}

// What every element is before an exchange: the owner has a new value, the others an old one.
static void fill(double (*array)[DOUBLES], const struct plan *plan, int turn) {
    for (int i = 0; i < ELEMENTS; i++)
        for (int part = 0; part < DOUBLES; part++)
            array[i][part] =
                plan->owner[i] == ranks_me() ? value_at(plan->owner[i], i, part, turn) : -turn;
}

// Checks an array in which the channels of `done` (bits) were exchanged.
static void check_array(double (*array)[DOUBLES], const struct plan *plan, int turn,
                        unsigned done) {
    int me = ranks_me();
    for (int i = 0; i < ELEMENTS; i++) {
        bool arrived = plan->owner[i] == me;
        for (int c = 0; c < CHANNELS; c++)
            arrived = arrived || (done >> c & 1 && plan->readers[c][i] >> me & 1);
        for (int part = 0; part < DOUBLES; part++) {
            bool fresh = plan->owner[i] == me || (arrived && part < SENT);
            assert_true(array[i][part] ==
                        (fresh ? value_at(plan->owner[i], i, part, turn) : -turn));
        }
    }
}

static void check_account(const struct exchange *exchange, const struct plan *plan, int rounds) {
    int64_t messages = 0, bytes = 0;
    uint32_t list[ELEMENTS];
    for (int c = 0; c < CHANNELS; c++)
        for (int k = 0; k < ranks_count(); k++) {
            size_t count = k == ranks_me() ? 0 : list_make(plan, c, ranks_me(), k, list);
            messages += count > 0;
            bytes += (int64_t)(count * SENT * sizeof(double));
        }
    struct exchange_account account = exchange_read_account(exchange);
    assert_int_equal(account.messages, rounds * messages);
    assert_int_equal(account.bytes, rounds * bytes);
    assert_true(account.waiting >= 0);
}

static void exchange_randomly(uint64_t seed) {
    static double array[ELEMENTS][DOUBLES];
    struct plan *plan = memory_allocate(1, sizeof *plan, "a plan");
    make_plan(plan, seed);
    struct exchange *exchange = exchange_create(CHANNELS, sizeof *array, SENT * sizeof **array);
    for (int c = 0; c < CHANNELS; c++)
        set_channel(exchange, plan, c);
    assert_false(exchange_is_used(exchange, CHANNELS - 1));
    unsigned all = (1u << CHANNELS) - 1;
    for (int turn = 1; turn <= 3; turn++) {
        fill(array, plan, turn);
        unsigned done = 0;
        for (int c = 0; c < CHANNELS; c++) {
            exchange_start(exchange, c, array);
            exchange_finish(exchange, c, array);
            done |= 1u << c;
            check_array(array, plan, turn, done);
        }
        // All channels on the way at once.
        fill(array, plan, turn + 10);
        for (int c = 0; c < CHANNELS; c++)
            exchange_start(exchange, c, array);
        for (int c = CHANNELS; c-- > 0;)
            exchange_finish(exchange, c, array);
        check_array(array, plan, turn + 10, all);
    }
    check_account(exchange, plan, 6);
    exchange_free(exchange);
    memory_free(plan);
}

static void test_exchanges(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        exchange_randomly(seed);
    exchange_free(NULL);
}

// A message above the size from which MPI waits for the receiver, in both directions at once.
static void test_large_exchange(void **state) {
    (void)state;
    int count = ranks_count(), me = ranks_me();
    uint32_t half = 1 << 18;
    struct exchange *exchange = exchange_create(1, sizeof(double), sizeof(double));
    double *array = memory_allocate(2 * half, sizeof *array, "numbers");
    uint32_t *list = memory_allocate(2 * half, sizeof *list, "a list");
    for (uint32_t k = 0; k < 2 * half; k++)
        list[k] = k;
    // In a ring: from the one before into the second half, to the one behind from the first.
    struct exchange_peer peers[] = {
        {.rank = (me + 1) % count, .send = list, .send_count = half},
        {.rank = (me + count - 1) % count, .receive = list + half, .receive_count = half},
    };
    if (count == 2) {
        peers[0].receive = peers[1].receive;
        peers[0].receive_count = half;
    }
    exchange_set(exchange, 0, peers, count == 1 ? 0 : count == 2 ? 1 : 2);
    for (uint32_t k = 0; k < half; k++)
        array[k] = array[half + k] = me + 8.0 * k;
    exchange_start(exchange, 0, array);
    exchange_finish(exchange, 0, array);
    for (uint32_t k = 0; k < half; k++)
        assert_true(array[half + k] == (me + count - 1) % count + 8.0 * k);
    exchange_free(exchange);
    memory_free(array);
    memory_free(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),          cmocka_unit_test(test_sums),
        cmocka_unit_test(test_long_sum),         cmocka_unit_test(test_bits),
        cmocka_unit_test(test_extremes),         cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_agreement),        cmocka_unit_test(test_following),
        cmocka_unit_test(test_first_error_wins), cmocka_unit_test(test_gathers),
        cmocka_unit_test(test_exchanges),        cmocka_unit_test(test_large_exchange),
    };
    ranks_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    // The others may be waiting for a rank whose test failed.
    if (failed > 0)
        ranks_abort("a test failed");
    return ranks_end(0);
}
