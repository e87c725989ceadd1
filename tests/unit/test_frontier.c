// What a position pass looks at (engine/step/frontier.h), against a search of all contacts.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/contact/contacts.h"
#include "engine/step/frontier.h"
#include "parallel/random.h"

#define BODIES   40
#define MOVING   30
#define CONTACTS 300
#define JOINTS   50

struct scene {
    struct contact contacts[CONTACTS];
    struct joint_block blocks[JOINTS];
    struct joint_points joints;
    struct contact_views views;
};

static int32_t some_body(struct random_stream *random) {
    return (int32_t)random_between(random, 0, BODIES);
}

static void make_scene(struct scene *scene, size_t contacts, size_t joints,
                       struct random_stream *random) {
    memset(scene, 0, sizeof *scene);
    for (size_t k = 0; k < contacts; k++) {
        scene->contacts[k].c = some_body(random) % MOVING;
        scene->contacts[k].a = some_body(random);
    }
    for (size_t k = 0; k < joints; k++)
        scene->blocks[k] = (struct joint_block){
            .c = some_body(random), .a = some_body(random), .count = 1 + (uint32_t)(k % 3)};
    scene->joints = (struct joint_points){.blocks = scene->blocks, .block_count = joints};
    scene->views = (struct contact_views){
        .contacts = scene->contacts, .count = contacts, .joints = &scene->joints};
}

static bool is_marked(const struct scene *scene, const bool *moved, size_t place) {
    size_t contacts = scene->views.count;
    int32_t c = place < contacts ? scene->contacts[place].c : scene->blocks[place - contacts].c;
    int32_t a = place < contacts ? scene->contacts[place].a : scene->blocks[place - contacts].a;
    return (c < MOVING && moved[c]) || (a < MOVING && moved[a]);
}

static void compare(const struct scene *scene, const struct frontier *frontier, const bool *moved) {
    size_t points = 0, places = scene->views.count + scene->joints.block_count;
    size_t first = frontier_first(frontier, 0, places), last = SIZE_MAX;
    for (size_t k = 0; k < places; k++) {
        assert_int_equal(frontier_first(frontier, k, places), first > k ? first : k);
        assert_int_equal(frontier_last(frontier, k), last);
        assert_int_equal(first == k, is_marked(scene, moved, k));
        if (first != k)
            continue;
        points += k < scene->views.count ? 1 : scene->blocks[k - scene->views.count].count;
        first = frontier_first(frontier, k + 1, places);
        last = k;
    }
    assert_int_equal(first, places);
    assert_int_equal(frontier_last(frontier, places), last);
    assert_int_equal(frontier->points, points);
    size_t middle = places / 2, found = frontier_first(frontier, 0, middle);
    assert_true(found <= middle); // not one behind the end
}

// Any body may be marked at any time, and again.
static void marks_are_those_of_a_search(void **state) {
    (void)state;
    static const size_t sizes[][2] = {{0, 0},  {1, 0},        {0, 3},   {63, 1},
                                      {64, 0}, {64, 64 - 50}, {127, 2}, {CONTACTS, JOINTS}};
    struct random_stream random = {5};
    struct scene scene;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        bool moved[MOVING] = {false};
        make_scene(&scene, sizes[s][0], sizes[s][1], &random);
        struct frontier frontier = frontier_open(&scene.views, MOVING);
        for (int k = 0; k < 12; k++) {
            compare(&scene, &frontier, moved);
            int32_t body = some_body(&random) % MOVING;
            moved[body] = true;
            frontier_mark(&frontier, body);
        }
        frontier_close(&frontier);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks_are_those_of_a_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
