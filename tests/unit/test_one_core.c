// A team whose threads share one core, as when another program has taken the others.
#define _GNU_SOURCE // sched_getcpu
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <stdbool.h>

#include "parallel/clock.h"
#include "parallel/team.h"

#define THREADS 2
#define CHUNKS  40
#define ROUNDS  20
#define STAGES  100 // take some ten times as long as a thread looks before it stays away

static cpu_set_t all;

// The thread of the test and those that it starts have one core.
static struct team *open_team(void) {
    struct gabion_error error = {0};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    struct team *team = team_create(THREADS, NULL, &error);
    assert_non_null(team);
    return team;
}

static void close_team(struct team *team) {
    team_destroy(team);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

// A chunk of a sweep takes about as long.
static void count_chunk(void *context, size_t begin, size_t end) {
    (void)end;
    for (volatile int k = 0; k < 500; k++)
        continue;
    ((int *)context)[begin]++;
}

struct held {
    _Atomic size_t done; // chunks
    bool alone;          // the others were not done in time
};

static void hold_first(void *context, size_t begin, size_t end) {
    (void)end;
    struct held *held = context;
    double start = clock_seconds();
    while (begin == 0 && held->done < CHUNKS - 1 && !held->alone)
        held->alone = clock_seconds() > start + 60;
    held->done++;
}

// Whoever stays away comes back: a stage whose first chunk is held is done but for that one.
static void test_the_other_thread_comes_back(void **state) {
    (void)state;
    struct team *team = open_team();
    int count[CHUNKS] = {0};
    for (int round = 1; round <= ROUNDS; round++) {
        struct held held = {0};
        for (int stage = 0; stage < STAGES; stage++)
            team_for(team, CHUNKS, 1, count_chunk, count);
        team_for(team, CHUNKS, 1, hold_first, &held);
        assert_false(held.alone);
        assert_int_equal(held.done, CHUNKS);
        for (int chunk = 0; chunk < CHUNKS; chunk++)
            assert_int_equal(count[chunk], round * STAGES);
    }
    close_team(team);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_other_thread_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
