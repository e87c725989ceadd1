#include "cases/generators.h"
#include "parallel/memory.h"

#define FULL_CIRCLE  6.28318530717958647693
#define LEAST_SIDES  3
#define MOST_SIDES   100000
#define MOST_CORNERS 100000

static bool add(struct gabion_world *world, struct gabion_body body, const vec3 *point,
                int64_t points, const int64_t *triangle, int64_t triangles,
                struct gabion_error *error) {
    body.shape = GABION_SURFACE;
    body.fixed = true;
    body.surface = gabion_add_surface(world, point, points, triangle, triangles, error);
    return body.surface >= 0 && gabion_add_body(world, &body, error) >= 0;
}

static void set_triangle(int64_t *triangle, int64_t a, int64_t b, int64_t c) {
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

// Plates --------------------------------------------------------------------------------------

// Returns twice the area of the triangle of three corners, negative where they turn clockwise.
static double turn_at(const struct plate_definition *definition, size_t k) {
    const double(*p)[2] = definition->polygon;
    size_t n = definition->corners;
    const double *a = p[k], *b = p[(k + 1) % n], *c = p[(k + 2) % n];
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

// Corners on a straight side are allowed; the area of the whole is checked with its triangles.
static bool check_polygon(const struct plate_definition *definition, struct gabion_error *error) {
    size_t n = definition->corners, left = 0, right = 0;
    if (n < 3 || n > MOST_CORNERS)
        return error_set(error, GABION_ERROR_INPUT, "a plate has 3 to %d corners, found %zu",
                         MOST_CORNERS, n);
    for (size_t k = 0; k < n; k++) {
        left += turn_at(definition, k) > 0;
        right += turn_at(definition, k) < 0;
    }
    return left == 0 || right == 0 ||
           error_set(error, GABION_ERROR_INPUT,
                     "the polygon of a plate must be convex; draw other outlines in a file, as a "
                     "surface");
}

// Triangles meet in the middle, so that corners on straight sides give no triangle without area.
bool generate_plate(struct gabion_world *world, const struct plate_definition *definition,
                    struct gabion_error *error) {
    if (!check_polygon(definition, error))
        return false;
    size_t n = definition->corners;
    vec3 *point = memory_allocate(n + 1, sizeof *point, "a plate");
    int64_t *triangle = memory_allocate(3 * n, sizeof *triangle, "a plate");
    for (size_t k = 0; k < n; k++) {
        point[k] = vec3_make(definition->polygon[k][0], definition->polygon[k][1], 0);
        point[n] = vec3_add_scaled(point[n], 1.0 / (double)n, point[k]);
        set_triangle(triangle + 3 * k, (int64_t)k, (int64_t)((k + 1) % n), (int64_t)n);
    }
    bool good = add(world, definition->body, point, (int64_t)n + 1, triangle, (int64_t)n, error);
    memory_free(point);
    memory_free(triangle);
    return good;
}

// Mantles -------------------------------------------------------------------------------------

static bool check_mantle(const struct mantle_definition *definition, struct gabion_error *error) {
    if (definition->sides < LEAST_SIDES || definition->sides > MOST_SIDES)
        return error_set(error, GABION_ERROR_INPUT, "sides: expected %d to %d, found %d",
                         LEAST_SIDES, MOST_SIDES, definition->sides);
    bool good = definition->lower >= 0 && definition->upper >= 0 && definition->height > 0 &&
                definition->lower + definition->upper > 0 && definition->arc > 0 &&
                definition->arc <= FULL_CIRCLE;
    return good ||
           error_set(error, GABION_ERROR_INPUT,
                     "radii of %g and %g m, a height of %g m and an arc of %g rad are no "
                     "mantle",
                     definition->lower, definition->upper, definition->height, definition->arc);
}

static int64_t add_ring(const struct mantle_definition *definition, double radius, double z,
                        vec3 *point) {
    int count = radius > 0 ? definition->sides + 1 : 1;
    for (int k = 0; k < count; k++) {
        double angle = definition->arc * k / definition->sides;
        point[k] = vec3_make(radius * cos(angle), radius * sin(angle), z);
    }
    if (radius > 0 && definition->arc == FULL_CIRCLE)
        point[definition->sides] = point[0];
    return count;
}

static int64_t add_facets(const struct mantle_definition *definition, int64_t below, int64_t *out) {
    int64_t count = 0;
    for (int64_t k = 0; k < definition->sides; k++) {
        bool tip = !(definition->lower > 0), apex = !(definition->upper > 0);
        int64_t a = tip ? 0 : k, b = tip ? 0 : k + 1;
        int64_t c = below + (apex ? 0 : k + 1), d = below + (apex ? 0 : k);
        if (!tip)
            set_triangle(out + 3 * count++, a, b, c);
        if (!apex)
            set_triangle(out + 3 * count++, a, c, d);
    }
    return count;
}

bool generate_mantle(struct gabion_world *world, const struct mantle_definition *definition,
                     struct gabion_error *error) {
    if (!check_mantle(definition, error))
        return false;
    size_t ring = (size_t)definition->sides + 1;
    vec3 *point = memory_allocate(2 * ring, sizeof *point, "a mantle");
    int64_t *triangle = memory_allocate(6 * ring, sizeof *triangle, "a mantle");
    int64_t below = add_ring(definition, definition->lower, 0, point);
    int64_t points =
        below + add_ring(definition, definition->upper, definition->height, point + below);
    int64_t triangles = add_facets(definition, below, triangle);
    bool good = add(world, definition->body, point, points, triangle, triangles, error);
    memory_free(point);
    memory_free(triangle);
    return good;
}
