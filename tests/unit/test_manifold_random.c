// Contact manifolds of random polyhedra, against brute force that shares no code with them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/manifold.h"
#include "tests/unit/scene.h"
#include "tests/unit/effort.h"

#define PAIRS effort(10000, 1000)
#define REACH 0.05

static struct polyhedron *must(struct polyhedron *shape, const struct gabion_error *error) {
    if (!shape)
        fail_msg("%s", error->text);
    return shape;
}

// Boxes, slices of a twelve-sided column and hulls of a few points, about 1 in size; some thin.
static struct polyhedron *random_shape(struct random_stream *random) {
    struct gabion_error error = {0};
    double size[3];
    for (int k = 0; k < 3; k++)
        size[k] = random_between(random, 0.2, 1);
    if (random_unit(random) < 0.2)
        size[2] *= 0.03;
    int kind = (int)random_between(random, 0, 3);
    if (kind == 0)
        return must(polyhedron_box(vec3_make(size[0], size[1], size[2]), &error), &error);
    if (kind == 1) {
        double polygon[12][2];
        for (int k = 0; k < 12; k++) {
            polygon[k][0] = size[0] * cos(2 * PI * k / 12);
            polygon[k][1] = size[1] * sin(2 * PI * k / 12);
        }
        return must(polyhedron_prism((const double(*)[2])polygon, 12, 0, size[2], &error), &error);
    }
    vec3 point[20];
    int count = (int)random_between(random, 6, 20);
    for (int k = 0; k < count; k++)
        point[k] = vec3_times(scene_random_unit(random), vec3_make(size[0], size[1], size[2]));
    return must(polyhedron_hull(point, count, &error), &error);
}

static mat3 random_axes(struct random_stream *random) {
    return scene_rotation(scene_random_unit(random), random_between(random, 0, PI));
}

struct duo {
    struct placed a, b;
};

static vec3 corner_of(const struct placed *a, int32_t c) {
    return vec3_add(a->x, mat3_apply(a->axes, a->shape->corner[c]));
}

static vec3 normal_of(const struct placed *a, int32_t f) {
    return mat3_apply(a->axes, a->shape->normal[f]);
}

// -------------------------------------------------------------------------------------------------
// Brute force

static double highest(const struct placed *a, vec3 axis) {
    double top = -DBL_MAX;
    vec3 own = mat3_apply_transposed(a->axes, axis);
    for (int32_t c = 0; c < a->shape->corner_count; c++) {
        double height = vec3_dot(own, a->shape->corner[c]);
        top = height > top ? height : top;
    }
    return top + vec3_dot(axis, a->x);
}

static double separation_along(const struct duo *duo, vec3 axis) {
    return -highest(&duo->b, vec3_negate(axis)) - highest(&duo->a, axis);
}

static double separation_of_faces(const struct duo *duo) {
    double best = -DBL_MAX;
    for (int32_t f = 0; f < duo->a.shape->face_count; f++)
        best = fmax(best, separation_along(duo, normal_of(&duo->a, f)));
    for (int32_t f = 0; f < duo->b.shape->face_count; f++)
        best = fmax(best, separation_along(duo, vec3_negate(normal_of(&duo->b, f))));
    return best;
}

// Largest separation over all face normals and all products of two edges, none left out.
static double separation_of(const struct duo *duo) {
    double best = separation_of_faces(duo);
    for (int32_t i = 0; i < duo->a.shape->edge_count; i++)
        for (int32_t j = 0; j < duo->b.shape->edge_count; j++) {
            const struct polyhedron_edge *e = &duo->a.shape->edge[i], *f = &duo->b.shape->edge[j];
            vec3 u = vec3_sub(corner_of(&duo->a, e->head), corner_of(&duo->a, e->tail));
            vec3 v = vec3_sub(corner_of(&duo->b, f->head), corner_of(&duo->b, f->tail));
            vec3 axis = vec3_cross(u, v);
            double length = vec3_length(axis);
            if (length < 1e-6 * vec3_length(u) * vec3_length(v))
                continue;
            axis = vec3_scale(1 / length, axis);
            best = fmax(
                best, fmax(separation_along(duo, axis), separation_along(duo, vec3_negate(axis))));
        }
    return best;
}

