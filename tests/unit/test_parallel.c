// The thread team, sums, sort, colouring, hash, memory and errors.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "parallel/clock.h"
#include "parallel/colour.h"
#include "parallel/error.h"
#include "parallel/hash.h"
#include "parallel/memory.h"
#include "parallel/random.h"
#include "parallel/sort.h"
#include "parallel/team.h"

static const int team_sizes[] = {1, 2, 3, 7};
#define TEAM_SIZES (sizeof team_sizes / sizeof *team_sizes)

static struct team *team_of(int threads) {
    struct gabion_error error = {0};
    struct team *team = team_create(threads, NULL, &error);
    assert_non_null(team);
    assert_int_equal(team_size(team), threads);
    return team;
}

static void test_error_keeps_first_cause(void **state) {
    (void)state;
    struct gabion_error error = {0};
    assert_false(error_context(&error, "nothing"));
    assert_int_equal(error.status, GABION_OK);
    assert_false(error_set(&error, GABION_ERROR_INPUT, "radius is %d", -1));
    assert_false(error_set(&error, GABION_ERROR_RUN, "later"));
    assert_false(error_context(&error, "case.yaml:%d", 7));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_string_equal(error.text, "case.yaml:7: radius is -1");
}

static void test_error_cuts_long_text(void **state) {
    (void)state;
    struct gabion_error error = {0};
    char *name = memory_allocate(2 * sizeof error.text, 1, "long name");
    memset(name, 'x', 2 * sizeof error.text - 1);
    error_set(&error, GABION_ERROR_RUN, "%s", name);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    error_context(&error, "folder");
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_memory_equal(error.text, "folder: xx", 10);
    error_context(&error, "%s", name);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    memory_free(name);
}

static void test_memory(void **state) {
    (void)state;
    void *empty = memory_allocate(0, 8, "nothing");
    assert_non_null(empty);
    memory_free(empty);

    int *numbers = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        numbers = memory_reserve(numbers, &capacity, (size_t)i + 1, sizeof *numbers, "numbers");
        assert_true(capacity > (size_t)i);
        numbers[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], i);
    assert_true(capacity <= 1500);
    memory_free(numbers);

    char *lines = NULL;
    size_t aligned = 0;
    for (size_t needed = 1; needed < 100000; needed *= 3) {
        lines = memory_reserve_aligned(lines, &aligned, needed, 3, "lines");
        assert_int_equal((uintptr_t)lines % CACHE_LINE, 0);
        memset(lines, 1, 3 * aligned);
    }
    memory_free(lines);
}

