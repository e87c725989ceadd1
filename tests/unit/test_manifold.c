// Contact manifolds of polyhedra, against hand geometry.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/manifold.h"
#include "tests/unit/scene.h"

#define REACH 0.01

static struct polyhedron *box(double x, double y, double z) {
    struct error error = {0};
    struct polyhedron *shape = polyhedron_box(vec3_make(x, y, z), &error);
    if (!shape)
        fail_msg("%s", error.text);
    return shape;
}

static struct polyhedron *prism(const double (*polygon)[2], int count, double low, double high) {
    struct error error = {0};
    struct polyhedron *shape = polyhedron_prism(polygon, count, low, high, &error);
    if (!shape)
        fail_msg("%s", error.text);
    return shape;
}

static struct placed place(const struct polyhedron *shape, double x, double y, double z) {
    mat3 unit = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return (struct placed){shape, vec3_make(x, y, z), unit};
}

static struct placed turn(struct placed placed, vec3 axis, double angle) {
    placed.axes = scene_rotation(axis, angle);
    return placed;
}

static const vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

// The manifold holds a point there, with that gap.
#define assert_point(manifold, x, y, z, gap)                                                       \
    find_point(manifold, vec3_make(x, y, z), gap, __FILE__, __LINE__)

static void find_point(const struct manifold *manifold, vec3 position, double gap, const char *file,
                       int line) {
    for (int k = 0; k < manifold->count; k++)
        if (vec3_length(vec3_sub(manifold->point[k].position, position)) < 1e-12 &&
            fabs(manifold->point[k].gap - gap) < 1e-12)
            return;
    print_error("no point at (%.15g, %.15g, %.15g) with gap %g among:\n", position.x, position.y,
                position.z, gap);
    for (int k = 0; k < manifold->count; k++)
        print_error("(%.15g, %.15g, %.15g) gap %g feature %x\n", manifold->point[k].position.x,
                    manifold->point[k].position.y, manifold->point[k].position.z,
                    manifold->point[k].gap, manifold->point[k].feature);
    _fail(file, line);
}

static struct manifold meet(struct placed a, struct placed b) {
    struct manifold manifold;
    manifold_polyhedra(&a, &b, REACH, &manifold);
    return manifold;
}

static void test_equal_boxes(void **state) {
    (void)state;
    struct polyhedron *cube = box(0.5, 0.5, 0.5);
    for (int k = -1; k <= 1; k++) {
        double gap = 0.002 * k, middle = 0.5 + gap / 2;
        struct manifold m = meet(place(cube, 0, 0, 1 + gap), place(cube, 0, 0, 0));
        assert_int_equal(m.count, 4);
        assert_vector_near(m.normal, Z, 0);
        assert_point(&m, -0.5, -0.5, middle, gap);
        assert_point(&m, 0.5, -0.5, middle, gap);
        assert_point(&m, 0.5, 0.5, middle, gap);
        assert_point(&m, -0.5, 0.5, middle, gap);
    }
    assert_int_equal(meet(place(cube, 0, 0, 1.011), place(cube, 0, 0, 0)).count, 0);
    polyhedron_free(cube);
}

static void test_offset_boxes(void **state) {
    (void)state;
    struct polyhedron *brick = box(1, 0.5, 0.25), *small = box(0.25, 0.25, 0.25);
    struct manifold m = meet(place(brick, 1, 0, 0.5), place(brick, 0, 0, 0));
    assert_int_equal(m.count, 4);
    assert_vector_near(m.normal, Z, 0);
    assert_point(&m, 0, -0.5, 0.25, 0);
    assert_point(&m, 1, -0.5, 0.25, 0);
    assert_point(&m, 1, 0.5, 0.25, 0);
    assert_point(&m, 0, 0.5, 0.25, 0);

    m = meet(place(small, 0.3, 0.1, 0.5), place(brick, 0, 0, 0));
    assert_int_equal(m.count, 4);
    assert_vector_near(m.normal, Z, 0);
    assert_point(&m, 0.05, -0.15, 0.25, 0);
    assert_point(&m, 0.55, 0.35, 0.25, 0);
    m = meet(place(brick, 0.3, 0.1, 0.501), place(small, 0, 0, 0)); // the larger on top
    assert_int_equal(m.count, 4);
    assert_vector_near(m.normal, Z, 0);
    assert_point(&m, 0.25, -0.25, 0.2505, 0.001);
    polyhedron_free(brick);
    polyhedron_free(small);
}

