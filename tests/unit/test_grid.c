// The broad phase against the obvious double loop: every pair, no other, in canonical order.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/curve.h"
#include "geometry/grid.h"
#include "parallel/memory.h"
#include "parallel/random.h"

// The grid gives each thread some 4000 bodies: a cloud this large has work for three.
#define CLOUD_MANY  9000
#define THREADS_MAX 3

struct cloud {
    int32_t count, moving;
    vec3 *x;
    double *reach;
};

static struct cloud cloud_create(int32_t count) {
    return (struct cloud){
        .count = count,
        .moving = count,
        .x = memory_allocate((size_t)count, sizeof(vec3), "cloud"),
        .reach = memory_allocate((size_t)count, sizeof(double), "cloud"),
    };
}

static void cloud_free(struct cloud *cloud) {
    memory_free(cloud->x);
    memory_free(cloud->reach);
}

// Bodies anywhere in the box [0, size], reaches between the two given.
static struct cloud cloud_random(int32_t count, vec3 size, double least, double most,
                                 uint64_t seed) {
    struct random_stream random = {seed};
    struct cloud cloud = cloud_create(count);
    for (int32_t i = 0; i < count; i++) {
        cloud.x[i] =
            vec3_make(random_between(&random, 0, size.x), random_between(&random, 0, size.y),
                      random_between(&random, 0, size.z));
        cloud.reach[i] = random_between(&random, least, most);
    }
    return cloud;
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
        for (int32_t j = i + 1; j < cloud->count; j++) {
            if (!meet(cloud, i, j))
                continue;
            if (place >= pairs->count || pairs->other[place] != j)
                fail_msg("pair %d, %d is not at place %zu of %zu", i, j, place, pairs->count);
            place++;
        }
        assert_int_equal(pairs->start[i + 1], place);
    }
    assert_int_equal(place, pairs->count);
}

// On 1, 2 and 3 threads, each grid used twice, since it keeps its arrays. Returns the pairs found.
static size_t check_cloud(const struct cloud *cloud) {
    size_t count = 0;
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        struct gabion_error error = {0};
        struct team *team = team_create(threads, NULL, &error);
        struct grid *grid = grid_create();
        struct pair_list pairs = {0};
        for (int repeat = 0; repeat < 2; repeat++)
            grid_find_pairs(grid, team, cloud->x, cloud->reach, cloud->count, cloud->moving,
                            &pairs);
        assert_all_pairs(cloud, &pairs);
        count = pairs.count;
        pair_list_free(&pairs);
        grid_free(grid);
        team_destroy(team);
    }
    return count;
}

static void check_and_free(struct cloud cloud, size_t pairs_least) {
    assert_true(check_cloud(&cloud) >= pairs_least);
    cloud_free(&cloud);
}

static void test_equal_sizes(void **state) {
    (void)state;
    check_and_free(cloud_random(CLOUD_MANY, vec3_make(20, 20, 20), 0.5, 0.5, 1), CLOUD_MANY);
    check_and_free(cloud_random(500, vec3_make(8, 8, 8), 0.5, 0.5, 2), 500);
}

// Close to a lattice, as grains lie: centres on cell borders, gaps around zero.
static void test_lattice(void **state) {
    (void)state;
    struct cloud cloud = cloud_create(20 * 20 * 20);
    for (int32_t i = 0; i < cloud.count; i++) {
        cloud.x[i] = vec3_make(i % 20, i / 20 % 20, (double)(i / 400));
        cloud.reach[i] = 0.5;
    }
    assert_int_equal(check_cloud(&cloud), 3 * 19 * 20 * 20);
    cloud_free(&cloud);
}

