// The broad phase of one rank: the pairs of all bodies that take in a range of them, no other, in
// the same order.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/grid_near.h"
#include "parallel/memory.h"
#include "parallel/random.h"

#define THREADS_MAX 3

struct cloud {
    int32_t count, moving;
    vec3 *x;
    double *reach;
};

static struct cloud cloud_random(int32_t count, double size, double least, double most,
                                 uint64_t seed) {
    struct random_stream random = {seed};
    struct cloud cloud = {count, count - count / 10,
                          memory_allocate((size_t)count, sizeof(vec3), "cloud"),
                          memory_allocate((size_t)count, sizeof(double), "cloud")};
    for (int32_t i = 0; i < count; i++) {
        // Along x bodies are in the order of their indices, roughly: ranges have places.
        double along = size * i / count;
        cloud.x[i] = vec3_make(along + random_between(&random, 0, 0.1 * size),
                               random_between(&random, 0, size), random_between(&random, 0, size));
        cloud.reach[i] = least * pow(most / least, random_unit(&random));
    }
    return cloud;
}

static void cloud_free(struct cloud *cloud) {
    memory_free(cloud->x);
    memory_free(cloud->reach);
}

static bool is_in(int32_t i, int32_t begin, int32_t end) { return i >= begin && i < end; }

// Walks the list beside that of all pairs.
static void assert_filtered(const struct cloud *cloud, const struct pair_list *all, int32_t begin,
                            int32_t end, const struct pair_list *pairs) {
    size_t place = 0;
    assert_int_equal(pairs->start[0], 0);
    for (int32_t i = 0; i < cloud->moving; i++) {
        for (uint32_t p = all->start[i]; p < all->start[i + 1]; p++) {
            if (!is_in(i, begin, end) && !is_in(all->other[p], begin, end))
                continue;
            if (place >= pairs->count || pairs->other[place] != all->other[p])
                fail_msg("range %d to %d: pair %d, %d is not at place %zu of %zu", begin, end, i,
                         all->other[p], place, pairs->count);
            place++;
        }
        assert_int_equal(pairs->start[i + 1], place);
    }
    assert_int_equal(place, pairs->count);
}

// Cuts the moving bodies into pieces, one of them empty. Returns the number of all pairs.
static size_t check_on(const struct cloud *cloud, struct team *team, int pieces) {
    struct grid *grid = grid_create();
    struct near_bodies *near = near_bodies_create();
    struct pair_list all = {0}, pairs = {0};
    grid_find_pairs(grid, team, cloud->x, cloud->reach, cloud->count, cloud->moving, &all);
    for (int k = 0; k <= pieces; k++) {
        int32_t begin = (int32_t)((int64_t)cloud->moving * k / pieces);
        int32_t end = (int32_t)((int64_t)cloud->moving * (k + 1) / pieces);
        end = end < cloud->moving ? end : cloud->moving; // of the last piece: nothing
        near_bodies_find_pairs(near, grid, team, cloud->x, cloud->reach,
                               (struct near_candidates){NULL, cloud->count}, cloud->moving, begin,
                               end, &pairs);
        assert_filtered(cloud, &all, begin, end, &pairs);
        if (begin == end)
            assert_int_equal(pairs.count, 0);
    }
    size_t count = all.count;
    pair_list_free(&all);
    pair_list_free(&pairs);
    near_bodies_free(near);
    grid_free(grid);
    return count;
}

static void check(const struct cloud *cloud, size_t pairs_least) {
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        struct gabion_error error = {0};
        struct team *team = team_create(threads, NULL, &error);
        for (int pieces = 1; pieces <= 7; pieces += 2)
            assert_true(check_on(cloud, team, pieces) >= pairs_least);
        team_destroy(team);
    }
}

static void test_random_clouds(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct cloud cloud = cloud_random(400, 8, 0.3, 0.5, seed);
        check(&cloud, 100);
        cloud_free(&cloud);
    }
    // More bodies than one thread gets.
    struct cloud cloud = cloud_random(20000, 30, 0.4, 0.5, 6);
    check(&cloud, 10000);
    cloud_free(&cloud);
}

static void test_size_ratios(void **state) {
    (void)state;
    struct cloud cloud = cloud_random(6000, 20, 0.005, 3, 7);
    check(&cloud, 1000);
    cloud_free(&cloud);
}

// Far from the origin, where a reach is a few units in the last place of a position.
static void test_far_away(void **state) {
    (void)state;
    struct cloud cloud = cloud_random(500, 8, 0.3, 0.5, 8);
    for (int32_t i = 0; i < cloud.count; i++)
        cloud.x[i] = vec3_add(cloud.x[i], vec3_make(-1e9, 1e12, 0));
    check(&cloud, 100);
    cloud_free(&cloud);
}

// Bodies that just touch across a cut: no pair is lost to rounding.
static void test_row(void **state) {
    (void)state;
    struct cloud cloud = cloud_random(300, 1, 0.05, 0.05, 9);
    cloud.moving = cloud.count;
    for (int32_t i = 0; i < cloud.count; i++)
        cloud.x[i] = vec3_make(0.1 * i, 0, 1e3);
    check(&cloud, 100);
    cloud_free(&cloud);
}

// What is not a number meets nobody, and hides nobody.
static void test_positions_that_are_no_numbers(void **state) {
    (void)state;
    struct cloud cloud = cloud_random(400, 8, 0.3, 0.5, 10);
    cloud.x[0] = vec3_make(NAN, 1, 1);
    cloud.x[150].y = NAN;
    cloud.x[399] = vec3_make(NAN, NAN, NAN);
    check(&cloud, 100);
    cloud_free(&cloud);
}

static void test_nobody(void **state) {
    (void)state;
    struct cloud cloud = cloud_random(30, 8, 0.3, 0.5, 11);
    cloud.moving = 0;
    check(&cloud, 0);
    cloud.count = 0;
    check(&cloud, 0);
    cloud_free(&cloud);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_clouds),
        cmocka_unit_test(test_size_ratios),
        cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_positions_that_are_no_numbers),
        cmocka_unit_test(test_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
