// Pairs that are kept between searches (geometry/pair_keep.h) against the obvious double loop at
// each place of bodies that move.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/pair_keep.h"
#include "parallel/memory.h"
#include "parallel/random.h"

#define BODIES      700
#define SIDE        20.0 // m: some three pairs for each body
#define THREADS_MAX 3

struct cloud {
    int32_t count, moving;
    vec3 x[BODIES];
    double reach[BODIES];
    double margin; // of all bodies
};

static struct cloud cloud_random(struct random_stream *random) {
    struct cloud cloud = {.count = BODIES, .moving = BODIES, .margin = 0.1};
    for (int i = 0; i < BODIES; i++) {
        cloud.x[i] = vec3_make(random_between(random, 0, SIDE), random_between(random, 0, SIDE),
                               random_between(random, 0, SIDE));
        cloud.reach[i] = random_between(random, 0.8, 1.2);
    }
    return cloud;
}

// Moves every body by up to `most` along each axis, and changes its reach by up to a tenth of that.
static void cloud_move(struct cloud *cloud, struct random_stream *random, double most) {
    for (int i = 0; i < cloud->count; i++) {
        vec3 by =
            vec3_make(random_between(random, -most, most), random_between(random, -most, most),
                      random_between(random, -most, most));
        cloud->x[i] = vec3_add(cloud->x[i], by);
        cloud->reach[i] += random_between(random, -0.1 * most, 0.1 * most);
    }
}

static double margin_of(const void *context, int32_t i) {
    (void)i;
    return ((const struct cloud *)context)->margin;
}

static bool meet(const struct cloud *cloud, int32_t i, int32_t j) {
    vec3 d = vec3_sub(cloud->x[i], cloud->x[j]);
    double reach = cloud->reach[i] + cloud->reach[j];
    return vec3_dot(d, d) <= reach * reach;
}

// Walks the list beside the double loop: it must name the same pairs in the same order.
static void assert_all_pairs(const struct cloud *cloud, const struct pair_list *pairs) {
    size_t place = 0;
    assert_int_equal(pairs->start[0], 0);
    for (int32_t i = 0; i < cloud->moving; i++) {
        for (int32_t j = i + 1; j < cloud->count; j++)
            if (meet(cloud, i, j)) {
                if (place >= pairs->count || pairs->other[place] != j)
                    fail_msg("pair %d, %d is not at place %zu of %zu", i, j, place, pairs->count);
                place++;
            }
        assert_int_equal(pairs->start[i + 1], place);
    }
    assert_int_equal(place, pairs->count);
    assert_true(place > 0);
}

struct searcher {
    struct pair_keep *keep;
    struct grid *grid;
    struct team *team;
    struct pair_list pairs;
};

static struct searcher searcher_open(int threads) {
    struct gabion_error error = {0};
    struct searcher searcher = {
        pair_keep_create(), grid_create(), team_create(threads, NULL, &error), {0}};
    assert_non_null(searcher.team);
    return searcher;
}

static void searcher_close(struct searcher *searcher) {
    pair_keep_free(searcher->keep);
    grid_free(searcher->grid);
    team_destroy(searcher->team);
    pair_list_free(&searcher->pairs);
}

static void search(struct searcher *searcher, const struct cloud *cloud) {
    struct pair_search search = {cloud->x, cloud->reach, cloud->count, cloud->moving};
    pair_keep_find(searcher->keep, searcher->grid, searcher->team, &search, margin_of, cloud,
                   &searcher->pairs);
    assert_all_pairs(cloud, &searcher->pairs);
}

// Bodies that creep: most searches are served, and all are right.
static void slow_bodies_are_served(void **state) {
    (void)state;
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        struct random_stream random = {(uint64_t)threads};
        struct cloud cloud = cloud_random(&random);
        struct searcher searcher = searcher_open(threads);
        for (int step = 0; step < 200; step++) {
            search(&searcher, &cloud);
            cloud_move(&cloud, &random, 0.02);
        }
        assert_true(pair_keep_served(searcher.keep) > 100);
        searcher_close(&searcher);
    }
}

// Bodies of any speed, from creeping to leaps, in turn.
static void leaps_are_noticed(void **state) {
    (void)state;
    struct random_stream random = {11};
    struct cloud cloud = cloud_random(&random);
    struct searcher searcher = searcher_open(1);
    for (int step = 0; step < 120; step++) {
        search(&searcher, &cloud);
        cloud_move(&cloud, &random, step % 9 == 8 ? 1 : 0.005);
    }
    assert_true(pair_keep_served(searcher.keep) > 10);
    searcher_close(&searcher);
}

// One body alone moves next to another one, or reaches further.
static void one_body_is_enough(void **state) {
    (void)state;
    struct random_stream random = {5};
    struct cloud cloud = cloud_random(&random);
    struct searcher searcher = searcher_open(1);
    for (int i = 0; i < 40; i++) {
        search(&searcher, &cloud);
        search(&searcher, &cloud);
        if (i % 2 == 0)
            cloud.x[17 * i] = vec3_add(cloud.x[BODIES - 1], vec3_make(0.01 * i, 0, 0));
        else
            cloud.reach[17 * i] = 3;
    }
    assert_true(pair_keep_served(searcher.keep) > 0);
    searcher_close(&searcher);
}

// Bodies that stop, leave or come: the list is that of the present ones.
static void other_bodies_are_other_pairs(void **state) {
    (void)state;
    struct random_stream random = {7};
    struct cloud cloud = cloud_random(&random);
    struct searcher searcher = searcher_open(2);
    search(&searcher, &cloud);
    cloud.moving = BODIES / 2;
    search(&searcher, &cloud);
    cloud.count = BODIES - 100;
    search(&searcher, &cloud);
    cloud.count = cloud.moving = BODIES;
    search(&searcher, &cloud);
    assert_int_equal(pair_keep_served(searcher.keep), 0);
    searcher_close(&searcher);
}

static void fast_bodies_are_searched_anew(void **state) {
    (void)state;
    struct random_stream random = {3};
    struct cloud cloud = cloud_random(&random);
    struct searcher searcher = searcher_open(1);
    cloud.margin = INFINITY;
    for (int step = 0; step < 5; step++)
        search(&searcher, &cloud);
    assert_int_equal(pair_keep_served(searcher.keep), 0);
    searcher_close(&searcher);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_bodies_are_served),
        cmocka_unit_test(leaps_are_noticed),
        cmocka_unit_test(one_body_is_enough),
        cmocka_unit_test(other_bodies_are_other_pairs),
        cmocka_unit_test(fast_bodies_are_searched_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
