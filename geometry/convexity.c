// Checks that corners and faces bound a convex body.
#include <float.h>
#include <inttypes.h>

#include "geometry/surface.h"

// Smallest volume relative to the cube of the radius; rounding is 1e-16 of that cube.
#define NEEDLE 1e-12

// Returns the tolerance for points in a face's plane, extrapolated from its corners to the size of
// the body.
static double plane_tolerance(const struct polyhedron *body, int32_t face, double tolerance) {
    const int32_t *start = body->face_start;
    double longest = 0, size = 0;
    for (int32_t k = start[face]; k < start[face + 1]; k++) {
        int32_t next = body->face_corner[surface_next(start, face, k)];
        vec3 side = vec3_sub(body->corner[next], body->corner[body->face_corner[k]]);
        longest = fmax(longest, vec3_length(side));
    }
    size = vec3_length(
        surface_area(body->corner, body->face_corner + start[face], start[face + 1] - start[face]));
    return tolerance * (4 + body->radius * longest / size);
}

static bool check_flat(const struct polyhedron *body, const struct surface *surface, int32_t face,
                       struct gabion_error *error) {
    int32_t count = body->face_start[face + 1] - body->face_start[face];
    if (count > POLYHEDRON_FACE_MAX)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s has %" PRId32 " corners; at most %d are allowed",
                         surface_face_name(surface, face).text, count, POLYHEDRON_FACE_MAX);
    if (!vec3_finite(body->normal[face]))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s encloses no area: it is a line, or not convex as it crosses itself%s",
                         surface_face_name(surface, face).text, surface_remedy(surface).text);
    for (int32_t k = body->face_start[face]; k < body->face_start[face + 1]; k++) {
        int32_t corner = body->face_corner[k];
        double off = vec3_dot(body->normal[face], body->corner[corner]) - body->offset[face];
        if (!(fabs(off) <= 4 * surface->tolerance))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s is not flat: %s lies %g m off its plane",
                             surface_face_name(surface, face).text,
                             surface_corner_name(surface, corner).text, fabs(off));
    }
    return true;
}

// Checks that all corners of a face lie on the inner side of all its edges. The tolerance grows
// with the distance from an edge, relative to its length.
static bool check_outline(const struct polyhedron *body, const struct surface *surface,
                          int32_t face, struct gabion_error *error) {
    const int32_t *start = body->face_start;
    for (int32_t k = start[face]; k < start[face + 1]; k++) {
        vec3 tail = body->corner[body->face_corner[k]];
        vec3 side = vec3_sub(body->corner[body->face_corner[surface_next(start, face, k)]], tail);
        double length = vec3_length(side);
        vec3 inward = vec3_scale(1 / length, vec3_cross(body->normal[face], side));
        for (int32_t i = start[face]; i < start[face + 1]; i++) {
            vec3 arm = vec3_sub(body->corner[body->face_corner[i]], tail);
            double lever = 1 + vec3_length(arm) / length;
            if (!(vec3_dot(inward, arm) >= -4 * surface->tolerance * lever))
                return error_set(
                    error, GABION_ERROR_INPUT,
                    "%s is not convex: %s lies %g m outside the edge that starts at %s%s",
                    surface_face_name(surface, face).text,
                    surface_corner_name(surface, body->face_corner[i]).text, -vec3_dot(inward, arm),
                    surface_corner_name(surface, body->face_corner[k]).text,
                    surface_remedy(surface).text);
        }
    }
    return true;
}

// Checks that all corners lie behind the plane of the face, and updates the thickness of the body.
static bool check_behind(struct polyhedron *body, const struct surface *surface, int32_t face,
                         struct gabion_error *error) {
    double front = -DBL_MAX, back = DBL_MAX;
    int32_t worst = 0;
    for (int32_t k = 0; k < body->corner_count; k++) {
        double height = vec3_dot(body->normal[face], body->corner[k]) - body->offset[face];
        if (height > front)
            worst = k;
        front = fmax(front, height);
        back = fmin(back, height);
    }
    if (!(front <= plane_tolerance(body, face, surface->tolerance)))
        return error_set(error, GABION_ERROR_INPUT,
                         "the body is not convex: %s lies %g m in front of the plane of %s%s",
                         surface_corner_name(surface, worst).text, front,
                         surface_face_name(surface, face).text, surface_remedy(surface).text);
    body->thickness = fmin(body->thickness, -back);
    return true;
}

bool polyhedron_check_convex(struct polyhedron *body, const struct surface *surface,
                             double thinnest, struct gabion_error *error) {
    body->thickness = DBL_MAX;
    for (int32_t f = 0; f < body->face_count; f++)
        if (!check_flat(body, surface, f, error) || !check_outline(body, surface, f, error) ||
            !check_behind(body, surface, f, error))
            return false;
    if (!(body->thickness > thinnest))
        return error_set(error, GABION_ERROR_INPUT,
                         "the body is flat: %g m thick and %g m long; at least %g m are needed",
                         body->thickness, 2 * body->radius, thinnest);
    if (!(body->volume > NEEDLE * body->radius * body->radius * body->radius))
        return error_set(error, GABION_ERROR_INPUT,
                         "the body is a needle: %g m^3 along %g m leave no digits for its inertia",
                         body->volume, 2 * body->radius);
    // Euler's formula finds what remains: surfaces that cross themselves or consist of several.
    int32_t euler = body->corner_count - body->edge_count + body->face_count;
    return euler == 2 || error_set(error, GABION_ERROR_INPUT,
                                   "not one closed body: corners - edges + faces is %" PRId32
                                   " where it should be 2",
                                   euler);
}