// The octagon of two squares turned by 45 degrees: corners at (1/2, tan(22.5 deg)/2) and so on.
static void test_turned_boxes(void **state) {
    (void)state;
    struct polyhedron *cube = box(0.5, 0.5, 0.5);
    struct manifold m = meet(turn(place(cube, 0, 0, 1), Z, PI / 4), place(cube, 0, 0, 0));
    assert_int_equal(m.count, 8);
    assert_vector_near(m.normal, Z, 0);
    double t = 0.5 * tan(PI / 8);
    for (int k = 0; k < 4; k++) {
        double x = k < 2 ? 0.5 : -0.5, y = k & 1 ? t : -t;
        assert_point(&m, x, y, 0.5, 0);
        assert_point(&m, y, x, 0.5, 0);
    }
    polyhedron_free(cube);
}

static void test_edge_and_corner_on_face(void **state) {
    (void)state;
    struct polyhedron *cube = box(0.5, 0.5, 0.5), *slab = box(5, 5, 0.5);
    struct manifold m =
        meet(turn(place(cube, 0, 0, 0.5 + sqrt(0.5)), Y, PI / 4), place(slab, 0, 0, 0));
    assert_int_equal(m.count, 2);
    assert_vector_near(m.normal, Z, 1e-15);
    assert_point(&m, 0, -0.5, 0.5, 0);
    assert_point(&m, 0, 0.5, 0.5, 0);

    // The diagonal upright: turned about (1, -1, 0) by the angle between it and the vertical.
    vec3 axis = vec3_scale(sqrt(0.5), vec3_make(1, -1, 0));
    struct placed tip = turn(place(cube, 0.3, 0.2, 0.5 + sqrt(0.75)), axis, -acos(sqrt(1.0 / 3)));
    m = meet(tip, place(slab, 0, 0, 0));
    assert_int_equal(m.count, 1);
    assert_vector_near(m.normal, Z, 1e-15);
    assert_point(&m, 0.3, 0.2, 0.5, 0);
    polyhedron_free(cube);
    polyhedron_free(slab);
}

static void test_crossed_edges(void **state) {
    (void)state;
    struct polyhedron *beam = box(2, 0.5, 0.5);
    double height = 2 * sqrt(0.5);
    struct placed low = turn(place(beam, 0, 0, 0), X, PI / 4);
    struct placed high = turn(place(beam, 0, 0, height + 0.004), X, PI / 4);
    high.axes = (mat3){{vec3_negate(high.axes.row[1]), high.axes.row[0], high.axes.row[2]}};
    struct manifold m = meet(low, high);
    assert_int_equal(m.count, 1);
    assert_vector_near(m.normal, vec3_negate(Z), 1e-15);
    assert_point(&m, 0, 0, height / 2 + 0.002, 0.004);
    polyhedron_free(beam);
}

// A prism drawn in world axes, where it was drawn.
static struct placed place_drawn(const struct polyhedron *shape) {
    return (struct placed){shape, shape->centre, quat_matrix(shape->axes)};
}

// Neighbours in an arch share their joint: a radial rectangle.
static void test_voussoirs(void **state) {
    (void)state;
    double inner = 2, outer = 2.5, delta = PI / 9, depth = 0.4;
    for (int k = 1; k < 9; k++) {
        struct polyhedron *shape[2];
        for (int i = 0; i < 2; i++) {
            double from = (k - 1 + i) * delta, to = from + delta;
            const double polygon[4][2] = {{inner * cos(from), inner * sin(from)},
                                          {outer * cos(from), outer * sin(from)},
                                          {outer * cos(to), outer * sin(to)},
                                          {inner * cos(to), inner * sin(to)}};
            shape[i] = prism(polygon, 4, 0, depth);
        }
        struct manifold m = meet(place_drawn(shape[0]), place_drawn(shape[1]));
        double c = cos(k * delta), s = sin(k * delta);
        assert_int_equal(m.count, 4);
        assert_vector_near(m.normal, vec3_make(s, -c, 0), 1e-14);
        assert_point(&m, inner * c, inner * s, 0, 0);
        assert_point(&m, outer * c, outer * s, 0, 0);
        assert_point(&m, inner * c, inner * s, depth, 0);
        assert_point(&m, outer * c, outer * s, depth, 0);
        polyhedron_free(shape[0]);
        polyhedron_free(shape[1]);
    }
}

