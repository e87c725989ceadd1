// The share of a straight line that is in a region, against closed forms.
#include "tests/unit/scene.h"

#include "geometry/region_line.h"
#include "parallel/memory.h"

static struct region prepared(struct region region) {
    assert_null(region_prepare(&region));
    return region;
}

static struct region make_box(void) {
    return prepared((struct region){.kind = REGION_BOX, .high = {1, 2, 3}});
}

static struct region make_ball(void) {
    return prepared((struct region){.kind = REGION_SPHERE, .position = {1, 1, 1}, .radius = 2});
}

static struct region make_rod(void) {
    return prepared((struct region){.kind = REGION_CYLINDER,
                                    .position = {0, 0, 1},
                                    .axis = {0, 0, 5},
                                    .radius = 0.5,
                                    .length = 4});
}

static struct region make_cone(void) {
    return prepared((struct region){
        .kind = REGION_CONE, .axis = {0, 0, 1}, .radius = 0.2, .end_radius = 1.2, .length = 2});
}

static double share(const struct region *region, double x, double y, double z, double to_x,
                    double to_y, double to_z) {
    return region_share(region, vec3_make(x, y, z), vec3_make(to_x, to_y, to_z));
}

static void test_lines(void **state) {
    (void)state;
    struct region box = make_box(), ball = make_ball(), rod = make_rod(), cone = make_cone();
    assert_near(share(&box, -2, 1, 1, 2, 1, 1), 0.25, 1e-15);
    assert_near(share(&box, 0.5, 1, 1, 0.5, 1, 5), 0.5, 1e-15);
    assert_near(share(&box, 0.5, 1, 5, 0.5, 1, 1), 0.5, 1e-15);
    assert_near(share(&box, 0.5, 1, 4, 0.5, 1, 5), 0, 0);
    assert_near(share(&box, 0.5, 3, 1, 0.6, 3, 1), 0, 0);
    // A chord at distance 1 from the centre of a ball of radius 2 has the length 2 sqrt(3).
    assert_near(share(&ball, -9, 2, 1, 11, 2, 1), sqrt(3) / 10, 1e-14);
    assert_near(share(&ball, -9, 4, 1, 11, 4, 1), 0, 0);
    // Through the wall of the rod, and out through its end.
    assert_near(share(&rod, -1, 0, 1, 1, 0, 1), 0.5, 1e-15);
    assert_near(share(&rod, 0, 0, 2, 0, 0, 4), 0.5, 1e-15);
    // Across the cone where it is 0.7 wide, and up beside its axis, from where it is 0.5 wide.
    assert_near(share(&cone, -1, 0, 1, 1, 0, 1), 0.7, 1e-14);
    assert_near(share(&cone, 0.5, 0, 0, 0.5, 0, 2), 0.7, 1e-14);
    assert_near(share(&cone, 0, 0, -1, 0, 0, 3), 0.5, 1e-14);
    // Points.
    assert_near(share(&ball, 1, 1, 1, 1, 1, 1), 1, 0);
    assert_near(share(&box, 9, 1, 1, 9, 1, 1), 0, 0);
}

// A cube of twelve triangles with sides of 1, all turned outwards.
static struct region make_cube(bool turned) {
    static const int side[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    struct region region = {.kind = REGION_MESH, .triangles = 12};
    region.corner = memory_allocate(36, sizeof *region.corner, "test");
    for (int k = 0; k < 36; k++) {
        int half = k / 3 % 2, c = turned ? 2 - k % 3 : k % 3;
        int corner = side[k / 6][c == 0 ? 0 : c + half];
        region.corner[k] = vec3_make(corner & 1, corner >> 1 & 1, corner >> 2 & 1);
    }
    return prepared(region);
}

static void test_meshes(void **state) {
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        struct region cube = make_cube(turned);
        assert_near(region_volume(&cube), 1, 1e-14);
        assert_near(share(&cube, -1, 0.3, 0.4, 1.5, 0.3, 0.4), 0.4, 1e-14);
        assert_near(share(&cube, 0.5, 0.3, 0.4, 2.5, 0.3, 0.4), 0.25, 1e-14);
        assert_near(share(&cube, 0.5, 0.3, 0.4, 0.6, 0.5, 0.7), 1, 1e-14);
        cube.outside = true;
        assert_near(share(&cube, 0.5, 0.3, 0.4, 2.5, 0.3, 0.4), 0.75, 1e-14);
        region_free(&cube);
    }
}

// The share of a line is the share of its points that are in the region, whatever its kind.
static void test_lines_agree_with_points(void **state) {
    (void)state;
    enum { LINES = 90, POINTS = 2000 };
    struct region tube = make_rod(), shell = make_ball(), outside = make_box();
    tube.inner = 0.3;
    shell.inner = 1.5;
    outside.outside = true;
    struct region half = prepared(
        (struct region){.kind = REGION_HALF_SPACE, .position = {0.3, 0, 0}, .axis = {1, 1, 0}});
    const struct region regions[] = {make_box(), make_ball(), make_rod(), make_cone(),
                                     tube,       shell,       outside,    half};
    struct random_stream random = {5};
    for (int k = 0; k < LINES; k++) {
        const struct region *region = &regions[k % 8];
        vec3 from = {random_between(&random, -1, 2), random_between(&random, -1, 2),
                     random_between(&random, -2, 4)};
        vec3 to = {random_between(&random, -1, 2), random_between(&random, -1, 2),
                   random_between(&random, -2, 4)};
        int inside = 0;
        for (int p = 0; p < POINTS; p++)
            inside += region_depth(region, vec3_add_scaled(from, (p + 0.5) / POINTS,
                                                           vec3_sub(to, from))) >= 0;
        assert_near(region_share(region, from, to), (double)inside / POINTS, 2.0 / POINTS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_lines_agree_with_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
