// Work beside the calling thread. All expected values follow from the order that the interface
// promises.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "parallel/background.h"
#include "parallel/memory.h"

// A piece that waits for a gate, and what it did.
struct work {
    pthread_mutex_t *gate;
    int done, *order;
    bool fails, exhausts, saw_signals_blocked;
    bool other_thread;
    pthread_t caller;
};

static bool work_do(void *context, struct gabion_error *error) {
    struct work *work = context;
    sigset_t blocked;
    if (work->gate) {
        pthread_mutex_lock(work->gate);
        pthread_mutex_unlock(work->gate);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    work->saw_signals_blocked = sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM);
    work->other_thread = !pthread_equal(work->caller, pthread_self());
    if (work->exhausts)
        memory_exhausted(3, 5, "test words");
    if (work->order)
        work->done = ++*work->order;
    return !work->fails || error_set(error, GABION_ERROR_RUN, "the piece failed");
}

static struct background *make(void) {
    struct background *background = background_create();
    assert_non_null(background);
    return background;
}

static void the_caller_goes_on_while_a_piece_works(void **state) {
    (void)state;
    struct gabion_error error = {0};
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int order = 0;
    struct work work = {.gate = &gate, .order = &order, .caller = pthread_self()};
    struct background *background = make();
    pthread_mutex_lock(&gate);
    assert_true(background_start(background, work_do, &work, &error));
    assert_true(background_check(background, &error)); // returns although the piece cannot end
    assert_int_equal(work.done, 0);
    pthread_mutex_unlock(&gate);
    assert_true(background_wait(background, &error));
    assert_int_equal(work.done, 1);
    assert_true(work.other_thread);
    assert_true(work.saw_signals_blocked);
    assert_true(background_seconds(background) >= 0);
    background_destroy(background);
}

static void pieces_are_done_one_after_the_other(void **state) {
    (void)state;
    struct gabion_error error = {0};
    int order = 0;
    struct work work[20];
    struct background *background = make();
    for (int k = 0; k < 20; k++) {
        work[k] = (struct work){.order = &order};
        assert_true(background_start(background, work_do, &work[k], &error));
        if (k > 0)
            assert_int_equal(work[k - 1].done, k);
    }
    background_destroy(background); // waits for the last one
    assert_int_equal(work[19].done, 20);
}

static void a_failure_stops_the_next_piece_and_is_given_once(void **state) {
    (void)state;
    struct gabion_error error = {0}, again = {0};
    int order = 0;
    struct work bad = {.fails = true}, next = {.order = &order};
    struct background *background = make();
    assert_true(background_start(background, work_do, &bad, &error));
    assert_false(background_start(background, work_do, &next, &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_string_equal(error.text, "the piece failed");
    assert_true(background_wait(background, &again));
    assert_int_equal(next.done, 0);
    assert_true(background_start(background, work_do, &next, &again));
    assert_true(background_wait(background, &again));
    assert_int_equal(next.done, 1);
    background_destroy(background);
}

static void lack_of_memory_is_a_failure(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct work work = {.exhausts = true};
    struct background *background = make();
    assert_true(background_start(background, work_do, &work, &error));
    assert_false(background_wait(background, &error));
    assert_int_equal(error.status, GABION_ERROR_MEMORY);
    assert_non_null(strstr(error.text, "test words"));
    background_destroy(background);
}

static void without_memory_there_is_no_thread(void **state) {
    (void)state;
    memory_fail_after(0);
    assert_null(background_create());
    background_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_caller_goes_on_while_a_piece_works),
        cmocka_unit_test(pieces_are_done_one_after_the_other),
        cmocka_unit_test(a_failure_stops_the_next_piece_and_is_given_once),
        cmocka_unit_test(lack_of_memory_is_a_failure),
        cmocka_unit_test(without_memory_there_is_no_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
