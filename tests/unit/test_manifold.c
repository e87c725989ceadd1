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
    struct gabion_error error = {0};
    struct polyhedron *shape = polyhedron_box(vec3_make(x, y, z), &error);
    if (!shape)
        fail_msg("%s", error.text);
    return shape;
}

static struct polyhedron *prism(const double (*polygon)[2], int count, double low, double high) {
    struct gabion_error error = {0};
    struct polyhedron *shape = polyhedron_prism(polygon, count, low, high, &error);
    if (!shape)
        fail_msg("%s", error.text);
    return shape;
}

static struct placed place(const struct polyhedron *shape, double x, double y, double z) {
    mat3 unit = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return placed_alone(shape, vec3_make(x, y, z), unit);
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

// The same in all sorts of frames, where parallel edges are parallel to the last digit only.
static void test_turned_scene(void **state) {
    (void)state;
    struct random_stream random = {20};
    double polygon[12][2];
    for (int k = 0; k < 12; k++) {
        polygon[k][0] = cos(2 * PI * k / 12);
        polygon[k][1] = sin(2 * PI * k / 12);
    }
    struct polyhedron *shape[] = {box(1, 1, 0.25),
                                  prism((const double(*)[2])polygon, 12, -0.25, 0.25)};
    for (int k = 0; k < 10000; k++) {
        mat3 axes = scene_rotation(scene_random_unit(&random), random_between(&random, 0, PI));
        vec3 offset = {random_between(&random, -1, 1), k % 4 < 2 ? 0 : 0.3, 0.5};
        struct placed a = placed_alone(shape[k % 2], vec3_zero(), axes);
        struct placed b = placed_alone(shape[k % 2], mat3_apply(axes, offset), axes);
        struct manifold m = meet(a, b);
        assert_true(k % 2 ? m.count > 4 : m.count == 4);
        assert_vector_near(m.normal, vec3_negate(mat3_apply(axes, Z)), 1e-14);
        for (int i = 0; i < m.count; i++)
            assert_near(m.point[i].gap, 0, 1e-14);
    }
    polyhedron_free(shape[0]);
    polyhedron_free(shape[1]);
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
    return placed_alone(shape, shape->centre, quat_matrix(shape->axes));
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

    // Apart or inside each other by much more than the width of the ridge, it is the same contact.
    for (double gap = -1e-4; gap <= 4e-4; gap += 5e-4) {
        struct placed moved = right;
        moved.x.x += gap;
        m = meet(left, moved);
        assert_int_equal(m.count, 2);
        assert_vector_near(m.normal, vec3_negate(X), 1e-15);
        assert_point(&m, 0.5 * gap, -0.03, 0, gap);
        assert_point(&m, 0.5 * gap, 0.03, 0, gap);
    }

    // Side by side but for rounding, they have no length in common.
    struct placed beside = right;
    beside.x.y += 0.07 - 1e-11;
    assert_int_equal(meet(left, beside).count, 0);

    // Seen by nobody: one card is higher by 1e-7 and turned by 1e-6, and still nothing changes.
    struct placed crooked = right;
    mat3 axes = right.axes, yaw = scene_rotation(vec3_scale(sqrt(0.5), vec3_make(0, 1, 1)), 1e-6);
    for (int k = 0; k < 3; k++)
        crooked.axes.row[k] = mat3_apply_transposed(axes, yaw.row[k]);
    crooked.x.z += 1e-7;
    m = meet(left, crooked);
    assert_int_equal(m.count, 2);
    assert_vector_near(m.normal, vec3_negate(X), 1e-6);
    for (int k = 0; k < 2; k++)
        assert_near(m.point[k].gap, 0, 1e-7);

    // Higher by 2e-6, it leans with its face on the lower one's edge.
    right.x.z += 2e-6;
    manifold_polyhedra(&left, &right, 1e-6, &m);
    assert_int_equal(m.count, 2);
    assert_vector_near(m.normal, vec3_make(-cos(angle), 0, -sin(angle)), 1e-15);
    polyhedron_free(card);
    polyhedron_free(wide);
}

// Neighbours in a course that lean by little: one's lower edge faces the other's side, 4 mm above
// its lower edge. Along the normals the two edges are closer than 0.1 mm, and yet they do not meet.
static void test_leaning_neighbours(void **state) {
    (void)state;
    double angle = 0.023, above = 4e-3, gap = 3e-5;
    struct polyhedron *brick = box(0.1, 0.05, 0.05);
    vec3 edge = {0.1, 0, -0.05};
    vec3 along = {cos(angle), 0, -sin(angle)}, up = {sin(angle), 0, cos(angle)};
    vec3 centre = vec3_add_scaled(vec3_add_scaled(edge, 0.1 + gap, along), 0.05 - above, up);
    struct placed left = place(brick, 0, 0, 0);
    struct placed right = turn(place(brick, centre.x, centre.y, centre.z), Y, angle);
    struct manifold m;
    manifold_polyhedra(&left, &right, 1e-4, &m);
    assert_int_equal(m.count, 2);
    assert_vector_near(m.normal, vec3_negate(along), 1e-15);
    vec3 middle = vec3_add_scaled(edge, 0.5 * gap, along);
    for (int side = -1; side <= 1; side += 2)
        assert_point(&m, middle.x, 0.05 * side, middle.z, gap);
    manifold_polyhedra(&left, &right, 0.9 * gap, &m);
    assert_int_equal(m.count, 0);
    polyhedron_free(brick);
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

// A block whose bottom is level with the neighbour's top and only shares a line with it, its side
// leaning over the neighbour: each one's edge lies in the other's face, and yet nothing is carried.
static void test_shared_line(void **state) {
    (void)state;
    struct polyhedron *cube = box(0.5, 0.5, 0.5);
    for (int k = 0; k < 2; k++) { // the leaning one the smaller and the larger body
        double far = k ? 1.6 : 1.3;
        const double polygon[4][2] = {{0.5, 0.5}, {far, 0.5}, {far, 1.5}, {0.3, 1.5}};
        struct polyhedron *leaning = prism(polygon, 4, -0.5, 0.5);
        assert_int_equal(meet(place(cube, 0, 0, 0), place_drawn(leaning)).count, 0);
        polyhedron_free(leaning);
    }
    polyhedron_free(cube);
}

// A plate 0.3 deep in a cube from above as well as from the side: the larger patch decides.
static void test_tie(void **state) {
    (void)state;
    struct polyhedron *cube = box(0.5, 0.5, 0.5);
    struct polyhedron *lying = box(0.5, 0.4, 0.05), *standing = box(0.05, 0.4, 0.5);
    struct manifold m = meet(place(lying, 0.7, 0, 0.25), place(cube, 0, 0, 0));
    assert_int_equal(m.count, 4);
    assert_vector_near(m.normal, Z, 0);
    m = meet(place(standing, 0.25, 0, 0.7), place(cube, 0, 0, 0));
    assert_int_equal(m.count, 4);
    assert_vector_near(m.normal, X, 0);
    polyhedron_free(cube);
    polyhedron_free(lying);
    polyhedron_free(standing);
}

// An edge of a turned square passes a corner of the other, nearer and nearer: the square's two
// crossings become its corner, and at no distance do two points share a name.
static void test_edge_passes_corner(void **state) {
    (void)state;
    struct polyhedron *cube = box(0.5, 0.5, 0.5), *wide = box(0.6, 0.6, 0.5);
    for (int k = -60; k <= 60; k++) {
        double off = k * 1e-8, centre = 0.5 * sqrt(2) - 0.6 + off;
        struct placed turned = turn(place(wide, 0, 0, 1), Z, PI / 4);
        turned.x = vec3_make(centre * sqrt(0.5), centre * sqrt(0.5), 1);
        struct manifold m = meet(place(cube, 0, 0, 0), turned);
        int corners = 0;
        for (int i = 0; i < m.count; i++) {
            for (int j = 0; j < i; j++)
                assert_true(m.point[i].feature != m.point[j].feature);
            corners += m.point[i].position.x > 0.4 && m.point[i].position.y > 0.4;
        }
        if (off >= -1e-7 || off < -3e-7) // in between, either
            assert_int_equal(corners, off < -3e-7 ? 2 : 1);
    }
    polyhedron_free(cube);
    polyhedron_free(wide);
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

static void assert_sphere(struct placed body, vec3 centre, double radius, vec3 normal, vec3 point,
                          double gap) {
    struct manifold m;
    manifold_sphere(&body, centre, radius, REACH, &m);
    assert_int_equal(m.count, 1);
    assert_near(m.point[0].gap, gap, 1e-15);
    assert_vector_near(m.normal, normal, 1e-15);
    assert_vector_near(m.point[0].position, point, 1e-15);
}

// Over a face, an edge and a corner of a cube, and inside it.
static void test_sphere(void **state) {
    (void)state;
    struct polyhedron *cube = box(0.5, 0.5, 0.5);
    struct placed body = place(cube, 0, 0, 0);
    double r = 0.25, gap = 0.004, middle = 0.5 + gap / 2;
    assert_sphere(body, vec3_make(0.3, 0.2, 0.5 + r + gap), r, vec3_negate(Z),
                  vec3_make(0.3, 0.2, middle), gap);
    vec3 edge = vec3_scale(sqrt(0.5), vec3_make(1, 0, 1)), on = {0.5, 0.1, 0.5};
    assert_sphere(body, vec3_add_scaled(on, r + gap, edge), r, vec3_negate(edge),
                  vec3_add_scaled(on, gap / 2, edge), gap);
    vec3 tip = vec3_scale(sqrt(1.0 / 3), vec3_make(1, 1, 1)), corner = {0.5, 0.5, 0.5};
    assert_sphere(body, vec3_add_scaled(corner, r - gap, tip), r, vec3_negate(tip),
                  vec3_add_scaled(corner, -gap / 2, tip), -gap);
    assert_sphere(body, vec3_make(0.1, 0.4, 0.2), r, vec3_negate(Y),
                  vec3_make(0.1, 0.5 - (r + 0.1) / 2, 0.2), -r - 0.1);
    struct manifold m;
    manifold_sphere(&body, vec3_make(0, 0, 0.5 + r + 1.01 * REACH), r, REACH, &m);
    assert_int_equal(m.count, 0);
    polyhedron_free(cube);
}

// A brick with one end lifted over a plane a kilometre away; only its low corners count.
static void test_half_space(void **state) {
    (void)state;
    struct polyhedron *brick = box(0.1, 0.05, 0.03);
    double angle = 0.2, height = 0.1 * sin(angle) + 0.03 * cos(angle) - 2e-4;
    struct placed body = turn(place(brick, 1000, 500, 800 + height), Y, angle);
    struct manifold m;
    manifold_half_space(&body, vec3_make(0, 0, 800), Z, REACH, &m);
    assert_int_equal(m.count, 2);
    assert_vector_near(m.normal, Z, 0);
    double x = 1000 + 0.1 * cos(angle) - 0.03 * sin(angle);
    assert_point(&m, x, 499.95, 800 - 1e-4, -2e-4);
    assert_point(&m, x, 500.05, 800 - 1e-4, -2e-4);
    assert_true(m.point[0].feature != m.point[1].feature);

    struct placed flat = place(brick, 0, 0, 0.03 + 1e-3);
    manifold_half_space(&flat, vec3_zero(), Z, REACH, &m);
    assert_int_equal(m.count, 4);
    assert_point(&m, 0.1, 0.05, 5e-4, 1e-3);
    polyhedron_free(brick);
}

// A tip on a column of 128 corners, all below the plane: more than a manifold holds. The highest
// corner is left out.
static void test_more_corners_than_fit(void **state) {
    (void)state;
    vec3 point[MANIFOLD_MAX + 1];
    for (int k = 0; k < MANIFOLD_MAX; k++) {
        double angle = 2 * PI * (k / 2) / (MANIFOLD_MAX / 2);
        point[k + 1] = vec3_make(cos(angle), sin(angle), k % 2);
    }
    point[0] = vec3_make(0, 0, 1.5);
    struct gabion_error error = {0};
    struct polyhedron *shape = polyhedron_hull(point, MANIFOLD_MAX + 1, &error);
    assert_non_null(shape);
    struct placed body = place_drawn(shape);
    struct manifold m;
    manifold_half_space(&body, vec3_make(0, 0, 10), Z, REACH, &m);
    assert_int_equal(m.count, MANIFOLD_MAX);
    for (int k = 0; k < m.count; k++)
        assert_at_most(m.point[k].gap, -9 + 1e-12);
    polyhedron_free(shape);
}

// Blocks placed on their neighbours exactly, but for rounding of positions and turns: their corners
// stay corners and keep their names, though rounding decides which block is the reference.
static void test_aligned_names(void **state) {
    (void)state;
    struct random_stream random = {21};
    struct polyhedron *brick = box(0.1, 0.05, 0.03);
    double shift[] = {0, 0.1, 0.03};
    for (size_t s = 0; s < sizeof shift / sizeof *shift; s++) {
        struct manifold first = meet(place(brick, 0, 0, 0), place(brick, shift[s], 0, 0.06));
        assert_int_equal(first.count, 4);
        for (int k = 0; k < 1000; k++) {
            struct placed a = turn(place(brick, 0, 0, 0), scene_random_unit(&random), 1e-11);
            struct placed b =
                turn(place(brick, shift[s], 0, 0.06), scene_random_unit(&random), 1e-11);
            a.x = vec3_add_scaled(a.x, 1e-11, scene_random_unit(&random));
            b.x = vec3_add_scaled(b.x, 1e-11, scene_random_unit(&random));
            struct manifold m = meet(a, b);
            assert_int_equal(m.count, 4);
            for (int i = 0; i < 4; i++) {
                bool found = false;
                for (int j = 0; j < 4; j++)
                    found |=
                        m.point[i].feature == first.point[j].feature &&
                        vec3_length(vec3_sub(m.point[i].position, first.point[j].position)) < 1e-10;
                assert_true(found);
            }
        }
    }
    polyhedron_free(brick);
}

static bool holds(const struct manifold *manifold, uint32_t feature) {
    for (int k = 0; k < manifold->count; k++)
        if (manifold->point[k].feature == feature)
            return true;
    return false;
}

// Bricks in bond, sides aligned, then one moved sideways: the corners that now lie inside the
// other's face keep the name they had on its edge.
static void test_name_leaves_edge(void **state) {
    (void)state;
    struct polyhedron *brick = box(0.1, 0.05, 0.03);
    struct manifold aligned = meet(place(brick, 0, 0, 0), place(brick, 0.1, 0, 0.06));
    for (int side = -1; side <= 1; side += 2) {
        struct manifold moved = meet(place(brick, 0, 0, 0), place(brick, 0.1, side * 1e-3, 0.06));
        int corners = 0;
        assert_int_equal(moved.count, 4);
        for (int k = 0; k < 4; k++) {
            uint32_t feature = moved.point[k].feature;
            if ((feature & 0xffff) != 0x7fff && feature >> 16 != 0x7fff)
                continue; // a crossing
            assert_true(holds(&aligned, feature));
            corners++;
        }
        assert_int_equal(corners, 2);
    }
    polyhedron_free(brick);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_boxes),
        cmocka_unit_test(test_offset_boxes),
        cmocka_unit_test(test_turned_boxes),
        cmocka_unit_test(test_turned_scene),
        cmocka_unit_test(test_edge_and_corner_on_face),
        cmocka_unit_test(test_crossed_edges),
        cmocka_unit_test(test_voussoirs),
        cmocka_unit_test(test_card_apex),
        cmocka_unit_test(test_leaning_neighbours),
        cmocka_unit_test(test_seam),
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_slab),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_sphere),
        cmocka_unit_test(test_half_space),
        cmocka_unit_test(test_more_corners_than_fit),
        cmocka_unit_test(test_aligned_names),
        cmocka_unit_test(test_name_leaves_edge),
        cmocka_unit_test(test_shared_line),
        cmocka_unit_test(test_tie),
        cmocka_unit_test(test_edge_passes_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