// Height of p above the surface: negative inside, and the distance where a face is closest.
static double height_over(const struct placed *a, vec3 p) {
    double top = -DBL_MAX;
    for (int32_t f = 0; f < a->shape->face_count; f++)
        top = fmax(top, vec3_dot(normal_of(a, f), vec3_sub(p, a->x)) - a->shape->offset[f]);
    return top;
}

// Distance from p to the inside of a face of the body, or infinity where no face is below it.
static double distance_to_faces(const struct placed *a, vec3 p) {
    const struct polyhedron *shape = a->shape;
    double best = INFINITY;
    for (int32_t f = 0; f < shape->face_count; f++) {
        vec3 normal = normal_of(a, f);
        double height = vec3_dot(normal, vec3_sub(p, a->x)) - shape->offset[f];
        bool over = height > 0;
        for (int32_t k = shape->face_start[f]; k < shape->face_start[f + 1]; k++) {
            int32_t next = k + 1 < shape->face_start[f + 1] ? k + 1 : shape->face_start[f];
            vec3 u = corner_of(a, shape->face_corner[k]);
            vec3 v = corner_of(a, shape->face_corner[next]);
            over &= vec3_dot(vec3_cross(normal, vec3_sub(v, u)), vec3_sub(p, u)) > 0;
        }
        if (over)
            best = fmin(best, height);
    }
    return best;
}

static double limit(double t) { return t < 0 ? 0 : t > 1 ? 1 : t; }

// Distance of two segments p + s u and q + t v. The squared distance is a convex quadratic:
// alternate exact minimisation in s and t, started from the free minimum, ends in the constrained
// one after a projection or two.
static double segment_distance(vec3 p, vec3 u, vec3 q, vec3 v) {
    vec3 w = vec3_sub(p, q);
    double uu = vec3_dot(u, u), vv = vec3_dot(v, v), uv = vec3_dot(u, v);
    double determinant = uu * vv - uv * uv, s = 0.5, t = 0;
    if (determinant > 1e-14 * uu * vv)
        s = limit((uv * vec3_dot(v, w) - vv * vec3_dot(u, w)) / determinant);
    for (int k = 0; k < 3; k++) {
        t = vv > 0 ? limit((vec3_dot(v, w) + s * uv) / vv) : 0;
        s = limit((t * uv - vec3_dot(u, w)) / uu);
    }
    vec3 d = vec3_sub(vec3_add_scaled(w, s, u), vec3_scale(t, v));
    return vec3_length(d);
}

// Distances of two bodies apart: corners from faces, and edges from edges.
static void distances_of(const struct duo *duo, double *faces, double *edges) {
    *faces = *edges = INFINITY;
    for (int32_t c = 0; c < duo->a.shape->corner_count; c++)
        *faces = fmin(*faces, distance_to_faces(&duo->b, corner_of(&duo->a, c)));
    for (int32_t c = 0; c < duo->b.shape->corner_count; c++)
        *faces = fmin(*faces, distance_to_faces(&duo->a, corner_of(&duo->b, c)));
    for (int32_t i = 0; i < duo->a.shape->edge_count; i++)
        for (int32_t j = 0; j < duo->b.shape->edge_count; j++) {
            const struct polyhedron_edge *e = &duo->a.shape->edge[i], *f = &duo->b.shape->edge[j];
            vec3 p = corner_of(&duo->a, e->tail), q = corner_of(&duo->b, f->tail);
            vec3 u = vec3_sub(corner_of(&duo->a, e->head), p);
            vec3 v = vec3_sub(corner_of(&duo->b, f->head), q);
            *edges = fmin(*edges, segment_distance(p, u, q, v));
        }
}

// -------------------------------------------------------------------------------------------------