static void test_team_rejects_bad_sizes(void **state) {
    (void)state;
    struct gabion_error error = {0};
    assert_null(team_create(-1, NULL, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    error = (struct gabion_error){0};
    assert_null(team_create(1000000, NULL, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_non_null(strstr(error.text, "1000000 threads"));
}

struct attendance {
    int calls[8];
    int parts;
};

static void attend(void *context, int part, int parts) {
    struct attendance *attendance = context;
    attendance->calls[part]++;
    if (part == 0)
        attendance->parts = parts;
}

static void test_team_run_with_fewer_parts(void **state) {
    (void)state;
    struct team *team = team_of(7);
    for (int asked = 0; asked <= 9; asked++) {
        struct attendance attendance = {0};
        team_run(team, asked, attend, &attendance);
        int expected = asked == 0 || asked > 7 ? 7 : asked;
        assert_int_equal(attendance.parts, expected);
        for (int part = 0; part < 8; part++)
            assert_int_equal(attendance.calls[part], part < expected);
    }
    team_destroy(team);
}

#define PHASES 2000
struct phases {
    int current;
    int phase[8 *
              16]; // one cache line per part, plain: the end of a loop alone orders the accesses
    int wrong[8];
};

static void phase_write(void *context, int part, int parts) {
    (void)parts;
    struct phases *phases = context;
    phases->phase[part * 16] = phases->current;
}

static void phase_compare(void *context, int part, int parts) {
    struct phases *phases = context;
    for (int other = 0; other < parts; other++)
        phases->wrong[part] += phases->phase[other * 16] != phases->current;
}

static void test_a_loop_sees_what_the_one_before_wrote(void **state) {
    (void)state;
    for (size_t s = 0; s < TEAM_SIZES; s++) {
        struct team *team = team_of(team_sizes[s]);
        // Fewer, then more again: threads that sat out must not be a loop behind.
        int asked[] = {0, 2, 3, 1, 0};
        for (size_t a = 0; a < sizeof asked / sizeof *asked; a++) {
            struct phases phases = {0};
            for (phases.current = 1; phases.current <= PHASES; phases.current++) {
                team_run(team, asked[a], phase_write, &phases);
                team_run(team, asked[a], phase_compare, &phases);
            }
            for (int part = 0; part < 8; part++)
                assert_int_equal(phases.wrong[part], 0);
        }
        team_destroy(team);
    }
}

#define HELD_CHUNKS 100
struct held {
    size_t chunk;        // is held until all others are done
    _Atomic size_t done; // chunks
    bool alone;          // the others were not done in time
};

static void hold_chunk(void *context, size_t begin, size_t end) {
    (void)end;
    struct held *held = context;
    if (begin == held->chunk) {
        double start = clock_seconds();
        while (held->done < HELD_CHUNKS - 1 && !held->alone)
            held->alone = clock_seconds() > start + 60;
    }
    held->done++;
}

// As when a thread loses its core: it holds one chunk, and the others do all the rest, also those
// that have fallen asleep since the last loop.
static void test_a_thread_that_stops_holds_one_chunk(void **state) {
    (void)state;
    for (size_t s = 1; s < TEAM_SIZES; s++) {
        struct team *team = team_of(team_sizes[s]);
        for (size_t chunk = 0; chunk < HELD_CHUNKS; chunk += 11) {
            struct held held = {.chunk = chunk};
            nanosleep(&(struct timespec){.tv_nsec = chunk % 2 * 2000000}, NULL);
            team_for(team, HELD_CHUNKS, 1, hold_chunk, &held);
            assert_false(held.alone);
            assert_int_equal(held.done, HELD_CHUNKS);
        }
        team_destroy(team);
    }
}

static void test_without_a_team(void **state) {
    (void)state;
    struct attendance attendance = {0};
    team_run(NULL, 0, attend, &attendance);
    assert_int_equal(attendance.parts, 1);
    assert_int_equal(attendance.calls[0], 1);
    assert_int_equal(team_size(NULL), 1);
    assert_int_equal(team_worth(NULL, 1000, 1), 1);
}

struct visits {
    size_t chunk;
    uint8_t *count;
    uint8_t *begins;
};

static void visit(void *context, size_t begin, size_t end) {
    struct visits *visits = context;
    if (begin % visits->chunk == 0 && end - begin <= visits->chunk && end > begin)
        visits->begins[begin] = 1;
    for (size_t i = begin; i < end; i++)
        visits->count[i]++;
}

static void test_team_for_visits_every_index_once(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 63, 64, 65, 1000, 6400};
    for (size_t s = 0; s < TEAM_SIZES; s++) {
        struct team *team = team_of(team_sizes[s]);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            struct visits visits = {.chunk = 64,
                                    .count = memory_allocate(counts[c], 1, "visits"),
                                    .begins = memory_allocate(counts[c], 1, "visits")};
            team_for(team, counts[c], 64, visit, &visits);
            for (size_t i = 0; i < counts[c]; i++) {
                assert_int_equal(visits.count[i], 1);
                assert_int_equal(visits.begins[i], i % 64 == 0);
            }
            memory_free(visits.count);
            memory_free(visits.begins);
        }
        team_destroy(team);
    }
}

// The sum and the sum of squares differ in the last bits when the order of the additions changes.
static void add_numbers(void *context, size_t begin, size_t end, struct binned_sum *out) {
    const double *numbers = context;
    for (size_t i = begin; i < end; i++) {
        binned_add(&out[0], numbers[i]);
        binned_add(&out[1], numbers[i] * numbers[i]);
    }
}

static void largest_number(void *context, size_t begin, size_t end, double *out) {
    const double *numbers = context;
    for (size_t i = begin; i < end; i++)
        if (fabs(numbers[i]) > out[0] || isnan(numbers[i]))
            out[0] = fabs(numbers[i]);
}

// Sizes over 30 decades: no two orders of addition agree.
static double *wild_numbers(size_t count) {
    struct random_stream random = {1};
    double *numbers = memory_allocate(count, sizeof *numbers, "numbers");
    for (size_t i = 0; i < count; i++)
        numbers[i] =
            random_between(&random, -1, 1) * pow(10, floor(random_between(&random, -15, 15)));
    return numbers;
}

static void test_sum_has_the_same_bits_for_every_team(void **state) {
    (void)state;
    enum { COUNT = 100003 };
    double *numbers = wild_numbers(COUNT);
    struct binned_sum backwards[2] = {0};
    double plain = 0, plain_backwards = 0;
    for (size_t i = 0; i < COUNT; i++) {
        plain += numbers[i];
        plain_backwards += numbers[COUNT - 1 - i];
        add_numbers(numbers, COUNT - 1 - i, COUNT - i, backwards);
    }
    assert_true(plain != plain_backwards); // the numbers can tell one order from another
    double expected[2] = {binned_value(&backwards[0]), binned_value(&backwards[1])};
    for (size_t s = 0; s < TEAM_SIZES; s++) {
        struct team *team = team_of(team_sizes[s]);
        for (int repeat = 0; repeat < 3; repeat++) {
            double total[2] = {1, 1};
            team_sum(team, COUNT, 2, add_numbers, numbers, total);
            assert_memory_equal(total, expected, sizeof total);
        }
        double empty[2] = {1, 1};
        team_sum(team, 0, 2, add_numbers, numbers, empty);
        assert_true(empty[0] == 0 && empty[1] == 0);
        team_destroy(team);
    }
    memory_free(numbers);
}

static void test_max(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    double *numbers = wild_numbers(COUNT);
    double expected = 0;
    for (size_t i = 0; i < COUNT; i++)
        expected = fmax(expected, fabs(numbers[i]));
    for (size_t s = 0; s < TEAM_SIZES; s++) {
        struct team *team = team_of(team_sizes[s]);
        double largest;
        team_max(team, COUNT, 1, largest_number, numbers, &largest);
        assert_true(largest == expected);
        double kept = numbers[5000];
        numbers[5000] = NAN; // must not be hidden by the chunks before or after
        team_max(team, COUNT, 1, largest_number, numbers, &largest);
        assert_true(isnan(largest));
        numbers[5000] = kept;
        team_destroy(team);
    }
    memory_free(numbers);
}

struct record {
    uint64_t key;
    uint32_t value;
};

static uint64_t record_mask; // qsort takes no context

// Ties by the first position, which is the value: the order a stable sort gives.
static int record_compare(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    uint64_t key_x = x->key & record_mask, key_y = y->key & record_mask;
    if (key_x != key_y)
        return key_x < key_y ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static void sort_check(struct team *team, size_t count, int bits, uint64_t keep) {
    struct random_stream random = {count + (uint64_t)bits};
    struct record *records = memory_allocate(count, sizeof *records, "records");
    uint64_t *keys = memory_allocate(count, sizeof *keys, "keys");
    uint32_t *values = memory_allocate(count, sizeof *values, "values");
    for (size_t i = 0; i < count; i++) {
        keys[i] = records[i].key = random_bits(&random) & keep;
        values[i] = records[i].value = (uint32_t)i;
    }
    record_mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    qsort(records, count, sizeof *records, record_compare);
    sort_by_key(team, keys, values, count, bits);
    for (size_t i = 0; i < count; i++) {
        assert_true(keys[i] == records[i].key);
        assert_int_equal(values[i], records[i].value);
    }
    memory_free(records);
    memory_free(keys);
    memory_free(values);
}

static void test_sort_against_qsort(void **state) {
    (void)state;
    for (size_t s = 0; s < TEAM_SIZES; s++) {
        struct team *team = team_of(team_sizes[s]);
        sort_check(team, 0, 64, UINT64_MAX);
        sort_check(team, 1, 64, UINT64_MAX);
        sort_check(team, 1000, 64, UINT64_MAX);
        sort_check(team, 70001, 64, UINT64_MAX);
        sort_check(team, 70001, 64, 0xff0000ff00f00003u); // digits equal for all: skipped
        sort_check(team, 70001, 64, 0);
        sort_check(team, 70001, 21, UINT64_MAX); // three passes, the last of 5 bits
        sort_check(team, 70001, 4, UINT64_MAX);  // an odd number of passes, many ties
        sort_check(team, 70001, 0, UINT64_MAX);
        team_destroy(team);
    }
}

#define NODES 500
#define PAIRS 20000
struct graph {
    int32_t first[PAIRS], second[PAIRS];
    size_t count;
};

// Random pairs; an index outside [0, fixed) takes part in at most `degree` of them.
static void graph_fill(struct graph *graph, struct random_stream *random, int fixed, int degree) {
    int used[NODES] = {0};
    graph->count = 0;
    for (int trial = 0; trial < PAIRS; trial++) {
        int32_t a = (int32_t)(random_bits(random) % NODES);
        int32_t b = (int32_t)(random_bits(random) % NODES);
        if (a == b || (a >= fixed && used[a] == degree) || (b >= fixed && used[b] == degree))
            continue;
        used[a]++, used[b]++;
        graph->first[graph->count] = a;
        graph->second[graph->count++] = b;
    }
}

struct coloured {
    uint8_t turn[PAIRS], colour[PAIRS];
    uint32_t order[PAIRS];
    uint64_t mask[PAIRS];
    int32_t owner[PAIRS];
    int colours;
};

// Colours pairs that are named by their indices and their places in the list.
static void colour_all(struct team *team, const int32_t *first, const int32_t *second, size_t count,
                       size_t indices, int32_t fixed_begin, int32_t fixed_end,
                       struct coloured *result) {
    struct colour_graph graph = {first,   second,      result->turn, count,
                                 indices, fixed_begin, fixed_end};
    struct colour_room room = {result->order, result->mask, result->owner};
    for (size_t k = 0; k < count; k++)
        result->turn[k] = colour_turn(first[k], second[k], (uint32_t)k);
    memset(result->mask, 0xff, sizeof result->mask);
    memset(result->owner, 0xff, sizeof result->owner);
    memset(result->colour, 0xff, sizeof result->colour);
    result->colours = colour_pairs(team, &graph, &room, result->colour);
}

static void assert_valid(const struct graph *graph, int fixed, const struct coloured *result,
                         size_t indices) {
    static uint64_t seen[PAIRS];
    memset(seen, 0, indices * sizeof *seen);
    int largest = 0;
    for (size_t k = 0; k < graph->count; k++) {
        uint64_t bit = (uint64_t)1 << result->colour[k];
        int32_t ends[] = {graph->first[k], graph->second[k]};
        for (int e = 0; e < 2; e++) {
            if (ends[e] < fixed)
                continue;
            assert_true((seen[ends[e]] & bit) == 0);
            seen[ends[e]] |= bit;
        }
        largest = result->colour[k] > largest ? result->colour[k] : largest;
    }
    assert_int_equal(result->colours, largest + 1);
}

static void test_colouring_is_valid(void **state) {
    (void)state;
    static struct graph graph;
    static struct coloured result;
    struct random_stream random = {3};
    for (int trial = 0; trial < 20; trial++) {
        int fixed = trial % 2 * 10; // every other graph has ten fixed indices of huge degree
        graph_fill(&graph, &random, fixed, COLOUR_DEGREE_MAX);
        assert_true(graph.count > NODES * 12);
        colour_all(NULL, graph.first, graph.second, graph.count, NODES, 0, fixed, &result);
        assert_in_range(result.colours, COLOUR_DEGREE_MAX, COLOUR_MAX);
        assert_valid(&graph, fixed, &result, NODES);
    }
}

// The rule in other words: a pair has the least colour that no neighbour before it has, where pairs
// of lower turns are before, and of the same turn those that are earlier in the list.
static void assert_first_fit(const struct graph *graph, int fixed, const struct coloured *result) {
    static uint64_t before[PAIRS];
    memset(before, 0, sizeof before);
    for (int turn = 0; turn < COLOUR_TURNS; turn++)
        for (size_t k = 0; k < graph->count; k++) {
            int32_t a = graph->first[k], b = graph->second[k];
            if (result->turn[k] != turn)
                continue;
            uint64_t used = (a < fixed ? 0 : before[a]) | (b < fixed ? 0 : before[b]);
            int least = 0;
            while (used >> least & 1)
                least++;
            assert_int_equal(result->colour[k], least);
            before[a] |= (uint64_t)1 << least;
            before[b] |= (uint64_t)1 << least;
        }
}

// Each index has pairs with the next few, as bodies along a curve have: most pairs need no other
// thread. Random pairs all do.
static void test_colours_are_the_same_for_every_team(void **state) {
    (void)state;
    static struct graph graph;
    static struct coloured alone, result;
    struct random_stream random = {4};
    for (int trial = 0; trial < 4; trial++) {
        size_t indices = trial < 2 ? PAIRS / 4 + 4 : NODES;
        int fixed = trial % 2 * 10;
        if (trial < 2) {
            graph.count = PAIRS;
            for (int k = 0; k < PAIRS; k++) {
                graph.first[k] = k / 4;
                graph.second[k] = k % 5 == 0 && fixed > 0 ? k % fixed : k / 4 + 1 + k % 4;
            }
        } else {
            graph_fill(&graph, &random, fixed, COLOUR_DEGREE_MAX);
        }
        colour_all(NULL, graph.first, graph.second, graph.count, indices, 0, fixed, &alone);
        assert_valid(&graph, fixed, &alone, indices);
        assert_first_fit(&graph, fixed, &alone);
        for (size_t s = 0; s < TEAM_SIZES; s++) {
            struct team *team = team_of(team_sizes[s]);
            for (int repeat = 0; repeat < 5; repeat++) {
                colour_all(team, graph.first, graph.second, graph.count, indices, 0, fixed,
                           &result);
                assert_int_equal(result.colours, alone.colours);
                assert_memory_equal(result.colour, alone.colour, graph.count);
            }
            team_destroy(team);
        }
    }
}

// 100 grains on one floor: with the floor fixed one colour does, else they run out of 64.
static void test_colouring_ignores_fixed_range(void **state) {
    (void)state;
    static struct coloured result;
    int32_t floor_index[100], grain[100];
    for (int k = 0; k < 100; k++) {
        floor_index[k] = 100;
        grain[k] = k;
    }
    colour_all(NULL, grain, floor_index, 100, 101, 100, 101, &result);
    assert_int_equal(result.colours, 1);
    colour_all(NULL, floor_index, grain, 100, 101, 100, 101, &result);
    assert_int_equal(result.colours, 1);
    colour_all(NULL, grain, floor_index, 64, 101, 0, 0, &result);
    assert_int_equal(result.colours, 64);
    colour_all(NULL, grain, floor_index, 65, 101, 0, 0, &result);
    assert_int_equal(result.colours, -1);
    colour_all(NULL, grain, floor_index, 0, 101, 0, 0, &result);
    assert_int_equal(result.colours, 0);
}

// Published values of XXH64 (seed 0, and the sanity buffer of the reference implementation).
static void test_hash_values(void **state) {
    (void)state;
    assert_true(hash_bytes(0, "", 0) == 0xef46db3751d8e999u);
    assert_true(hash_bytes(0, NULL, 0) == 0xef46db3751d8e999u);
    assert_true(hash_bytes(0, "a", 1) == 0xd24ec4f1a98c6e5bu);
    assert_true(hash_bytes(0, "abc", 3) == 0x44bc2cf5ad770999u);
    const char *fox = "The quick brown fox jumps over the lazy dog";
    assert_true(hash_bytes(0, fox, strlen(fox)) == 0x0b242d361fda71bcu);
}

// Pieces of any sizes have the hash of the whole.
static void test_hash_of_pieces(void **state) {
    (void)state;
    unsigned char bytes[200];
    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (unsigned char)(k * 37 + 11);
    for (size_t size = 0; size <= sizeof bytes; size++)
        for (size_t piece = 1; piece <= 70; piece++) {
            struct hash_stream stream;
            hash_stream_begin(&stream, HASH_START);
            for (size_t at = 0; at < size; at += piece)
                hash_stream_add(&stream, bytes + at, size - at < piece ? size - at : piece);
            assert_true(hash_stream_end(&stream) == hash_bytes(HASH_START, bytes, size));
        }
}

static void test_hash_sees_every_bit(void **state) {
    (void)state;
    unsigned char bytes[100] = {0};
    for (size_t size = 1; size <= sizeof bytes; size++) {
        uint64_t before = hash_bytes(HASH_START, bytes, size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            int changed = __builtin_popcountll(before ^ hash_bytes(HASH_START, bytes, size));
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_in_range(changed, 10, 54); // well mixed: far fewer or more is a weak hash
        }
        assert_true(before != hash_bytes(HASH_START, bytes, size - 1));
        assert_true(before != hash_bytes(HASH_START + 1, bytes, size));
    }
}

static void test_hash_ignores_alignment(void **state) {
    (void)state;
    unsigned char bytes[116], moved[116];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 37 + 11);
    for (size_t shift = 0; shift < 16; shift++) {
        memcpy(moved + shift, bytes, 100);
        assert_true(hash_bytes(HASH_START, moved + shift, 100) ==
                    hash_bytes(HASH_START, bytes, 100));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_keeps_first_cause),
        cmocka_unit_test(test_error_cuts_long_text),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_team_rejects_bad_sizes),
        cmocka_unit_test(test_team_run_with_fewer_parts),
        cmocka_unit_test(test_a_loop_sees_what_the_one_before_wrote),
        cmocka_unit_test(test_a_thread_that_stops_holds_one_chunk),
        cmocka_unit_test(test_without_a_team),
        cmocka_unit_test(test_team_for_visits_every_index_once),
        cmocka_unit_test(test_sum_has_the_same_bits_for_every_team),
        cmocka_unit_test(test_max),
        cmocka_unit_test(test_sort_against_qsort),
        cmocka_unit_test(test_colouring_is_valid),
        cmocka_unit_test(test_colours_are_the_same_for_every_team),
        cmocka_unit_test(test_colouring_ignores_fixed_range),
        cmocka_unit_test(test_hash_values),
        cmocka_unit_test(test_hash_of_pieces),
        cmocka_unit_test(test_hash_sees_every_bit),
        cmocka_unit_test(test_hash_ignores_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
