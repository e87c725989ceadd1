// The free surface of heaps, against closed forms.
#include <string.h>

#include "engine/probe/probe.h"
#include "tests/unit/compound_scene.h"
#include "tests/unit/one_world.h"

struct seen {
    double mean, max, volume, slope, repose, columns;
};

static struct gabion_probe make_probe(double column) {
    struct gabion_probe probe = gabion_default_probe();
    probe.name = "heap";
    probe.quantity = GABION_FREE_SURFACE;
    probe.column = column;
    return probe;
}

static struct seen measure(const struct gabion_probe *probe) {
    struct gabion_error error = {0};
    int number = gabion_define_probe(world, probe, &error);
    struct seen surface;
    if (number < 0 || gabion_probe_read(world, number, &surface.mean, 6, &error) != 6)
        fail_msg("%s", error.text);
    return surface;
}

// A rectangle on the plane z = 0 about a point, with its first side along x.
static struct gabion_section rectangle(vec3 point, double x, double y) {
    return (struct gabion_section){
        .point = point, .normal = {0, 0, 2}, .tangent = {3, 0, 0}, .size = {x, y}};
}

// Spheres whose tops are on the roof z = 2 - |x| / 2, one above the middle of each column: of 21
// columns the mean is 2 - (110 / 21) / 10. Spheres below them and a high one in another group do
// not matter. Seen from one side of the ridge, the surface is a slope.
static void staircases_have_their_angle(void **state) {
    (void)state;
    const double d = 0.2, r = 0.08;
    struct gabion_error error = {0};
    for (int k = -10; k <= 10; k++)
        for (int below = 0; below < 3; below++)
            scene_sphere(world, vec3_make(k * d, 0, 2 - 0.5 * abs(k) * d - r - 0.3 * below), r, 1,
                         vec3_zero());
    struct gabion_body other = scene_sphere_body(vec3_make(1, 0, 9), r, 1);
    other.group = gabion_add_group(world, "other", &error);
    scene_add(world, &other);
    struct gabion_probe probe = make_probe(d);
    probe.group = 0;
    struct seen surface = measure(&probe);
    double mean = 2 - 0.5 * d * 110 / 21;
    assert_near(surface.mean, mean, 1e-13);
    assert_near(surface.max, 2, 1e-13);
    assert_near(surface.volume, 21 * mean * d * d, 1e-13);
    assert_near(surface.slope, 0, 1e-13);
    assert_near(surface.repose, atan(0.5), 1e-13);
    assert_near(surface.columns, 21, 0);
    struct gabion_region half = {
        .kind = GABION_REGION_BOX, .low = {-0.01, -1, 0}, .high = {9, 1, 9}};
    probe.region = &half;
    surface = measure(&probe);
    assert_near(surface.slope, atan(0.5), 1e-13);
    assert_near(surface.columns, 11, 0);
    probe.group = -1;
    assert_near(measure(&probe).max, 9 + r, 1e-13);
    // Needles that come down beside the middle meet a sphere lower.
    probe.group = 0;
    probe.plane = rectangle(vec3_make(0.05, 0.03, -1), 1, 0.1);
    assert_near(measure(&probe).max, 3 - r + sqrt(r * r - 0.05 * 0.05 - 0.03 * 0.03), 1e-13);
    assert_near(measure(&probe).columns, 3, 0);
}

// A level foot on one side of a ridge does not move its peak: the fall is that of the heights over
// the distances from the ridge, as two passes over them give it.
static void feet_do_not_move_the_peak(void **state) {
    (void)state;
    const double d = 0.1, r = 0.05;
    double n = 0, distance = 0, height = 0, square = 0, product = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = -16; k <= 8; k++) {
            double x = d * abs(k), z = fmax(1 - 0.7 * x, 1 - 0.7 * 8 * d);
            if (pass == 0) {
                scene_sphere(world, vec3_make(k * d, 0, z - r), r, 1, vec3_zero());
                n++;
                distance += x;
                height += z;
            } else {
                square += (x - distance / n) * (x - distance / n);
                product += (x - distance / n) * (z - height / n);
            }
        }
    struct gabion_probe probe = make_probe(d);
    probe.plane = rectangle(vec3_zero(), 4, 0.1);
    assert_near(measure(&probe).repose, atan(-product / square), 1e-13);
}