// Two bodies whose surfaces are about to meet, or overlap a little.
static struct duo random_duo(struct random_stream *random) {
    struct duo duo = {
        {.shape = random_shape(random), .x = vec3_zero(), .axes = random_axes(random)},
        {.shape = random_shape(random), .x = vec3_zero(), .axes = random_axes(random)},
    };
    vec3 axis = scene_random_unit(random);
    duo.a.x = vec3_make(random_unit(random), random_unit(random), random_unit(random));
    double low = 0, high = 10;
    for (int k = 0; k < 12; k++) {
        double middle = 0.5 * (low + high);
        duo.b.x = vec3_add_scaled(duo.a.x, middle, axis);
        if (separation_of_faces(&duo) > 0)
            high = middle;
        else
            low = middle;
    }
    double off = random_between(random, -0.1, REACH);
    duo.b.x = vec3_add_scaled(duo.b.x, random_unit(random) < 0.3 ? 0.01 * off : off, axis);
    return duo;
}

static void duo_free(struct duo *duo) {
    polyhedron_free((struct polyhedron *)duo->a.shape);
    polyhedron_free((struct polyhedron *)duo->b.shape);
}

static struct manifold duo_meet(const struct duo *duo) {
    struct manifold manifold;
    manifold_polyhedra(&duo->a, &duo->b, REACH, &manifold);
    return manifold;
}

static double least_gap(const struct manifold *manifold) {
    double least = INFINITY;
    for (int k = 0; k < manifold->count; k++)
        least = fmin(least, manifold->point[k].gap);
    return least;
}

static void test_swap(void **state) {
    (void)state;
    struct random_stream random = {11};
    int points = 0;
    for (int k = 0; k < PAIRS; k++) {
        struct duo duo = random_duo(&random), swapped = {duo.b, duo.a};
        struct manifold m = duo_meet(&duo), n = duo_meet(&swapped);
        assert_int_equal(m.count, n.count);
        for (int i = 0; i < m.count; i++) {
            assert_memory_equal(&m.point[i].position, &n.point[i].position, sizeof(vec3));
            assert_true(m.point[i].gap == n.point[i].gap);
            assert_true(m.point[i].feature == manifold_swap_feature(n.point[i].feature));
            for (int j = 0; j < i; j++)
                assert_true(m.point[i].feature != m.point[j].feature);
        }
        if (m.count > 0)
            assert_vector_near(m.normal, vec3_negate(n.normal), 0);
        points += m.count;
        duo_free(&duo);
    }
    assert_true(points > PAIRS);
}

// The names of a contact outlive a motion far below what matters.
static void test_names(void **state) {
    (void)state;
    struct random_stream random = {12};
    int points = 0, lost = 0;
    for (int k = 0; k < PAIRS; k++) {
        struct duo duo = random_duo(&random);
        struct manifold m = duo_meet(&duo);
        duo.b.x = vec3_add_scaled(duo.b.x, 1e-9, scene_random_unit(&random));
        struct manifold n = duo_meet(&duo);
        for (int i = 0; i < m.count; i++) {
            bool found = false;
            for (int j = 0; j < n.count; j++)
                found |= m.point[i].feature == n.point[j].feature;
            points++;
            lost += !found;
        }
        duo_free(&duo);
    }
    assert_at_most(lost, 1e-3 * points);
}

// Where bodies overlap: the shortest way out of all, no direction does better, and there is always
// a contact. A patch that stands for a crossing of two edges nearly flush with it measures along
// its own normal, up to 0.01 rad away.
static void test_overlap(void **state) {
    (void)state;
    struct random_stream random = {13};
    int overlaps = 0;
    for (int k = 0; k < 2000; k++) {
        struct duo duo = random_duo(&random);
        double separation = separation_of(&duo);
        if (separation < 0) {
            struct manifold m = duo_meet(&duo);
            overlaps++;
            assert_true(m.count > 0);
            assert_at_most(separation_along(&duo, vec3_negate(m.normal)), separation + 1e-12);
            assert_at_most(least_gap(&m), separation + 1e-8);
            assert_at_most(separation * (1 + 6e-5) - 1e-8, least_gap(&m));
            for (int i = 0; i < 20; i++)
                assert_at_most(separation_along(&duo, scene_random_unit(&random)),
                               separation + 1e-12);
        }
        duo_free(&duo);
    }
    assert_true(overlaps > 500);
}