static void test_mixed_sizes(void **state) {
    (void)state;
    struct cloud cloud = cloud_random(CLOUD_MANY, vec3_make(30, 30, 30), 0.05, 0.1, 3);
    struct random_stream random = {4};
    for (int32_t i = 0; i < cloud.count; i += 300) // 100:1 and all between
        cloud.reach[i] = 0.1 * pow(2, random_between(&random, 0, 6.65));
    check_and_free(cloud, 1000);
    // Two exact sizes: every large body fills its cell, so that none is found by luck.
    cloud = cloud_random(CLOUD_MANY, vec3_make(25, 25, 25), 0.5, 0.5, 20);
    for (int32_t i = 0; i < cloud.count; i += 4)
        cloud.reach[i] = 1.1;
    check_and_free(cloud, CLOUD_MANY);
    // Beyond the number of levels: the largest share one.
    cloud = cloud_random(600, vec3_make(100, 100, 100), 1, 3, 5);
    for (int32_t i = 0; i < cloud.count; i++)
        cloud.reach[i] *= i % 50 == 0 ? 10 : i % 3 == 0 ? 1 : 1e-5;
    check_and_free(cloud, 100);
}

static void test_one_cell(void **state) {
    (void)state;
    check_and_free(cloud_random(300, vec3_make(0.1, 0.1, 0.1), 1, 1, 6), 300 * 299 / 2);
}

static void test_flat_and_needle(void **state) {
    (void)state;
    check_and_free(cloud_random(CLOUD_MANY, vec3_make(90, 90, 0), 0.4, 0.5, 7), 1000);
    check_and_free(cloud_random(2000, vec3_make(0, 40, 40), 0.4, 0.5, 8), 1000);
    check_and_free(cloud_random(2000, vec3_make(1000, 0, 0), 0.4, 0.5, 9), 1000);
    check_and_free(cloud_random(2000, vec3_make(0, 0, 1000), 0.4, 0.5, 10), 1000);
    check_and_free(cloud_random(2000, vec3_make(0.3, 1000, 0.3), 0.4, 0.5, 11), 1000);
}

static void test_outliers(void **state) {
    (void)state;
    struct cloud cloud = cloud_random(2000, vec3_make(12, 12, 12), 0.5, 0.5, 12);
    cloud.x[3] = vec3_make(1e6, 0, 0);
    cloud.x[700] = vec3_make(-1e6, 1e6, 1e6);
    cloud.x[701] = vec3_make(-1e6, 1e6, 1e6 + 0.5);
    cloud.x[1999] = vec3_make(0, 0, -1e6);
    check_and_free(cloud, 2000);
    // So far that a cell holds the whole cloud.
    cloud = cloud_random(400, vec3_make(5, 5, 5), 0.5, 0.5, 13);
    cloud.x[0] = vec3_make(1e12, 0, 0);
    check_and_free(cloud, 400);
}

// Far from the origin, where a cell index is made of few bits of the coordinate.
static void test_offset(void **state) {
    (void)state;
    struct cloud cloud = cloud_random(1000, vec3_make(10, 10, 10), 0.5, 0.5, 14);
    for (int32_t i = 0; i < cloud.count; i++)
        cloud.x[i] = vec3_add(cloud.x[i], vec3_make(-1e9, 1e9, 1e8));
    check_and_free(cloud, 1000);
}

static void test_same_place(void **state) {
    (void)state;
    struct cloud cloud = cloud_random(200, vec3_make(0, 0, 0), 1e-3, 1e-3, 15);
    check_and_free(cloud, 200 * 199 / 2);
    cloud = cloud_random(400, vec3_make(3, 3, 3), 0.1, 5, 16); // and sizes mixed
    for (int32_t i = 0; i < cloud.count; i += 2)
        cloud.x[i] = vec3_make(1, 2, 1);
    check_and_free(cloud, 200 * 199 / 2);
}

static void test_few(void **state) {
    (void)state;
    check_and_free(cloud_create(0), 0);
    struct cloud cloud = cloud_random(1, vec3_make(1, 1, 1), 1, 1, 17);
    assert_int_equal(check_cloud(&cloud), 0);
    cloud_free(&cloud);
    cloud = cloud_random(2, vec3_make(1, 1, 1), 1, 1, 18);
    assert_int_equal(check_cloud(&cloud), 1);
    cloud.moving = 0;
    assert_int_equal(check_cloud(&cloud), 0);
    cloud_free(&cloud);
}

static void test_fixed(void **state) {
    (void)state;
    struct cloud cloud = cloud_random(CLOUD_MANY, vec3_make(20, 20, 20), 0.3, 0.6, 19);
    size_t all = check_cloud(&cloud);
    cloud.moving = CLOUD_MANY / 2;
    size_t half = check_cloud(&cloud);
    cloud.moving = 1;
    size_t one = check_cloud(&cloud);
    assert_true(all > half && half > one && one < 100);
    cloud_free(&cloud);
}