// Two cards 1:200 lean against each other: symmetry wants a horizontal normal. The second card is
// wider, so that the ends of the line are the first one's corners.
static void test_card_apex(void **state) {
    (void)state;
    double thick = 0.0005, length = 0.1, angle = 0.3;
    struct polyhedron *card = box(thick / 2, 0.03, length / 2);
    struct polyhedron *wide = box(thick / 2, 0.04, length / 2);
    double x = thick / 2 * cos(angle) + length / 2 * sin(angle);
    double z = thick / 2 * sin(angle) - length / 2 * cos(angle);
    struct placed left = turn(place(card, -x, 0, z), Y, angle);
    struct placed right = turn(place(wide, x, 0, z), Y, -angle);
    struct manifold m = meet(left, right);
    assert_int_equal(m.count, 2);
    assert_vector_near(m.normal, vec3_negate(X), 1e-15);
    assert_point(&m, 0, -0.03, 0, 0);
    assert_point(&m, 0, 0.03, 0, 0);

    // Seen by nobody: one card 1e-7 higher than the other touches with the lower one's face.
    right.x.z += 1e-7;
    manifold_polyhedra(&left, &right, 1e-6, &m);
    assert_int_equal(m.count, 2);
    assert_vector_near(m.normal, vec3_make(-cos(angle), 0, -sin(angle)), 1e-15);
    polyhedron_free(card);
    polyhedron_free(wide);
}

// A block slides over the seam between two slabs; the second lies higher by rounding. Whatever the
// length that hangs over, it is carried or not touched, never stopped.
static void test_seam(void **state) {
    (void)state;
    struct polyhedron *slab = box(5, 1, 0.5), *block = box(0.5, 0.5, 0.5);
    for (int step = -16; step <= 16; step++)
        for (int k = 0; k <= 100; k++) {
            double over = (k - 20) * 2e-9, rise = step * 1e-15;
            struct manifold m = meet(place(block, over - 0.5, 0, 1), place(slab, 5, 0, rise));
            if (m.count > 0)
                assert_near(m.normal.z, 1, 1e-15);
            m = meet(place(block, 1e3 * over - 0.5, 0, 1), place(slab, 5, 0, rise));
            if (m.count > 0)
                assert_near(m.normal.z, 1, 1e-15);
            assert_int_equal(m.count, 1e3 * over > 1e-6 ? 4 : 0);
        }
    polyhedron_free(slab);
    polyhedron_free(block);
}

// Cubes of a lattice share faces with six neighbours, and only lines or points with the others.
static void test_lattice(void **state) {
    (void)state;
    struct polyhedron *cube = box(0.05, 0.05, 0.05);
    for (int k = 0; k < 27; k++) {
        int i = k % 3 - 1, j = k / 3 % 3 - 1, l = k / 9 - 1;
        double noise = 1e-14 * (k % 5 - 2);
        struct manifold m =
            meet(place(cube, 0.3, 0.7, 1000),
                 place(cube, 0.3 + 0.1 * i + noise, 0.7 + 0.1 * j - noise, 1000 + 0.1 * l));
        int distance = i * i + j * j + l * l;
        if (distance > 0)
            assert_int_equal(m.count, distance == 1 ? 4 : 0);
    }
    polyhedron_free(cube);
}

// A brick on a slab ten thousand times larger, everything a kilometre from the origin.
static void test_slab(void **state) {
    (void)state;
    struct polyhedron *brick = box(0.1, 0.05, 0.03), *slab = box(1000, 1000, 50);
    struct manifold m =
        meet(place(brick, 1000.3, 1000.2, 1000.03 + 2e-4), place(slab, 1200, 700, 950));
    assert_int_equal(m.count, 4);
    assert_vector_near(m.normal, Z, 0);
    assert_point(&m, 1000.2, 1000.15, 1000 + 1e-4, 2e-4);
    assert_point(&m, 1000.4, 1000.25, 1000 + 1e-4, 2e-4);
    polyhedron_free(brick);
    polyhedron_free(slab);
}

// A cube 0.3 deep in another that is wider: still the shortest way out, straight up.
static void test_deep(void **state) {
    (void)state;
    struct polyhedron *cube = box(0.5, 0.5, 0.5), *wide = box(2, 2, 0.5);
    struct manifold m = meet(place(cube, 0.1, 0.2, 0.7), place(wide, 0, 0, 0));
    assert_int_equal(m.count, 4);
    assert_vector_near(m.normal, Z, 0);
    assert_point(&m, -0.4, -0.3, 0.35, -0.3);
    assert_point(&m, 0.6, 0.7, 0.35, -0.3);
    polyhedron_free(cube);
    polyhedron_free(wide);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_boxes),   cmocka_unit_test(test_offset_boxes),
        cmocka_unit_test(test_turned_boxes),  cmocka_unit_test(test_edge_and_corner_on_face),
        cmocka_unit_test(test_crossed_edges), cmocka_unit_test(test_voussoirs),
        cmocka_unit_test(test_card_apex),     cmocka_unit_test(test_seam),
        cmocka_unit_test(test_lattice),       cmocka_unit_test(test_slab),
        cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
