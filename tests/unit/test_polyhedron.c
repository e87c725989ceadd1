// Convex polyhedra: topology, exact mass properties, hulls, and what is rejected.
#include "tests/unit/scene.h"

#include <string.h>

#include "geometry/polyhedron.h"
#include "parallel/memory.h"

static struct polyhedron *made(struct polyhedron *body, const struct gabion_error *error) {
    if (!body)
        fail_msg("%s", error->text);
    return body;
}

// Every edge between two faces that run along it in opposite sense, planes through their corners,
// everything behind them, sizes what the header says.
static void expect_sound(const struct polyhedron *body) {
    double scale = body->radius, thickness = INFINITY;
    assert_int_equal(body->corner_count - body->edge_count + body->face_count, 2);
    assert_int_equal(body->face_start[body->face_count], 2 * body->edge_count);
    for (int32_t f = 0; f < body->face_count; f++) {
        double back = 0;
        assert_near(vec3_length(body->normal[f]), 1, 1e-15);
        for (int32_t k = 0; k < body->corner_count; k++) {
            double height = vec3_dot(body->normal[f], body->corner[k]) - body->offset[f];
            assert_at_most(height, 1e-9 * scale);
            back = fmin(back, height);
        }
        thickness = fmin(thickness, -back);
        for (int32_t k = body->face_start[f]; k < body->face_start[f + 1]; k++) {
            int32_t next = k + 1 < body->face_start[f + 1] ? k + 1 : body->face_start[f];
            int32_t tail = body->face_corner[k], head = body->face_corner[next];
            const struct polyhedron_edge *edge = &body->edge[body->face_edge[k]];
            assert_true(edge->tail < edge->head);
            assert_int_equal(edge->tail, tail < head ? tail : head);
            assert_int_equal(edge->head, tail < head ? head : tail);
            assert_int_equal(tail < head ? edge->left : edge->right, f);
            assert_near(vec3_dot(body->normal[f], body->corner[tail]), body->offset[f],
                        1e-9 * scale);
        }
    }
    double radius = 0;
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t k = 0; k < body->corner_count; k++) {
        radius = fmax(radius, vec3_length(body->corner[k]));
        for (int axis = 0; axis < 3; axis++) {
            double x = vec3_get(body->corner[k], axis);
            vec3_set(&low, axis, fmin(vec3_get(low, axis), x));
            vec3_set(&high, axis, fmax(vec3_get(high, axis), x));
        }
    }
    assert_near(body->radius, radius, 0);
    assert_near(body->thickness, thickness, 1e-14 * radius);
    assert_vector_near(body->low, low, 0);
    assert_vector_near(body->high, high, 0);
}

// An independent computation: tetrahedra from the first corner instead of the centre, moments from
// their covariance about the origin of the body's frame in long double.
struct moments {
    long double volume, first[3], second[3][3];
};

