// Flat convex patches: hull, centroid and the way to the rim.
#include "tests/unit/scene.h"

#include "geometry/patch.h"

static const vec3 up = {0, 0, 1};

static void hull_keeps_the_true_corners(void **state) {
    (void)state;
    // A 4 x 2 rectangle with points inside, on its sides, and corners given twice.
    vec3 point[] = {{4, 2, 0}, {1, 1, 0}, {0, 0, 0}, {2, 0, 0},    {4, 0, 0},
                    {0, 2, 0}, {0, 1, 0}, {4, 2, 0}, {0, 1e-12, 0}};
    int corners = patch_hull(point, 9, up, 1e-9);
    assert_int_equal(corners, 4);
    assert_near(patch_area(point, corners, up), 8, 1e-11); // positive: counter-clockwise
    for (int k = 0; k < corners; k++)
        assert_near(fabs(point[k].x - 2) + fabs(point[k].y - 1), 3, 1e-11);
}

static void hull_of_a_random_polygon(void **state) {
    (void)state;
    struct random_stream random = {3};
    for (int round = 0; round < 50; round++) {
        vec3 normal = scene_random_unit(&random), s, t, point[60];
        vec3_tangents(normal, &s, &t);
        // Corners on an ellipse, all of them extreme; the others within half of it.
        for (int k = 0; k < 60; k++) {
            bool corner = k % 5 == 0;
            double angle = corner ? 2 * PI * k / 60 : random_between(&random, 0, 7);
            double r = corner ? 1 : random_between(&random, 0, 0.5);
            point[k] = vec3_add(vec3_scale(3 * r * cos(angle), s), vec3_scale(r * sin(angle), t));
        }
        assert_int_equal(patch_hull(point, 60, normal, 1e-9), 12);
        // The regular 12-gon has area 12/2 sin(30 deg) = 3, stretched by 3.
        assert_near(patch_area(point, 12, normal), 9, 1e-12);
        assert_at_most(vec3_length(patch_middle(point, 12, normal)), 1e-14);
    }
}

static void lines_and_points_have_no_area(void **state) {
    (void)state;
    vec3 line[] = {{1, 1, 0}, {3, 3, 0}, {0, 0, 0}, {2, 2, 0}};
    assert_int_equal(patch_hull(line, 4, up, 1e-9), 2);
    vec3 middle = patch_middle(line, 2, up);
    assert_vector_near(middle, vec3_make(1.5, 1.5, 0), 1e-15);
    assert_near(patch_place(line, 2, up, middle, vec3_make(3, 3, 0)), 1, 1e-15);
    assert_near(patch_place(line, 2, up, middle, vec3_make(0.75, 0.75, 0)), 0.5, 1e-15);
    vec3 point[] = {{1, 2, 3}, {1, 2, 3}};
    assert_int_equal(patch_hull(point, 2, up, 1e-9), 1);
    assert_vector_near(patch_middle(point, 1, up), vec3_make(1, 2, 3), 0);
    assert_near(patch_place(point, 1, up, point[0], vec3_make(2, 2, 3)), 0, 0);
    assert_int_equal(patch_hull(point, 0, up, 1e-9), 0);
}

// Middle of a triangle: a third of the height. On the way to a corner the rim is twice as far as on
// the way to the side opposite.
static void place_in_a_triangle(void **state) {
    (void)state;
    vec3 corner[] = {{0, 0, 5}, {6, 0, 5}, {0, 3, 5}};
    assert_int_equal(patch_hull(corner, 3, up, 1e-9), 3);
    vec3 middle = patch_middle(corner, 3, up);
    assert_vector_near(middle, vec3_make(2, 1, 5), 1e-15);
    assert_near(patch_place(corner, 3, up, middle, middle), 0, 0);
    assert_near(patch_place(corner, 3, up, middle, vec3_make(4, 0.5, 5)), 0.5, 1e-15);
    assert_near(patch_place(corner, 3, up, middle, vec3_make(1, 1.25, 5)), 0.5, 1e-15);
    assert_near(patch_place(corner, 3, up, middle, vec3_make(2, -1, 5)), 2, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hull_keeps_the_true_corners),
        cmocka_unit_test(hull_of_a_random_polygon),
        cmocka_unit_test(lines_and_points_have_no_area),
        cmocka_unit_test(place_in_a_triangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
