// Items that another thread takes. All expected values follow from the order that the interface
// promises.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "parallel/memory.h"
#include "parallel/outbox.h"

#define CAPACITY 8
#define FOREVER  1e6 // s: only a call can make the thread take items

// What was taken, and what is to go wrong.
struct table {
    int64_t sum, next; // of items; the one that is expected
    size_t batches, largest;
    int failing; // batches that fail
    bool exhausts, disorder;
};

static bool take(void *context, const void *items, size_t count, struct gabion_error *error) {
    struct table *table = context;
    const int64_t *item = items;
    table->batches++;
    table->largest = count > table->largest ? count : table->largest;
    for (size_t k = 0; k < count; k++) {
        table->disorder |= item[k] != table->next++;
        table->sum += item[k];
    }
    if (table->exhausts)
        memory_exhausted(3, 5, "test words");
    return table->failing-- <= 0 || error_set(error, GABION_ERROR_RUN, "batch failed");
}

static struct outbox *open_box(struct table *table, double delay) {
    struct outbox *outbox = outbox_create(sizeof(int64_t), CAPACITY, delay, take, table);
    assert_non_null(outbox);
    return outbox;
}

static void put_to(struct outbox *outbox, int64_t last, int64_t first) {
    struct gabion_error error = {0};
    for (int64_t item = first; item < last; item++)
        assert_true(outbox_put(outbox, &item, &error));
}

static void items_come_in_order(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct table table = {0};
    struct outbox *outbox = open_box(&table, FOREVER);
    put_to(outbox, 1000, 0); // many times the room that there is
    assert_true(outbox_wait(outbox, &error));
    assert_int_equal(table.sum, 1000 * 999 / 2);
    assert_false(table.disorder);
    assert_in_range(table.largest, CAPACITY / 2, CAPACITY);
    assert_true(outbox_seconds(outbox) >= 0);
    outbox_destroy(outbox);
}

static void few_items_are_taken_by_a_call(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct table table = {0};
    struct outbox *outbox = open_box(&table, FOREVER);
    assert_true(outbox_wait(outbox, &error)); // nothing to take
    put_to(outbox, 3, 0);
    assert_true(outbox_wait(outbox, &error));
    assert_int_equal(table.sum, 3);
    assert_int_equal(table.batches, 1);
    put_to(outbox, 5, 3);
    outbox_destroy(outbox); // takes what is left
    assert_int_equal(table.sum, 10);
    outbox_destroy(NULL);
}

// Without a call they are taken after the delay; outbox_wait would not return otherwise.
static void items_are_taken_by_and_by(void **state) {
    (void)state;
    struct table table = {0};
    struct outbox *outbox = open_box(&table, 1e-3);
    put_to(outbox, 1, 0);
    while (outbox_seconds(outbox) <= 0) // until a batch is done
        sched_yield();
    assert_int_equal(table.batches, 1);
    outbox_destroy(outbox);
}

static void a_failure_is_given_once(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct table table = {.failing = 1};
    struct outbox *outbox = open_box(&table, FOREVER);
    put_to(outbox, 1, 0);
    assert_false(outbox_wait(outbox, &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_string_equal(error.text, "batch failed");
    error = (struct gabion_error){0};
    put_to(outbox, 2, 1);
    assert_true(outbox_wait(outbox, &error));
    outbox_destroy(outbox);
    assert_false(table.disorder);
    assert_int_equal(table.next, 2);
}

static void lack_of_memory_is_a_failure(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct table table = {.exhausts = true};
    struct outbox *outbox = open_box(&table, FOREVER);
    put_to(outbox, 1, 0);
    assert_false(outbox_wait(outbox, &error));
    assert_int_equal(error.status, GABION_ERROR_MEMORY);
    outbox_destroy(outbox);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_in_order),
        cmocka_unit_test(few_items_are_taken_by_a_call),
        cmocka_unit_test(items_are_taken_by_and_by),
        cmocka_unit_test(a_failure_is_given_once),
        cmocka_unit_test(lack_of_memory_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