// Returns whether a list has the pair i < j.
static bool has_pair(const struct pair_list *pairs, int32_t i, int32_t j) {
    for (uint32_t k = pairs->start[i]; k < pairs->start[i + 1]; k++)
        if (pairs->other[k] == j)
            return true;
    return false;
}

// Finds the pairs of the cloud after all its lengths were multiplied. Squares of lengths may then
// leave the range of numbers, so that there may be more pairs than before, but no fewer.
static void check_scaled(const struct cloud *cloud, double factor) {
    struct gabion_error error = {0};
    struct team *team = team_create(1, NULL, &error);
    struct grid *grid = grid_create();
    struct pair_list pairs = {0};
    struct cloud scaled = cloud_create(cloud->count);
    for (int32_t i = 0; i < cloud->count; i++) {
        scaled.x[i] = vec3_scale(factor, cloud->x[i]);
        scaled.reach[i] = factor * cloud->reach[i];
    }
    grid_find_pairs(grid, team, scaled.x, scaled.reach, cloud->count, cloud->count, &pairs);
    for (int32_t i = 0; i < cloud->count; i++)
        for (int32_t j = i + 1; j < cloud->count; j++)
            if (meet(cloud, i, j) && !has_pair(&pairs, i, j))
                fail_msg("times %g: pair %d, %d is missing", factor, i, j);
    cloud_free(&scaled);
    pair_list_free(&pairs);
    grid_free(grid);
    team_destroy(team);
}

// Lengths at both ends of the range of numbers. Conversions that overflow give levels without
// cells, which checked builds see.
static void test_extreme_lengths(void **state) {
    (void)state;
    struct random_stream random = {21};
    struct cloud cloud = cloud_create(300);
    for (int32_t i = 0; i < cloud.count; i++) { // multiples of 1/8 stay exact
        cloud.x[i] = vec3_make(floor(random_between(&random, -64, 64)) / 8,
                               floor(random_between(&random, -64, 64)) / 8,
                               floor(random_between(&random, -64, 64)) / 8);
        cloud.reach[i] = i % 7 == 0 ? 2 : i % 3 == 0 ? 1.0 / 8 : 0.5;
    }
    // At 1.5 * 2^1020 distances are beyond the range of numbers, and places are not.
    const double factors[] = {1, 0x1p500, 0x1p1020, 0x1.8p1020, 0x1p-500, 0x1p-1030, 0x1p-1071};
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++)
        check_scaled(&cloud, factors[k]);
    // Reaches whose quotient is beyond the range of numbers.
    for (int32_t i = 0; i < cloud.count; i += 5)
        cloud.reach[i] = i % 2 == 0 ? 0x1p-1074 : 0x1p1023;
    check_scaled(&cloud, 1);
    cloud_free(&cloud);
}

static void test_extreme_places_on_the_curve(void **state) {
    (void)state;
    vec3 low = vec3_make(-1.7e308, 0, 0), high = vec3_make(1.7e308, 1, 1);
    uint64_t last = curve_key(vec3_make(1, 1, 1), vec3_make(0, 0, 0), 1);
    assert_int_equal(last, ((uint64_t)1 << 3 * CURVE_BITS) - 1);
    assert_int_equal(curve_key(low, low, INFINITY), 0);
    assert_true(curve_key(high, low, INFINITY) <= last);
    assert_int_equal(curve_key(vec3_make(0x1p-1074, 0, 0), vec3_make(0, 0, 0), 0x1p-1074),
                     curve_key(vec3_make(1, 0, 0), vec3_make(0, 0, 0), 1));
    assert_int_equal(curve_key(vec3_make(0, 0, 0), vec3_make(0, 0, 0), 0x1p-1074), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_sizes),
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_mixed_sizes),
        cmocka_unit_test(test_one_cell),
        cmocka_unit_test(test_flat_and_needle),
        cmocka_unit_test(test_outliers),
        cmocka_unit_test(test_offset),
        cmocka_unit_test(test_same_place),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_extreme_lengths),
        cmocka_unit_test(test_extreme_places_on_the_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