// Every point stands for two points, one on each surface.
static void test_points_on_surfaces(void **state) {
    (void)state;
    struct random_stream random = {14};
    for (int k = 0; k < PAIRS; k++) {
        struct duo duo = random_duo(&random);
        struct manifold m = duo_meet(&duo);
        for (int i = 0; i < m.count; i++) {
            const struct manifold_point *point = &m.point[i];
            vec3 p = vec3_add_scaled(point->position, 0.5 * point->gap, m.normal);
            vec3 q = vec3_add_scaled(point->position, -0.5 * point->gap, m.normal);
            assert_near(height_over(&duo.a, p), 0, 2e-7);
            assert_near(height_over(&duo.b, q), 0, 2e-7);
            assert_at_most(point->gap, REACH);
        }
        duo_free(&duo);
    }
}

// Where bodies are apart, no gap is smaller than their distance, and where a corner and a face or
// two edges are closest, that distance is among the gaps.
static void test_distance(void **state) {
    (void)state;
    struct random_stream random = {15};
    int corners = 0, crossings = 0;
    for (int k = 0; k < 2000; k++) {
        struct duo duo = random_duo(&random);
        double separation = separation_of(&duo), faces, edges;
        if (separation > 1e-6) {
            struct manifold m = duo_meet(&duo);
            distances_of(&duo, &faces, &edges);
            double distance = fmin(faces, edges);
            assert_at_most(distance - 1e-12, least_gap(&m));
            if (faces < edges && faces < REACH) {
                assert_near(least_gap(&m), faces, 1e-7);
                corners++;
            } else if (edges < REACH && edges < separation + 1e-12) {
                assert_near(least_gap(&m), edges, 6e-5 * edges);
                crossings++;
            }
        }
        duo_free(&duo);
    }
    assert_true(corners > 100);
    assert_true(crossings > 100);
}

// The same scene somewhere else, turned.
static void test_rigid_motion(void **state) {
    (void)state;
    struct random_stream random = {16};
    for (int k = 0; k < PAIRS; k++) {
        struct duo duo = random_duo(&random), moved = duo;
        mat3 turn = random_axes(&random);
        vec3 shift = scene_random_unit(&random);
        for (int i = 0; i < 2; i++) {
            struct placed *body = i ? &moved.b : &moved.a;
            body->x = vec3_add(shift, mat3_apply(turn, body->x));
            mat3 axes = body->axes;
            for (int r = 0; r < 3; r++)
                body->axes.row[r] = mat3_apply_transposed(axes, turn.row[r]);
        }
        struct manifold m = duo_meet(&duo), n = duo_meet(&moved);
        assert_int_equal(m.count, n.count);
        for (int i = 0; i < m.count; i++) {
            vec3 position = vec3_add(shift, mat3_apply(turn, m.point[i].position));
            assert_vector_near(n.point[i].position, position, 1e-12);
            assert_near(n.point[i].gap, m.point[i].gap, 1e-12);
            assert_true(n.point[i].feature == m.point[i].feature);
        }
        if (m.count > 0)
            assert_vector_near(n.normal, mat3_apply(turn, m.normal), 1e-12);
        duo_free(&duo);
    }
}