// A regular pyramid over 60 corners lies between the cones of slope 0.6 and 0.6 / cos(pi / 60),
// 0.14 percent steeper. Its volume is a third of base times height.
static void cones_have_their_angle(void **state) {
    (void)state;
    enum { SIDES = 60 };
    vec3 point[SIDES + 1];
    const double pi = acos(-1.0);
    for (int k = 0; k < SIDES; k++)
        point[k] = vec3_make(cos(2 * pi * k / SIDES), sin(2 * pi * k / SIDES), 0);
    point[SIDES] = vec3_make(0, 0, 0.6);
    struct gabion_error error = {0};
    int shape = scene_shape(world, polyhedron_hull(point, SIDES + 1, &error));
    struct gabion_body body = scene_block_body(shape, vec3_make(3, -2, 1));
    body.orientation = quat_about(vec3_make(0, 0, 1), 0.3);
    scene_add(world, &body);
    struct gabion_probe probe = make_probe(0.01);
    probe.plane.normal = vec3_make(0, 0, 1);
    probe.plane.point = vec3_make(3, -2, 1);
    struct seen surface = measure(&probe);
    assert_near(surface.repose, atan(0.6), 6e-4);
    assert_near(surface.slope, 0, 1e-5);
    assert_near(surface.max, 0.6, 1e-12);
    assert_near(surface.volume, 0.2 * 30 * sin(pi / 30), 1e-3);
    assert_near(surface.mean, 0.2, 1e-3);
    // A disc of half the radius has the truncated cone alone: mean height 0.6 (1 - 1/3).
    probe.plane.radius = 0.5;
    surface = measure(&probe);
    assert_near(surface.repose, atan(0.6), 6e-4);
    assert_near(surface.mean, 0.4, 1e-3);
    assert_near(surface.columns, pi * 2500, 40);
    // Seen along x, from a plane behind it, the cone shows its side: the highest points are those
    // of the edge towards x.
    probe.plane = (struct gabion_section){.point = {2, -2, 1}, .normal = {1, 0, 0}};
    assert_near(measure(&probe).max, 2, 1.4e-3);
}

// The top of a box that is turned by an angle is a plane of that slope. A compound of two boxes has
// two levels, a clump of two spheres two domes.
static void shapes_have_their_tops(void **state) {
    (void)state;
    const double angle = 0.35;
    struct gabion_error error = {0};
    struct gabion_body box =
        scene_block_body(scene_box_shape(world, vec3_make(2, 2, 0.5)), vec3_make(0, 0, 3));
    box.orientation = quat_about(vec3_make(0.6, 0.8, 0), angle);
    box.group = gabion_add_group(world, "box", &error);
    scene_add(world, &box);
    struct gabion_probe probe = make_probe(0.05);
    probe.group = box.group;
    probe.plane.radius = 1;
    probe.plane.normal = vec3_make(0, 0, 1);
    struct seen surface = measure(&probe);
    assert_near(surface.slope, angle, 1e-12);
    assert_near(surface.mean, 3 + 0.5 / cos(angle), 1e-12);
    const struct compound_box part[2] = {{{1, 0.5, 0.5}, {0, 0, 0}},
                                         {{0.5, 0.5, 0.5}, {1.5, 0, 0.5}}};
    struct gabion_body pair =
        compound_scene_body(compound_scene_boxes(world, part, 2), vec3_make(20, 0, 0));
    pair.group = gabion_add_group(world, "pair", &error);
    scene_add(world, &pair);
    probe = make_probe(0.3);
    probe.group = pair.group;
    probe.plane = rectangle(vec3_make(20, 0, -1), 3.7, 0.1); // 13 columns, -1.8 ... 1.8
    surface = measure(&probe);
    assert_near(surface.columns, 10, 0); // -0.9 ... 1.8
    assert_near(surface.mean, (7 * 1.5 + 3 * 2) / 10, 1e-13);
    const vec3 centre[2] = {{0, 0, 0}, {0.3, 0, 0.2}};
    const double radius[2] = {0.2, 0.1};
    struct gabion_body clump = scene_sphere_body(vec3_make(0, 20, 0), 1, 1);
    clump.shape = GABION_CLUMP;
    clump.clump = gabion_add_clump(world, centre, radius, 2, GABION_CLUMP_SUM, &error);
    clump.group = gabion_add_group(world, "clump", &error);
    scene_add(world, &clump);
    probe.group = clump.group;
    probe.plane = rectangle(vec3_make(0, 20, 0), 0.7, 0.1);
    surface = measure(&probe);
    assert_near(surface.columns, 2, 0);
    assert_near(surface.mean, (0.2 + 0.3) / 2, 1e-13);
    assert_near(surface.slope, atan(1.0 / 3), 1e-12);
}

