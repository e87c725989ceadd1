// Exact convex decomposition of closed surfaces: number of parts where it is known, volumes always.
#include "tests/unit/scene.h"

#include <string.h>

#include "geometry/decompose.h"
#include "parallel/memory.h"

// A prism over any simple polygon, as polygons: bottom, top, sides.
#define CORNERS_MAX 64

struct solid_drawing {
    vec3 point[2 * CORNERS_MAX];
    int64_t start[CORNERS_MAX + 3], corner[8 * CORNERS_MAX];
    struct drawing drawing;
};

static void draw_prism(struct solid_drawing *solid, const double (*polygon)[2], int count,
                       double height) {
    int64_t *corner = solid->corner, faces = 0;
    solid->start[0] = 0;
    for (int k = 0; k < count; k++) {
        solid->point[k] = vec3_make(polygon[k][0], polygon[k][1], 0);
        solid->point[count + k] = vec3_make(polygon[k][0], polygon[k][1], height);
    }
    for (int k = 0; k < count; k++)
        *corner++ = count - 1 - k;
    solid->start[++faces] = corner - solid->corner;
    for (int k = 0; k < count; k++)
        *corner++ = count + k;
    solid->start[++faces] = corner - solid->corner;
    for (int k = 0; k < count; k++) {
        int next = (k + 1) % count;
        const int side[] = {k, next, count + next, count + k};
        for (int c = 0; c < 4; c++)
            *corner++ = side[c];
        solid->start[++faces] = corner - solid->corner;
    }
    solid->drawing = (struct drawing){.point = solid->point,
                                      .points = 2 * count,
                                      .start = solid->start,
                                      .corner = solid->corner,
                                      .faces = faces};
}

static double polygon_area(const double (*p)[2], int count) {
    double area = 0;
    for (int k = 0; k < count; k++) {
        int next = (k + 1) % count;
        area += 0.5 * (p[k][0] * p[next][1] - p[next][0] * p[k][1]);
    }
    return area;
}

// Parts that overlapped would sum to more than the solid.
static size_t assert_parts(const struct drawing *drawing, double volume, double precision) {
    struct gabion_error error = {0};
    size_t count = 0;
    struct polyhedron **part = decompose(drawing, 64, &count, &error);
    if (!part)
        fail_msg("%s", error.text);
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        sum += part[k]->volume;
        polyhedron_free(part[k]);
    }
    memory_free(part);
    assert_near(sum, volume, precision * volume);
    return count;
}

#define PRISM(polygon, height, parts)                                                              \
    do {                                                                                           \
        struct solid_drawing solid;                                                                \
        int corners = (int)(sizeof polygon / sizeof *polygon);                                     \
        draw_prism(&solid, polygon, corners, height);                                              \
        assert_int_equal(                                                                          \
            assert_parts(&solid.drawing, polygon_area(polygon, corners) * (height), 1e-12),        \
            parts);                                                                                \
    } while (0)