// Spheres around and inside random bodies, against all faces and edges.
static void test_sphere_distance(void **state) {
    (void)state;
    struct random_stream random = {18};
    for (int k = 0; k < PAIRS; k++) {
        struct placed body = placed_alone(random_shape(&random), vec3_zero(), random_axes(&random));
        vec3 centre = vec3_scale(random_between(&random, 0, 1.5), scene_random_unit(&random));
        double height = height_over(&body, centre), distance = height;
        if (height > 0) {
            distance = distance_to_faces(&body, centre);
            for (int32_t e = 0; e < body.shape->edge_count; e++) {
                vec3 tail = corner_of(&body, body.shape->edge[e].tail);
                vec3 way = vec3_sub(corner_of(&body, body.shape->edge[e].head), tail);
                distance = fmin(distance, segment_distance(tail, way, centre, vec3_zero()));
            }
        }
        struct manifold m;
        manifold_sphere(&body, centre, 0.1, 2, &m);
        assert_int_equal(m.count, 1);
        assert_near(m.point[0].gap, distance - 0.1, 1e-12);
        vec3 on = vec3_add_scaled(m.point[0].position, 0.5 * m.point[0].gap, m.normal);
        assert_near(height_over(&body, on), 0, 1e-12);
        assert_vector_near(on, vec3_add_scaled(centre, distance, m.normal), 1e-12);
        polyhedron_free((struct polyhedron *)body.shape);
    }
}

// Corners of the overlap of two rectangles in the plane, by trying every pair of the eight lines.
// half[i] are half lengths, the second rectangle is at `centre` and turned.
static int rectangle_overlap(double half[2][2], const double centre[2], double angle,
                             double corner[16][2]) {
    double line[8][3]; // a x + b y <= c
    int count = 0;
    for (int k = 0; k < 8; k++) {
        double sign = k & 1 ? -1 : 1, turned = k < 4 ? 0 : angle;
        double a = k & 2 ? -sin(turned) : cos(turned), b = k & 2 ? cos(turned) : sin(turned);
        line[k][0] = sign * a;
        line[k][1] = sign * b;
        line[k][2] = half[k / 4][k / 2 % 2];
        if (k >= 4)
            line[k][2] += sign * (a * centre[0] + b * centre[1]);
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) {
            double det = line[i][0] * line[j][1] - line[i][1] * line[j][0];
            if (fabs(det) < 1e-9)
                continue;
            double x = (line[i][2] * line[j][1] - line[i][1] * line[j][2]) / det;
            double y = (line[i][0] * line[j][2] - line[i][2] * line[j][0]) / det;
            bool inside = true;
            for (int k = 0; k < 8; k++)
                inside &= line[k][0] * x + line[k][1] * y <= line[k][2] + 1e-12;
            if (inside) {
                corner[count][0] = x;
                corner[count++][1] = y;
            }
        }
    return count;
}