// Without bodies there is no surface; nor where one of them is too far away for a grid.
static void empty_surfaces_are_no_numbers(void **state) {
    (void)state;
    struct gabion_probe probe = make_probe(0.01);
    struct seen surface = measure(&probe);
    assert_true(isnan(surface.mean) && isnan(surface.slope) && isnan(surface.repose));
    assert_near(surface.columns, 0, 0);
    scene_sphere(world, vec3_zero(), 0.004, 1, vec3_zero());
    surface = measure(&probe);
    assert_near(surface.columns, 1, 0);
    assert_near(surface.max, 0.004, 1e-15);
    assert_true(isnan(surface.slope) && isnan(surface.repose));
    scene_sphere(world, vec3_make(1e9, 1e9, 0), 0.1, 1, vec3_zero());
    assert_true(isnan(measure(&probe).columns));
    probe.plane.normal = vec3_make(0, 0, 1);
    probe.plane.radius = 1;
    assert_near(measure(&probe).columns, 1, 0);
}

// The orientation of a compound is that of its drawing, whatever its principal axes are.
static void compounds_know_their_drawing(void **state) {
    (void)state;
    const struct compound_box part[2] = {{{1, 0.5, 0.5}, {0, 0, 0}},
                                         {{0.3, 0.5, 0.9}, {0.7, 0, 1.4}}};
    struct gabion_error error = {0};
    struct gabion_body body =
        compound_scene_body(compound_scene_boxes(world, part, 2), vec3_zero());
    body.orientation = quat_about(vec3_make(0, 0.6, 0.8), 1.1);
    body.group = gabion_add_group(world, "ell", &error);
    scene_add(world, &body);
    double q[4];
    int number = gabion_add_probe(world, "turned", body.group, GABION_ORIENTATION, &error);
    assert_int_equal(gabion_probe_read(world, number, q, 4, &error), 4);
    assert_near(q[0], body.orientation.w, 1e-14);
    assert_near(q[1], body.orientation.x, 1e-14);
    assert_near(q[2], body.orientation.y, 1e-14);
    assert_near(q[3], body.orientation.z, 1e-14);
}

static void assert_rejected(const struct gabion_probe *probe, const char *word) {
    struct gabion_error error = {0};
    assert_int_equal(gabion_define_probe(world, probe, &error), -1);
    if (!strstr(error.text, word))
        fail_msg("expected \"%s\" in \"%s\"", word, error.text);
}

static void nonsense_is_rejected(void **state) {
    (void)state;
    struct gabion_probe probe = make_probe(0);
    assert_rejected(&probe, "needs the key column");
    probe.column = -1;
    assert_rejected(&probe, "width of a column");
    probe.column = NAN;
    assert_rejected(&probe, "width of a column");
    probe.column = 1e-4;
    probe.plane = rectangle(vec3_zero(), 1, 1);
    assert_rejected(&probe, "make them wider");
    probe.quantity = GABION_REACTION;
    probe.group = 0;
    probe.column = 0.1;
    assert_rejected(&probe, "takes no column");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(staircases_have_their_angle),   TEST(feet_do_not_move_the_peak),
        TEST(cones_have_their_angle),        TEST(shapes_have_their_tops),
        TEST(empty_surfaces_are_no_numbers), TEST(compounds_know_their_drawing),
        TEST(nonsense_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