// The least number of convex parts of a prism is that of its polygon: one more than half the number
// of reflex corners at best.
static void test_letters(void **state) {
    (void)state;
    static const double box[][2] = {{0, 0}, {2, 0}, {2, 1}, {0, 1}};
    static const double ell[][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const double tee[][2] = {{1, 0}, {2, 0}, {2, 2}, {3, 2}, {3, 3}, {0, 3}, {0, 2}, {1, 2}};
    static const double cee[][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {3, 2}, {3, 3}, {0, 3}};
    static const double plus[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2},
                                     {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
    static const double dove[][2] = {{0, 0}, {4, 0}, {4, 2},   {2.5, 2},
                                     {3, 1}, {1, 1}, {1.5, 2}, {0, 2}};
    PRISM(box, 1, 1);
    PRISM(ell, 0.5, 2);
    PRISM(tee, 0.7, 2);
    PRISM(cee, 1, 3);
    PRISM(plus, 1, 3);
    PRISM(dove, 1, 3);
}

// Turned and moved, coordinates are rounded and nothing else changes.
static void test_anywhere(void **state) {
    (void)state;
    static const double plus[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2},
                                     {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
    struct random_stream random = {5};
    for (int k = 0; k < 20; k++) {
        struct solid_drawing solid;
        draw_prism(&solid, plus, 12, 1);
        mat3 axes = quat_matrix(quat_about(scene_random_unit(&random), 3 * random_unit(&random)));
        vec3 by = vec3_scale(100, scene_random_unit(&random));
        for (int p = 0; p < 24; p++)
            solid.point[p] = vec3_add(by, mat3_apply(axes, solid.point[p]));
        assert_int_equal(assert_parts(&solid.drawing, 5, 1e-9), 3);
    }
}

// Single precision, as in an STL file.
static void test_rounded(void **state) {
    (void)state;
    static const double ell[][2] = {{0, 0}, {0.3, 0}, {0.3, 0.1}, {0.1, 0.1}, {0.1, 0.2}, {0, 0.2}};
    struct solid_drawing solid;
    draw_prism(&solid, ell, 6, 0.7);
    mat3 axes = quat_matrix(quat_about(vec3_make(0.6, 0, 0.8), 1));
    for (int p = 0; p < 12; p++) {
        vec3 x = mat3_apply(axes, solid.point[p]);
        solid.point[p] = vec3_make((float)x.x, (float)x.y, (float)x.z);
    }
    assert_int_equal(assert_parts(&solid.drawing, 0.04 * 0.7, 1e-5), 2);
}

// A square ring, which has a hole through it: genus one. Four bars at best.
static void test_ring(void **state) {
    (void)state;
    static const double outer[4][2] = {{0, 0}, {3, 0}, {3, 3}, {0, 3}};
    static const double inner[4][2] = {{1, 1}, {2, 1}, {2, 2}, {1, 2}};
    vec3 point[16];
    int64_t start[17], corner[64], *next = corner;
    for (int k = 0; k < 4; k++)
        for (int top = 0; top < 2; top++) {
            point[4 * top + k] = vec3_make(outer[k][0], outer[k][1], top);
            point[8 + 4 * top + k] = vec3_make(inner[k][0], inner[k][1], top);
        }
    for (int k = 0; k < 4; k++) {
        int n = (k + 1) % 4;
        const int quad[4][4] = {{k, n, 4 + n, 4 + k},           // outside
                                {8 + n, 8 + k, 12 + k, 12 + n}, // hole
                                {4 + k, 4 + n, 12 + n, 12 + k}, // top
                                {n, k, 8 + k, 8 + n}};          // bottom
        for (int q = 0; q < 4; q++) {
            start[4 * k + q] = next - corner;
            for (int c = 0; c < 4; c++)
                *next++ = quad[q][c];
        }
    }
    start[16] = next - corner;
    struct drawing drawing = {
        .point = point, .points = 16, .start = start, .corner = corner, .faces = 16};
    assert_int_equal(assert_parts(&drawing, 8, 1e-12), 4);
}

// Schoenhardt's polyhedron, a twisted prism whose reflex edges need new corners: no triangulation
// of its own corners fills it.
static void test_schoenhardt(void **state) {
    (void)state;
    vec3 point[6];
    for (int k = 0; k < 3; k++) {
        double a = 2 * PI * k / 3, b = a + PI / 6;
        point[k] = vec3_make(cos(a), sin(a), 0);
        point[3 + k] = vec3_make(cos(b), sin(b), 1);
    }
    int64_t corner[24] = {2, 1, 0, 3, 4, 5}, start[9] = {0, 3, 6}, *next = corner + 6;
    for (int k = 0; k < 3; k++) {
        int n = (k + 1) % 3;
        const int two[2][3] = {{k, n, 3 + n}, {k, 3 + n, 3 + k}};
        for (int t = 0; t < 2; t++)
            for (int c = 0; c < 3; c++)
                *next++ = two[t][c];
    }
    for (int f = 0; f < 9; f++)
        start[f] = 3 * f;
    struct drawing drawing = {
        .point = point, .points = 6, .start = start, .corner = corner, .faces = 8};
    double volume = 0;
    for (int f = 0; f < 8; f++) {
        const int64_t *c = corner + 3 * f;
        volume += vec3_dot(point[c[0]], vec3_cross(point[c[1]], point[c[2]])) / 6;
    }
    size_t parts = assert_parts(&drawing, volume, 1e-9);
    print_message("Schoenhardt: %zu parts\n", parts);
    assert_true(parts > 1);
}

static void assert_rejected(const struct drawing *drawing, int64_t most, const char *why) {
    struct gabion_error error = {0};
    size_t count;
    assert_null(decompose(drawing, most, &count, &error));
    if (!strstr(error.text, why))
        fail_msg("expected '%s', found '%s'", why, error.text);
}

static void test_errors(void **state) {
    (void)state;
    static const double cee[][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {3, 2}, {3, 3}, {0, 3}};
    static const double bow[][2] = {{0, 0}, {2, 0}, {0.5, 1.5}, {1.5, 1.5}};
    struct solid_drawing solid;
    draw_prism(&solid, cee, 8, 1);
    assert_rejected(&solid.drawing, 2, "3 convex parts");
    solid.drawing.faces--;
    assert_rejected(&solid.drawing, 64, "edge");
    draw_prism(&solid, bow, 4, 1);
    assert_rejected(&solid.drawing, 64, "itself");
}

// The corner of a saw with many teeth takes a part for each, and a mesh of thousands of cuts is
// rejected before it costs much.
static void test_many(void **state) {
    (void)state;
    double saw[CORNERS_MAX][2];
    for (int k = 0; k < 30; k++) {
        saw[k][0] = 30 - k;
        saw[k][1] = 1 + k % 2;
    }
    double bottom[2][2] = {{1, 0}, {30, 0}};
    memcpy(saw[30], bottom, sizeof bottom);
    struct solid_drawing solid;
    draw_prism(&solid, (const double(*)[2])saw, 32, 1);
    size_t parts = assert_parts(&solid.drawing, polygon_area((const double(*)[2])saw, 32), 1e-9);
    print_message("saw: %zu parts\n", parts);
    assert_true(parts >= 15 && parts <= 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters),     cmocka_unit_test(test_anywhere),
        cmocka_unit_test(test_rounded),     cmocka_unit_test(test_ring),
        cmocka_unit_test(test_schoenhardt), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