static int compare_names(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sorted_names(const struct manifold *manifold, uint32_t *name) {
    for (int k = 0; k < manifold->count; k++)
        name[k] = manifold->point[k].feature;
    qsort(name, (size_t)manifold->count, sizeof *name, compare_names);
}

// Bricks on bricks, tilted by less than anyone sees: all corners of the common area are there, no
// tilt makes a crossing of edges out of it, and neither the tilt nor which body's face is taken as
// the reference changes a name.
static void test_nearly_flush(void **state) {
    (void)state;
    struct random_stream random = {17};
    struct gabion_error error = {0};
    for (int k = 0; k < PAIRS; k++) {
        double half[2][2], centre[2], corner[16][2];
        struct polyhedron *shape[2];
        for (int i = 0; i < 2; i++) {
            half[i][0] = random_between(&random, 0.2, 1);
            half[i][1] = random_between(&random, 0.2, 1);
            centre[i] = random_between(&random, -0.3, 0.3);
            vec3 size = {half[i][0], half[i][1], 0.1};
            shape[i] = must(polyhedron_box(size, &error), &error);
        }
        double angle = k % 2 ? random_between(&random, 0.2, 1.3) : 0;
        int corners = rectangle_overlap(half, centre, angle, corner);
        vec3 axis = scene_random_unit(&random);
        double tilt = pow(10, random_between(&random, -14, -3));
        mat3 lean = scene_rotation(vec3_make(axis.x, axis.y, 0), tilt);
        mat3 axes = scene_rotation(vec3_make(0, 0, 1), angle);
        struct duo duo = {placed_alone(shape[0], vec3_zero(), scene_rotation(vec3_zero(), 0)),
                          placed_alone(shape[1], vec3_make(centre[0], centre[1], 0.2), axes)};
        struct manifold flat = duo_meet(&duo);
        for (int r = 0; r < 3; r++)
            duo.b.axes.row[r] = mat3_apply_transposed(axes, lean.row[r]);
        duo.b.x.z += random_between(&random, -1, 1) * tilt;
        struct manifold m = duo_meet(&duo);

        assert_int_equal(flat.count, corners);
        assert_int_equal(m.count, corners);
        assert_vector_near(m.normal, vec3_make(0, 0, -1), 1.1 * tilt);
        for (int i = 0; i < corners; i++) {
            double nearest = INFINITY;
            for (int j = 0; j < m.count; j++)
                nearest = fmin(nearest, hypot(m.point[j].position.x - corner[i][0],
                                              m.point[j].position.y - corner[i][1]));
            assert_at_most(nearest, 3 * tilt + 1e-8);
        }
        uint32_t name[2][MANIFOLD_MAX];
        sorted_names(&flat, name[0]);
        sorted_names(&m, name[1]);
        assert_memory_equal(name[0], name[1], (size_t)corners * sizeof **name);
        polyhedron_free(shape[0]);
        polyhedron_free(shape[1]);
    }
}

static void assert_distinct(const struct manifold *manifold, double distance) {
    for (int i = 0; i < manifold->count; i++)
        for (int j = 0; j < i; j++) {
            const struct manifold_point *p = &manifold->point[i], *q = &manifold->point[j];
            assert_true(p->feature != q->feature);
            assert_true(vec3_length(vec3_sub(p->position, q->position)) > distance);
        }
}

// Equal columns of twelve sides on each other, off by a few times what counts as equal, or meeting
// in one corner: whatever is cut and named there, no two points share a place or a name.
static void test_columns(void **state) {
    (void)state;
    struct random_stream random = {19};
    struct gabion_error error = {0};
    double polygon[12][2];
    for (int k = 0; k < 12; k++) {
        polygon[k][0] = cos(2 * PI * k / 12);
        polygon[k][1] = sin(2 * PI * k / 12);
    }
    struct polyhedron *shape =
        must(polyhedron_prism((const double(*)[2])polygon, 12, -0.5, 0.5, &error), &error);
    mat3 upright = scene_rotation(vec3_zero(), 0);
    for (int k = 0; k < PAIRS; k++) {
        double size = pow(10, random_between(&random, -9, -5));
        struct duo duo = {placed_alone(shape, vec3_zero(), upright),
                          placed_alone(shape, vec3_make(0, 0, 1), upright)};
        duo.b.axes = scene_rotation(scene_random_unit(&random), size);
        duo.b.x = vec3_add_scaled(duo.b.x, size, scene_random_unit(&random));
        struct manifold m = duo_meet(&duo);
        assert_true(m.count >= 12);
        assert_distinct(&m, 1e-7);
        for (int i = 0; i < 12; i++) {
            double nearest = INFINITY;
            for (int j = 0; j < m.count; j++)
                nearest = fmin(nearest, hypot(m.point[j].position.x - polygon[i][0],
                                              m.point[j].position.y - polygon[i][1]));
            assert_at_most(nearest, 5 * size + 1e-6);
        }

        // Corner 0 of the second column, turned by up to a right angle, on corner 0 of the first.
        double angle = random_between(&random, 0.1, 0.5 * PI);
        duo.b.axes = scene_rotation(vec3_make(0, 0, 1), angle);
        duo.b.x = vec3_make(1 - cos(angle), -sin(angle), 1);
        duo.b.x = vec3_add_scaled(duo.b.x, 0.1 * size, scene_random_unit(&random));
        m = duo_meet(&duo);
        assert_true(m.count > 3);
        assert_distinct(&m, 1e-7);
    }
    polyhedron_free(shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swap),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_overlap),      cmocka_unit_test(test_points_on_surfaces),
        cmocka_unit_test(test_distance),     cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_nearly_flush), cmocka_unit_test(test_sphere_distance),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