static struct moments integrate(const struct polyhedron *body) {
    struct moments m = {0};
    vec3 p[4] = {body->corner[0]};
    for (int32_t f = 0; f < body->face_count; f++)
        for (int32_t k = body->face_start[f] + 1; k + 1 < body->face_start[f + 1]; k++) {
            p[1] = body->corner[body->face_corner[body->face_start[f]]];
            p[2] = body->corner[body->face_corner[k]];
            p[3] = body->corner[body->face_corner[k + 1]];
            long double e[3][3], sum[3] = {0};
            for (int i = 0; i < 3; i++)
                for (int axis = 0; axis < 3; axis++)
                    e[i][axis] =
                        (long double)vec3_get(p[i + 1], axis) - (long double)vec3_get(p[0], axis);
            long double v = (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                             e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                             e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                            6;
            m.volume += v;
            for (int i = 0; i < 4; i++)
                for (int axis = 0; axis < 3; axis++)
                    sum[axis] += (long double)vec3_get(p[i], axis);
            // The mean of x_a x_b over a tetrahedron: (sum over corners + 16 times the centroids')
            // / 20.
            for (int a = 0; a < 3; a++) {
                m.first[a] += v * sum[a] / 4;
                for (int b = 0; b < 3; b++) {
                    long double corners = 0;
                    for (int i = 0; i < 4; i++)
                        corners += (long double)vec3_get(p[i], a) * (long double)vec3_get(p[i], b);
                    m.second[a][b] += v * (corners + sum[a] * sum[b]) / 20;
                }
            }
        }
    return m;
}

static void expect_mass(const struct polyhedron *body, double tolerance) {
    struct moments m = integrate(body);
    double volume = (double)m.volume, trace = 0;
    for (int a = 0; a < 3; a++)
        trace += (double)m.second[a][a];
    assert_near(body->volume, volume, tolerance * volume);
    for (int a = 0; a < 3; a++) {
        assert_near((double)m.first[a], 0, tolerance * volume * body->radius);
        double moment = trace - (double)m.second[a][a];
        assert_near(vec3_get(body->inertia, a), moment, tolerance * moment);
        for (int b = 0; b < a; b++) // within what is taken for rounding of the drawing
            assert_near((double)m.second[a][b], 0, fmax(tolerance, 1e-12) * trace);
    }
}

static void expect_plain_axes(const struct polyhedron *body) {
    assert_true(body->axes.w == 1 && body->axes.x == 0 && body->axes.y == 0 && body->axes.z == 0);
}

// -------------------------------------------------------------------------------------------------

static void expect_box(vec3 h) {
    struct gabion_error error = {0};
    struct polyhedron *body = made(polyhedron_box(h, &error), &error);
    double volume = 8 * h.x * h.y * h.z;
    vec3 inertia = vec3_scale(
        volume / 3, vec3_make(h.y * h.y + h.z * h.z, h.x * h.x + h.z * h.z, h.x * h.x + h.y * h.y));
    assert_int_equal(body->corner_count, 8);
    assert_int_equal(body->edge_count, 12);
    assert_int_equal(body->face_count, 6);
    assert_near(body->volume, volume, 1e-14 * volume);
    for (int axis = 0; axis < 3; axis++)
        assert_near(vec3_get(body->inertia, axis), vec3_get(inertia, axis),
                    1e-14 * vec3_get(inertia, axis));
    // Bit by bit where it was drawn.
    assert_vector_near(body->centre, vec3_zero(), 0);
    expect_plain_axes(body);
    for (int32_t k = 0; k < 8; k++)
        assert_true(fabs(body->corner[k].x) == h.x && fabs(body->corner[k].y) == h.y &&
                    fabs(body->corner[k].z) == h.z);
    for (int32_t f = 0; f < 6; f++) {
        vec3 m = body->normal[f];
        assert_true(fabs(m.x) + fabs(m.y) + fabs(m.z) == 1);
        assert_true(body->offset[f] == fabs(m.x) * h.x + fabs(m.y) * h.y + fabs(m.z) * h.z);
    }
    assert_near(body->thickness, 2 * fmin(fmin(h.x, h.y), h.z), 0);
    assert_near(body->radius, vec3_length(h), 1e-15 * vec3_length(h));
    expect_sound(body);
    polyhedron_free(body);
}

static void box_is_exact(void **state) {
    (void)state;
    struct random_stream random = {2};
    expect_box(vec3_make(0.5, 0.5, 0.5));
    expect_box(vec3_make(500, 0.1, 0.35));
    expect_box(vec3_make(1e-5, 3e-6, 2e-5));
    for (int trial = 0; trial < 100; trial++)
        expect_box(vec3_make(random_between(&random, 0.1, 1), random_between(&random, 0.1, 1),
                             random_between(&random, 0.1, 1)));
}

static void prism_is_exact(void **state) {
    (void)state;
    struct gabion_error error = {0};
    // A regular hexagon of side s, seen from either side, from z = 2 to z = 5.
    double s = 0.7, height = 3, hexagon[6][2], reverse[6][2];
    for (int k = 0; k < 6; k++) {
        hexagon[k][0] = reverse[5 - k][0] = 10 + s * cos(k * PI / 3);
        hexagon[k][1] = reverse[5 - k][1] = -4 + s * sin(k * PI / 3);
    }
    double area = 1.5 * sqrt(3) * s * s, volume = area * height;
    double polar = volume * 5 / 12 * s * s, flat = polar / 2 + volume * height * height / 12;
    for (int turn = 0; turn < 2; turn++) {
        const double(*polygon)[2] = (const double(*)[2])(turn ? reverse : hexagon);
        struct polyhedron *body = made(polyhedron_prism(polygon, 6, 2, 5, &error), &error);
        assert_int_equal(body->face_count, 8);
        assert_int_equal(body->corner_count, 12);
        expect_sound(body);
        expect_plain_axes(body);
        assert_near(body->volume, volume, 1e-14 * volume);
        assert_near(body->inertia.z, polar, 1e-14 * polar);
        assert_near(body->inertia.x, flat, 1e-14 * flat);
        assert_near(body->inertia.y, flat, 1e-14 * flat);
        assert_vector_near(body->centre, vec3_make(10, -4, 3.5), 1e-14);
        polyhedron_free(body);
    }
}

// A trapezium of parallel sides a, b at distance h: the centroid is h (a + 2 b) / (3 (a + b)) above
// a, the second moment about it h^3 (a^2 + 4 a b + b^2) / (36 (a + b)).
static void voussoir_is_exact(void **state) {
    (void)state;
    struct gabion_error error = {0};
    double a = 0.8, b = 1.3, h = 0.6, depth = 0.5;
    const double wedge[4][2] = {{-a / 2, 0}, {a / 2, 0}, {b / 2, h}, {-b / 2, h}};
    struct polyhedron *body = made(polyhedron_prism(wedge, 4, 0, depth, &error), &error);
    double area = (a + b) / 2 * h, volume = area * depth;
    double about_x = h * h * h * (a * a + 4 * a * b + b * b) / (36 * (a + b));
    double about_y = h * (a + b) * (a * a + b * b) / 48;
    vec3 inertia = {depth * about_x + volume * depth * depth / 12,
                    depth * about_y + volume * depth * depth / 12, depth * (about_x + about_y)};
    expect_sound(body);
    expect_plain_axes(body);
    assert_near(body->volume, volume, 1e-14 * volume);
    assert_vector_near(body->centre, vec3_make(0, h * (a + 2 * b) / (3 * (a + b)), depth / 2),
                       1e-15);
    for (int axis = 0; axis < 3; axis++)
        assert_near(vec3_get(body->inertia, axis), vec3_get(inertia, axis),
                    1e-14 * vec3_get(inertia, axis));
    polyhedron_free(body);
}

static void tetrahedron_and_octahedron_are_exact(void **state) {
    (void)state;
    struct gabion_error error = {0};
    // Regular: side a, volume a^3 / (6 sqrt 2), moment m a^2 / 20.
    const vec3 four[] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    double side = 2 * sqrt(2), volume = side * side * side / (6 * sqrt(2));
    struct polyhedron *body = made(polyhedron_hull(four, 4, &error), &error);
    assert_int_equal(body->face_count, 4);
    expect_sound(body);
    expect_plain_axes(body);
    assert_near(body->volume, volume, 1e-14 * volume);
    assert_vector_near(body->inertia, vec3_scale(volume * side * side / 20, vec3_make(1, 1, 1)),
                       1e-14);
    polyhedron_free(body);
    // Semi-axes a, b, c: volume 4/3 abc, moment m (b^2 + c^2) / 10.
    double a = 1, b = 2, c = 0.5;
    const vec3 six[] = {{a, 0, 0}, {-a, 0, 0}, {0, b, 0}, {0, -b, 0}, {0, 0, c}, {0, 0, -c}};
    body = made(polyhedron_hull(six, 6, &error), &error);
    volume = 4 * a * b * c / 3;
    assert_int_equal(body->face_count, 8);
    assert_int_equal(body->edge_count, 12);
    expect_sound(body);
    expect_plain_axes(body);
    assert_near(body->volume, volume, 1e-14 * volume);
    assert_vector_near(
        body->inertia,
        vec3_scale(volume / 10, vec3_make(b * b + c * c, a * a + c * c, a * a + b * b)), 1e-14);
    polyhedron_free(body);
}

// -------------------------------------------------------------------------------------------------

static void random_hulls_have_the_right_mass(void **state) {
    (void)state;
    struct random_stream random = {11};
    for (int trial = 0; trial < 60; trial++) {
        struct gabion_error error = {0};
        vec3 point[200];
        int count = 5 + (int)(random_bits(&random) % 195);
        for (int k = 0; k < count; k++)
            point[k] = vec3_times(vec3_make(1, 2, 3), scene_random_unit(&random));
        struct polyhedron *body = made(polyhedron_hull(point, count, &error), &error);
        expect_sound(body);
        expect_mass(body, 1e-13);
        // The corners are points, moved by centre and axes.
        mat3 axes = quat_matrix(body->axes);
        for (int32_t k = 0; k < body->corner_count; k++) {
            vec3 drawn = vec3_add(mat3_apply(axes, body->corner[k]), body->centre);
            double nearest = INFINITY;
            for (int i = 0; i < count; i++)
                nearest = fmin(nearest, vec3_length(vec3_sub(point[i], drawn)));
            assert_at_most(nearest, 1e-14);
        }
        // No point lies outside.
        for (int i = 0; i < count; i++) {
            vec3 own = mat3_apply_transposed(axes, vec3_sub(point[i], body->centre));
            for (int32_t f = 0; f < body->face_count; f++)
                assert_at_most(vec3_dot(body->normal[f], own) - body->offset[f], 3e-9);
        }
        polyhedron_free(body);
    }
}

static vec3 sorted(vec3 a) {
    double low = fmin(fmin(a.x, a.y), a.z), high = fmax(fmax(a.x, a.y), a.z);
    return vec3_make(low, a.x + a.y + a.z - low - high, high);
}

static void mass_does_not_depend_on_where_it_is_drawn(void **state) {
    (void)state;
    struct random_stream random = {3};
    for (int trial = 0; trial < 20; trial++) {
        struct gabion_error error = {0};
        vec3 point[30], moved[30], away = vec3_scale(1000, scene_random_unit(&random));
        mat3 turn = scene_rotation(scene_random_unit(&random), random_between(&random, -3, 3));
        for (int k = 0; k < 30; k++) {
            point[k] = scene_random_unit(&random);
            moved[k] = vec3_add(mat3_apply(turn, point[k]), away);
        }
        struct polyhedron *a = made(polyhedron_hull(point, 30, &error), &error);
        struct polyhedron *b = made(polyhedron_hull(moved, 30, &error), &error);
        // A metre drawn a kilometre away has lost 1e-13 of it.
        assert_near(b->volume, a->volume, 2e-12 * a->volume);
        assert_vector_near(sorted(b->inertia), sorted(a->inertia), 5e-12 * a->inertia.x);
        assert_vector_near(b->centre, vec3_add(mat3_apply(turn, a->centre), away), 1e-12);
        assert_near(b->thickness, a->thickness, 1e-11);
        polyhedron_free(a);
        polyhedron_free(b);
    }
}

// A turned box keeps its shape: its axes are found. Up to 45 degrees they are those it was turned
// by; of the 24 ways to name them one is always within 62.8 degrees of those drawn.
static void turned_box_finds_its_axes(void **state) {
    (void)state;
    struct random_stream random = {8};
    for (int trial = 0; trial < 60; trial++) {
        struct gabion_error error = {0};
        vec3 axis = scene_random_unit(&random), half = {0.3, 0.2, 0.1}, point[8];
        double angle = random_between(&random, 0, trial < 20 ? PI / 4 : PI);
        quat q = quat_normalize(quat_exp(vec3_scale(angle, axis)));
        for (int k = 0; k < 8; k++)
            point[k] = mat3_apply(quat_matrix(q),
                                  vec3_make(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y,
                                            k & 4 ? half.z : -half.z));
        struct polyhedron *body = made(polyhedron_hull(point, 8, &error), &error);
        assert_int_equal(body->face_count, 6);
        expect_sound(body);
        expect_mass(body, 1e-13);
        quat r = body->axes;
        double same = q.w * r.w + q.x * r.x + q.y * r.y + q.z * r.z;
        if (trial < 20)
            assert_near(same, 1, 1e-14);
        assert_at_most(cos(62.8 / 2 * PI / 180) - 1e-4, r.w);
        for (int32_t k = 0; k < 8; k++)
            assert_vector_near(sorted(vec3_make(fabs(body->corner[k].x), fabs(body->corner[k].y),
                                                fabs(body->corner[k].z))),
                               sorted(half), 1e-14);
        polyhedron_free(body);
    }
}

// A cube has no axes of its own: it keeps those it is drawn in. One corner cut by little turns it
// by less than the cut could explain with other axes: never by a quarter.
static void axes_stay_near_those_drawn(void **state) {
    (void)state;
    struct gabion_error error = {0};
    mat3 turn = scene_rotation(vec3_make(0.6, 0, 0.8), 0.5);
    vec3 point[8];
    for (int k = 0; k < 8; k++)
        point[k] = mat3_apply(turn, vec3_make(k & 1, k >> 1 & 1, k >> 2));
    struct polyhedron *body = made(polyhedron_hull(point, 8, &error), &error);
    expect_plain_axes(body);
    expect_mass(body, 1e-13);
    polyhedron_free(body);
    // Sides in an order that plain sorting by moments would change.
    const vec3 half[] = {{3, 2, 1}, {1, 2, 3}, {2, 3, 1}, {1, 3, 2}, {3, 1, 2}, {2, 1, 3}};
    for (int n = 0; n < 6; n++) {
        vec3 corner[9];
        for (int k = 0; k < 8; k++)
            corner[k] =
                vec3_times(half[n], vec3_make(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
        corner[8] = vec3_scale(1.001, corner[7]);
        body = made(polyhedron_hull(corner, 9, &error), &error);
        expect_mass(body, 1e-13);
        assert_at_most(0.999, body->axes.w);
        polyhedron_free(body);
    }
}

// -------------------------------------------------------------------------------------------------

static void coplanar_points_make_one_face(void **state) {
    (void)state;
    struct random_stream random = {21};
    for (int trial = 0; trial < 30; trial++) {
        struct gabion_error error = {0};
        vec3 point[8 + 6 * 40];
        int count = 0;
        mat3 turn = trial == 0 ? scene_rotation(vec3_make(1, 0, 0), 0)
                               : scene_rotation(scene_random_unit(&random), trial);
        for (int k = 0; k < 8; k++)
            point[count++] = vec3_make(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
        while (count < 8 + 6 * 40) { // on faces and edges, some of them twice
            vec3 p = {random_between(&random, -1, 1), random_between(&random, -1, 1),
                      random_between(&random, -1, 1)};
            vec3_set(&p, count % 3, count % 2 ? 1 : -1);
            if (count % 5 == 0)
                vec3_set(&p, (count + 1) % 3, 1);
            point[count++] = p;
            if (count % 7 == 0)
                point[count - 1] = point[count - 2];
        }
        for (int k = 0; k < count; k++)
            point[k] = mat3_apply(turn, vec3_times(vec3_make(1, 2, 0.2), point[k]));
        struct polyhedron *body = made(polyhedron_hull(point, count, &error), &error);
        assert_int_equal(body->corner_count, 8);
        assert_int_equal(body->face_count, 6);
        assert_int_equal(body->edge_count, 12);
        expect_sound(body);
        assert_near(body->volume, 3.2, 1e-13);
        polyhedron_free(body);
    }
}

// Points that are off their plane by a little more than the tolerance: some triangles lie within it
// and some do not.
static void nearly_coplanar_points_make_a_body(void **state) {
    (void)state;
    struct random_stream random = {6};
    for (int trial = 0; trial < 300; trial++) {
        struct gabion_error error = {0};
        vec3 point[60];
        for (int k = 0; k < 60; k++) {
            point[k] = vec3_make(random_between(&random, -1, 1), random_between(&random, -1, 1),
                                 random_between(&random, -1, 1));
            vec3_set(&point[k], k % 3, (k % 2 ? 1 : -1) + random_between(&random, -5e-9, 5e-9));
        }
        struct polyhedron *body = made(polyhedron_hull(point, 60, &error), &error);
        expect_mass(body, 1e-13);
        polyhedron_free(body);
    }
}

static void large_hull(void **state) {
    (void)state;
    struct random_stream random = {4};
    struct gabion_error error = {0};
    int count = 3000;
    vec3 *point = memory_allocate((size_t)count, sizeof *point, "points");
    for (int k = 0; k < count; k++)
        point[k] = vec3_add(scene_random_unit(&random), vec3_make(50, 0, 0));
    struct polyhedron *body = made(polyhedron_hull(point, count, &error), &error);
    // On a sphere all points are corners and, in general position, all faces triangles.
    assert_int_equal(body->corner_count, count);
    assert_int_equal(body->face_count, 2 * count - 4);
    expect_mass(body, 1e-12);
    polyhedron_free(body);
    memory_free(point);
}

static void surface_of_triangles_becomes_a_box(void **state) {
    (void)state;
    struct gabion_error error = {0};
    // As in an STL file: three points for each triangle, and one face divided at a point inside it.
    const vec3 c[9] = {{2, 2, 2}, {3, 2, 2}, {3, 3, 2}, {2, 3, 2},    {2, 2, 3},
                       {3, 2, 3}, {3, 3, 3}, {2, 3, 3}, {2.3, 2.4, 3}};
    static const int triangle[14][3] = {{3, 2, 1}, {3, 1, 0}, {4, 5, 8}, {5, 6, 8}, {6, 7, 8},
                                        {7, 4, 8}, {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                        {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    for (int turn = 0; turn < 2; turn++) {
        vec3 point[42];
        int64_t start[15], corner[42];
        for (int t = 0; t < 14; t++)
            for (int k = 0; k < 3; k++) {
                point[3 * t + k] = c[triangle[t][turn ? 2 - k : k]];
                corner[3 * t + k] = 3 * t + k;
                start[t] = 3 * t;
            }
        start[14] = 42;
        struct polyhedron *body =
            made(polyhedron_surface(point, 42, start, corner, 14, &error), &error);
        assert_int_equal(body->corner_count, 8);
        assert_int_equal(body->face_count, 6);
        expect_sound(body);
        expect_plain_axes(body);
        assert_vector_near(body->centre, vec3_make(2.5, 2.5, 2.5), 0);
        assert_near(body->volume, 1, 1e-15);
        polyhedron_free(body);
    }
}

// -------------------------------------------------------------------------------------------------

static void expect_error(struct polyhedron *body, struct gabion_error *error, const char *part) {
    assert_null(body);
    assert_int_equal(error->status, GABION_ERROR_INPUT);
    if (!strstr(error->text, part))
        fail_msg("no \"%s\" in: %s", part, error->text);
    *error = (struct gabion_error){0};
}

static void bad_sizes_are_rejected(void **state) {
    (void)state;
    struct gabion_error error = {0};
    expect_error(polyhedron_box(vec3_make(1, 0, 1), &error), &error, "positive");
    expect_error(polyhedron_box(vec3_make(1, NAN, 1), &error), &error, "positive");
    expect_error(polyhedron_box(vec3_make(1, INFINITY, 1), &error), &error, "finite");
    expect_error(polyhedron_box(vec3_make(1, 1, 1e-10), &error), &error, "flat");
    expect_error(polyhedron_box(vec3_make(1, 1, 2e-9), &error), &error, "flat: 4e-09 m thick");
    expect_error(polyhedron_box(vec3_make(1e40, 1e40, 1e40), &error), &error, "largest side");
    expect_error(polyhedron_box(vec3_make(1e-40, 1e-40, 1e-40), &error), &error, "largest side");
    expect_error(polyhedron_box(vec3_make(1, 1e-7, 1e-7), &error), &error, "needle");
    const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const double bow[4][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    const double arrow[4][2] = {{0, 0}, {2, 1}, {0, 2}, {1, 1}};
    const double star[5][2] = {{1, 0}, {-0.81, 0.59}, {0.31, -0.95}, {0.31, 0.95}, {-0.81, -0.59}};
    const double line[3][2] = {{0, 0}, {1, 1}, {2, 2}};
    double circle[65][2];
    for (int k = 0; k < 65; k++) {
        circle[k][0] = cos(2 * PI * k / 65);
        circle[k][1] = sin(2 * PI * k / 65);
    }
    expect_error(polyhedron_prism(square, 4, 1, 1, &error), &error, "low must be below");
    expect_error(polyhedron_prism(square, 2, 0, 1, &error), &error, "3 to 64");
    expect_error(polyhedron_prism((const double(*)[2])circle, 65, 0, 1, &error), &error, "3 to 64");
    expect_error(polyhedron_prism(bow, 4, 0, 1, &error), &error, "convex");
    expect_error(polyhedron_prism(arrow, 4, 0, 1, &error), &error, "not convex");
    expect_error(polyhedron_prism(star, 5, 0, 1, &error), &error, "convex");
    expect_error(polyhedron_prism(line, 3, 0, 1, &error), &error, "flat");
    polyhedron_free(made(polyhedron_prism((const double(*)[2])circle, 64, 0, 1, &error), &error));
}

static void bad_points_are_rejected(void **state) {
    (void)state;
    struct gabion_error error = {0};
    vec3 point[70];
    for (int k = 0; k < 70; k++)
        point[k] = vec3_make(cos(2 * PI * k / 69), sin(2 * PI * k / 69), 0);
    expect_error(polyhedron_hull(point, 3, &error), &error, "3 points");
    expect_error(polyhedron_hull(point, 69, &error), &error, "plane");
    point[69] = vec3_make(0, 0, 1);
    expect_error(polyhedron_hull(point, 70, &error), &error, "69 corners; at most 64");
    point[69].z = NAN;
    expect_error(polyhedron_hull(point, 70, &error), &error, "point 70 is not finite");
    point[69].z = 4e-9;
    expect_error(polyhedron_hull(point, 70, &error), &error,
                 "hull of 70 points: all points lie on a plane");
    for (int k = 0; k < 70; k++)
        point[k] = vec3_make(k, 2 * k, 3 * k);
    expect_error(polyhedron_hull(point, 70, &error), &error, "line");
    for (int k = 0; k < 70; k++)
        point[k] = vec3_make(1, 2, 3);
    expect_error(polyhedron_hull(point, 70, &error), &error, "largest side is 0");
}

// A cube with something wrong: faces are numbered from 1 in the message.
static void bad_surfaces_are_named(void **state) {
    (void)state;
    struct gabion_error error = {0};
    vec3 point[8];
    int64_t corner[24] = {3, 2, 1, 0, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    const int64_t start[7] = {0, 4, 8, 12, 16, 20, 24};
    for (int k = 0; k < 8; k++)
        point[k] = vec3_make((k & 3) == 1 || (k & 3) == 2, (k & 3) >= 2, k >= 4);
    expect_error(polyhedron_surface(point, 8, start, corner, 5, &error), &error, "alone");
    expect_error(polyhedron_surface(point, 8, start, corner, 5, &error), &error, "open");
    expect_error(polyhedron_surface(point, 3, start, corner, 6, &error), &error, "3 points");
    expect_error(polyhedron_surface(point, 7, start, corner, 6, &error), &error,
                 "face 2: names corner 8; there are corners 1 to 7");
    corner[5] = -1;
    expect_error(polyhedron_surface(point, 8, start, corner, 6, &error), &error, "face 2: names");
    corner[5] = 7;
    expect_error(polyhedron_surface(point, 8, start, corner, 6, &error), &error,
                 "face 2: passes twice through corner 8 (0, 1, 1)");
    corner[5] = 5;
    point[6].z = 1.25;
    expect_error(polyhedron_surface(point, 8, start, corner, 6, &error), &error,
                 "face 2 is not flat: corner");
    point[6].z = 1;
    // The top pushed in by its own height and a half: flat faces but for the sides, which cross.
    for (int k = 4; k < 8; k++)
        point[k] = vec3_make(1 - point[k].x, 1 - point[k].y, 1);
    expect_error(polyhedron_surface(point, 8, start, corner, 6, &error), &error, "not");
}

static void restored_bits_are_the_same(void **state) {
    (void)state;
    struct random_stream random = {17};
    for (int trial = 0; trial < 20; trial++) {
        struct gabion_error error = {0};
        vec3 point[40];
        for (int k = 0; k < 40; k++)
            point[k] = vec3_add(scene_random_unit(&random), vec3_make(7, 8, 9));
        struct polyhedron *a = made(polyhedron_hull(point, 40, &error), &error);
        struct polyhedron *b =
            made(polyhedron_restore(a->corner, a->corner_count, a->face_start, a->face_corner,
                                    a->face_count, a->centre, a->axes, &error),
                 &error);
        size_t faces = (size_t)a->face_count, corners = (size_t)a->face_start[faces];
        assert_int_equal(b->corner_count, a->corner_count);
        assert_int_equal(b->edge_count, a->edge_count);
        assert_memory_equal(b->corner, a->corner, (size_t)a->corner_count * sizeof(vec3));
        assert_memory_equal(b->face_edge, a->face_edge, corners * sizeof(int32_t));
        assert_memory_equal(b->normal, a->normal, faces * sizeof(vec3));
        assert_memory_equal(b->offset, a->offset, faces * sizeof(double));
        assert_memory_equal(b->edge, a->edge, corners / 2 * sizeof *a->edge);
        size_t first = offsetof(struct polyhedron, volume);
        assert_memory_equal((char *)b + first, (char *)a + first, sizeof *a - first);
        polyhedron_free(a);
        polyhedron_free(b);
    }
}

static void nonsense_is_not_restored(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct polyhedron *box = made(polyhedron_box(vec3_make(1, 2, 3), &error), &error);
    vec3 corner[8], zero = vec3_zero();
    int32_t start[7], list[24];
    quat plain = {1, 0, 0, 0}, twice = {2, 0, 0, 0};
    memcpy(corner, box->corner, sizeof corner);
    memcpy(start, box->face_start, sizeof start);
    memcpy(list, box->face_corner, sizeof list);
    polyhedron_free(box);
    expect_error(polyhedron_restore(corner, 3, start, list, 6, zero, plain, &error), &error, "3");
    expect_error(polyhedron_restore(corner, 8, start, list, 5, zero, plain, &error), &error,
                 "open");
    expect_error(polyhedron_restore(corner, 8, start, list, 6, zero, twice, &error), &error,
                 "principal");
    expect_error(polyhedron_restore(corner, 7, start, list, 6, zero, plain, &error), &error,
                 "names corner 8");
    start[3] = start[2];
    expect_error(polyhedron_restore(corner, 8, start, list, 6, zero, plain, &error), &error,
                 "has 0 corners");
    start[3] = start[2] + 4;
    corner[3].x = NAN;
    expect_error(polyhedron_restore(corner, 8, start, list, 6, zero, plain, &error), &error,
                 "corner 4");
    corner[3].x = 1;
    for (int k = 0; k < 8; k++)
        corner[k].z += 1;
    expect_error(polyhedron_restore(corner, 8, start, list, 6, zero, plain, &error), &error,
                 "centre of mass");
    for (int k = 0; k < 8; k++)
        corner[k] = vec3_negate(corner[k]);
    expect_error(polyhedron_restore(corner, 8, start, list, 6, zero, plain, &error), &error,
                 "not convex");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_is_exact),
        cmocka_unit_test(prism_is_exact),
        cmocka_unit_test(voussoir_is_exact),
        cmocka_unit_test(tetrahedron_and_octahedron_are_exact),
        cmocka_unit_test(random_hulls_have_the_right_mass),
        cmocka_unit_test(mass_does_not_depend_on_where_it_is_drawn),
        cmocka_unit_test(turned_box_finds_its_axes),
        cmocka_unit_test(axes_stay_near_those_drawn),
        cmocka_unit_test(coplanar_points_make_one_face),
        cmocka_unit_test(nearly_coplanar_points_make_a_body),
        cmocka_unit_test(large_hull),
        cmocka_unit_test(surface_of_triangles_becomes_a_box),
        cmocka_unit_test(bad_sizes_are_rejected),
        cmocka_unit_test(bad_points_are_rejected),
        cmocka_unit_test(bad_surfaces_are_named),
        cmocka_unit_test(restored_bits_are_the_same),
        cmocka_unit_test(nonsense_is_not_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
