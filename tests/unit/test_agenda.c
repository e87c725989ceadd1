// The agenda of healing (engine/step/agenda.h) against a list of marks that is looked through
// contact by contact.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/step/agenda.h"
#include "parallel/random.h"

#define BODIES   90
#define CONTACTS 400
#define SWEEPS   50

struct marks {
    struct contact list[CONTACTS];
    size_t count;
    bool now[CONTACTS], next[CONTACTS];
};

// Bodies from BODIES on do not move.
static struct marks marks_random(struct random_stream *random, size_t count) {
    struct marks marks = {.count = count};
    for (size_t k = 0; k < count; k++) {
        int32_t c = (int32_t)(random_bits(random) % BODIES);
        int32_t a = (c + 1 + (int32_t)(random_bits(random) % BODIES)) % (BODIES + 5);
        marks.list[k] = (struct contact){.c = c, .a = a == c ? BODIES : a};
    }
    return marks;
}

static void mark(struct marks *marks, int32_t body) {
    for (size_t k = 0; k < marks->count; k++)
        if (marks->list[k].c == body || marks->list[k].a == body)
            marks->now[k] = marks->next[k] = true;
}

static size_t marked_from(const struct marks *marks, size_t k) {
    while (k < marks->count && !marks->now[k])
        k++;
    return k;
}

static size_t marked_before(const struct marks *marks, size_t k) {
    while (k > 0)
        if (marks->now[--k])
            return k;
    return marks->count;
}

static void turn(struct marks *marks) {
    for (size_t k = 0; k < marks->count; k++) {
        marks->now[k] = marks->next[k];
        marks->next[k] = false;
    }
}

// In some visits a body of the contact moves, which adds contacts before and after it.
static void visit(struct random_stream *random, struct agenda *agenda, struct marks *marks,
                  size_t k) {
    uint64_t draw = random_bits(random) % 5;
    int32_t body = draw == 0 ? marks->list[k].c : marks->list[k].a;
    if (draw > 1 || body >= BODIES)
        return;
    agenda_add(agenda, body);
    mark(marks, body);
}

static size_t do_sweeps(struct random_stream *random, struct marks *marks) {
    size_t visits = 0, count = marks->count;
    struct agenda agenda = agenda_open(marks->list, count, BODIES);
    agenda_add(&agenda, 3);
    mark(marks, 3);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool back = sweep % 2 == 1;
        size_t k = back ? agenda_before(&agenda, count) : agenda_from(&agenda, 0);
        assert_int_equal(k, back ? marked_before(marks, count) : marked_from(marks, 0));
        for (; k < count; visits++) {
            visit(random, &agenda, marks, k);
            size_t wanted = back ? marked_before(marks, k) : marked_from(marks, k + 1);
            k = back ? agenda_before(&agenda, k) : agenda_from(&agenda, k + 1);
            assert_int_equal(k, wanted);
        }
        agenda_turn(&agenda);
        turn(marks);
    }
    agenda_close(&agenda);
    return visits;
}

static void sweeps_visit_what_moved(void **state) {
    (void)state;
    struct random_stream random = {1};
    size_t counts[] = {1, 63, 64, 65, 128, 300, CONTACTS}, visits = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct marks marks = marks_random(&random, counts[i]);
        visits += do_sweeps(&random, &marks);
    }
    assert_true(visits > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sweeps_visit_what_moved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
