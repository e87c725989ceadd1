// Regions: points inside, volumes and the share of a line that is inside, against closed forms.
#include "tests/unit/scene.h"

#include "geometry/region.h"

static const struct gabion_region box = {
    .kind = GABION_REGION_BOX, .min = {0, 0, 0}, .max = {1, 2, 3}};
static const struct gabion_region ball = {
    .kind = GABION_REGION_SPHERE, .centre = {1, 1, 1}, .radius = 2};
static const struct gabion_region rod = {.kind = GABION_REGION_CYLINDER,
                                         .centre = {0, 0, 1},
                                         .axis = {0, 0, 5},
                                         .radius = 0.5,
                                         .length = 4};

// The surface belongs to the region; everything belongs to the region that has no bounds.
static void test_points(void **state) {
    (void)state;
    const struct gabion_region all = {0};
    assert_true(region_contains(&box, vec3_make(1, 2, 3)));
    assert_false(region_contains(&box, vec3_make(1, 2, 3.0001)));
    assert_true(region_contains(&ball, vec3_make(3, 1, 1)));
    assert_false(region_contains(&ball, vec3_make(2.5, 2.5, 1)));
    assert_true(region_contains(&rod, vec3_make(0.3, 0.4, 3)));
    assert_false(region_contains(&rod, vec3_make(0.3, 0.4, 3.001)));
    assert_false(region_contains(&rod, vec3_make(0.4, 0.4, 1)));
    assert_true(region_contains(&all, vec3_make(1e300, 0, 0)));
    assert_false(region_contains(&box, vec3_make(NAN, 1, 1)));
}

static void test_volumes(void **state) {
    (void)state;
    assert_near(region_volume(&box), 6, 1e-15);
    assert_near(region_volume(&ball), 32 * PI / 3, 1e-13);
    assert_near(region_volume(&rod), PI, 1e-14);
}

static void test_lines(void **state) {
    (void)state;
    // Through the box, half of it before, a quarter behind.
    assert_near(region_share(&box, vec3_make(-2, 1, 1), vec3_make(2, 1, 1)), 0.25, 1e-15);
    assert_near(region_share(&box, vec3_make(0.5, 1, 1), vec3_make(0.5, 1, 5)), 0.5, 1e-15);
    assert_near(region_share(&box, vec3_make(0.5, 1, 4), vec3_make(0.5, 1, 5)), 0, 0);
    assert_near(region_share(&box, vec3_make(0.5, 3, 1), vec3_make(0.6, 3, 1)), 0, 0);
    // A chord at distance 1 from the centre of a ball of radius 2 has the length 2 sqrt(3).
    assert_near(region_share(&ball, vec3_make(-9, 2, 1), vec3_make(11, 2, 1)), sqrt(3) / 10, 1e-14);
    assert_near(region_share(&ball, vec3_make(-9, 4, 1), vec3_make(11, 4, 1)), 0, 0);
    // Into the rod through its wall, and out through its end.
    assert_near(region_share(&rod, vec3_make(-1, 0, 1), vec3_make(1, 0, 1)), 0.5, 1e-15);
    assert_near(region_share(&rod, vec3_make(0, 0, 2), vec3_make(0, 0, 4)), 0.5, 1e-15);
    // Points.
    assert_near(region_share(&ball, vec3_make(1, 1, 1), vec3_make(1, 1, 1)), 1, 0);
    assert_near(region_share(&box, vec3_make(9, 1, 1), vec3_make(9, 1, 1)), 0, 0);
}

// The share of a line is the share of its points that the region contains.
static void test_lines_agree_with_points(void **state) {
    (void)state;
    enum { LINES = 60, POINTS = 2000 };
    const struct gabion_region *const regions[] = {&box, &ball, &rod};
    struct random_stream random = {5};
    for (int k = 0; k < LINES; k++) {
        const struct gabion_region *region = regions[k % 3];
        vec3 from = {random_between(&random, -2, 3), random_between(&random, -2, 3),
                     random_between(&random, -2, 4)};
        vec3 to = {random_between(&random, -2, 3), random_between(&random, -2, 3),
                   random_between(&random, -2, 4)};
        int inside = 0;
        for (int p = 0; p < POINTS; p++)
            inside += region_contains(
                region, vec3_add_scaled(from, (p + 0.5) / POINTS, vec3_sub(to, from)));
        assert_near(region_share(region, from, to), (double)inside / POINTS, 2.0 / POINTS);
    }
}

static void test_defects(void **state) {
    (void)state;
    struct gabion_region bad = box;
    assert_null(region_defect(&box));
    assert_null(region_defect(&ball));
    assert_null(region_defect(&rod));
    bad.max.y = 0;
    assert_string_equal(region_defect(&bad), "max must be above min along every axis");
    bad = ball;
    bad.radius = NAN;
    assert_non_null(region_defect(&bad));
    bad = rod;
    bad.axis = vec3_zero();
    assert_non_null(region_defect(&bad));
    bad = rod;
    bad.length = -1;
    assert_non_null(region_defect(&bad));
    bad.kind = GABION_REGION_COUNT;
    assert_non_null(region_defect(&bad));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),  cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_lines_agree_with_points),
        cmocka_unit_test(test_defects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
