#include "geometry/polyhedron.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "geometry/solid.h"
#include "geometry/surface.h"
#include "parallel/memory.h"

// A checkpoint holds a body that was accepted before; this bound only rejects what is no body at
// all.
#define RESTORE_PRECISION 1e-4

// A centre of mass this near to the centre of symmetry is rounded to it.
#define CENTRE_PRECISION 1e-14

void polyhedron_free(struct polyhedron *polyhedron) {
    if (!polyhedron)
        return;
    void *arrays[] = {polyhedron->corner,    polyhedron->face_start, polyhedron->face_corner,
                      polyhedron->face_edge, polyhedron->normal,     polyhedron->offset,
                      polyhedron->edge};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(polyhedron);
}

// -------------------------------------------------------------------------------------------------
// Quantities derived from corners and faces in the body's own frame. New and restored bodies use
// the same functions, so that a checkpoint gives back the same bits.

// Puts each plane halfway between the extreme corners of its face: exact where the face is flat.
static void find_planes(struct polyhedron *body) {
    for (int32_t f = 0; f < body->face_count; f++) {
        const int32_t *corner = body->face_corner + body->face_start[f];
        int32_t count = body->face_start[f + 1] - body->face_start[f];
        vec3 area = surface_area(body->corner, corner, count);
        double size = vec3_length(area);
        // Adding zero makes a negative zero positive. A face without area fails the checks.
        vec3 normal = {area.x / size + 0.0, area.y / size + 0.0, area.z / size + 0.0};
        double low = DBL_MAX, high = -DBL_MAX;
        for (int32_t k = 0; k < count; k++) {
            double height = vec3_dot(normal, body->corner[corner[k]]);
            low = fmin(low, height);
            high = fmax(high, height);
        }
        body->normal[f] = normal;
        body->offset[f] = 0.5 * (low + high);
    }
}

static void find_edges(struct polyhedron *body, const int32_t *twin) {
    int32_t count = 0;
    for (int32_t f = 0; f < body->face_count; f++)
        for (int32_t k = body->face_start[f]; k < body->face_start[f + 1]; k++) {
            int32_t tail = body->face_corner[k];
            int32_t head = body->face_corner[surface_next(body->face_start, f, k)];
            struct polyhedron_edge *edge;
            if (twin[k] > k) { // first of the two half-edges
                body->face_edge[k] = count;
                edge = &body->edge[count++];
                edge->tail = tail < head ? tail : head;
                edge->head = tail < head ? head : tail;
            } else {
                body->face_edge[k] = body->face_edge[twin[k]];
                edge = &body->edge[body->face_edge[k]];
            }
            *(tail < head ? &edge->left : &edge->right) = f;
        }
    body->edge_count = count;
}

static double body_radius(const struct polyhedron *body) {
    double radius = 0;
    for (int32_t k = 0; k < body->corner_count; k++)
        radius = fmax(radius, vec3_length(body->corner[k]));
    return radius;
}

static void find_sizes(struct polyhedron *body) {
    struct solid solid = solid_integrate(body->corner, body->face_start, body->face_corner,
                                         body->face_count, vec3_zero());
    body->volume = solid.volume;
    body->inertia = vec3_make(solid.inertia.xx, solid.inertia.yy, solid.inertia.zz);
    surface_bounds(body->corner, body->corner_count, &body->low, &body->high);
    body->radius = body_radius(body);
}

// -------------------------------------------------------------------------------------------------

static bool check_counts(const struct surface *surface, struct gabion_error *error) {
    int32_t edges = surface->start[surface->faces] / 2;
    if (surface->faces < 4)
        return error_set(error, GABION_ERROR_INPUT,
                         "the body is flat: all its faces lie in one plane");
    if (surface->points > POLYHEDRON_CORNERS_MAX || edges > POLYHEDRON_CORNERS_MAX)
        return error_set(error, GABION_ERROR_INPUT,
                         "%" PRId32 " corners and %" PRId32
                         " edges; at most %d of each are allowed: take a coarser mesh",
                         surface->points, edges, POLYHEDRON_CORNERS_MAX);
    return true;
}

// Creates a body that takes over points and faces of a surface whose edges are paired.
static struct polyhedron *body_create(struct surface *surface) {
    struct polyhedron *body = memory_allocate(1, sizeof *body, "polyhedron");
    size_t faces = (size_t)surface->faces, corners = (size_t)surface->start[faces];
    *body = (struct polyhedron){
        .corner_count = surface->points,
        .face_count = surface->faces,
        .corner = surface->point,
        .face_start = surface->start,
        .face_corner = surface->corner,
        .face_edge = memory_allocate(corners, sizeof(int32_t), "edges"),
        .normal = memory_allocate(faces, sizeof(vec3), "faces"),
        .offset = memory_allocate(faces, sizeof(double), "faces"),
        .edge = memory_allocate(corners / 2, sizeof(struct polyhedron_edge), "edges"),
        .axes = {1, 0, 0, 0},
    };
    surface->point = NULL;
    surface->start = surface->corner = NULL;
    find_edges(body, surface->twin);
    return body;
}

// Moves the corners from the drawing frame to the body's own.
static void move_to_own_frame(struct polyhedron *body) {
    vec3 low, high;
    surface_bounds(body->corner, body->corner_count, &low, &high);
    vec3 middle = vec3_scale(0.5, vec3_add(low, high));
    // Integrates again about the centre found: the middle of a thin body may lie far outside it.
    vec3 off = vec3_zero();
    struct solid solid;
    for (int pass = 0; pass < 3; pass++) {
        solid = solid_integrate(body->corner, body->face_start, body->face_corner, body->face_count,
                                vec3_add(middle, off));
        off = vec3_add(off, solid.centre);
    }
    double size = vec3_length(vec3_sub(high, low));
    for (int axis = 0; axis < 3; axis++)
        if (fabs(vec3_get(off, axis)) <= CENTRE_PRECISION * size)
            vec3_set(&off, axis, 0);
    body->centre = vec3_add(middle, off);
    solid = solid_integrate(body->corner, body->face_start, body->face_corner, body->face_count,
                            body->centre);
    body->axes = solid_principal_axes(solid.inertia);
    mat3 axes = quat_matrix(body->axes);
    for (int32_t k = 0; k < body->corner_count; k++)
        body->corner[k] = mat3_apply_transposed(axes, vec3_sub(body->corner[k], body->centre));
}

static struct polyhedron *body_finish(struct polyhedron *body, const struct surface *surface,
                                      double thinnest, struct gabion_error *error) {
    find_planes(body);
    find_sizes(body);
    if (polyhedron_check_convex(body, surface, thinnest, error))
        return body;
    polyhedron_free(body);
    return NULL;
}

static struct polyhedron *body_from_drawing(const struct drawing *drawing, double *tolerance,
                                            struct gabion_error *error) {
    struct surface surface = {0};
    struct polyhedron *body = NULL;
    if (surface_from_drawing(&surface, drawing, error) && surface_pair_edges(&surface, error) &&
        surface_merge_faces(&surface, error) && check_counts(&surface, error) &&
        surface_pair_edges(&surface, error)) {
        body = body_create(&surface);
        move_to_own_frame(body);
        body = body_finish(body, &surface, 4 * surface.tolerance, error);
    }
    *tolerance = surface.tolerance;
    surface_free(&surface);
    return body;
}

struct polyhedron *polyhedron_from_drawing(const struct drawing *drawing,
                                           struct gabion_error *error) {
    struct drawing coarser = *drawing;
    struct gabion_error first = {0}, later;
    struct polyhedron *body = body_from_drawing(drawing, &coarser.tolerance, &first);
    for (;;) {
        coarser.tolerance *= 10;
        if (body || !(coarser.tolerance <= coarser.tolerance_most) || coarser.tolerance == 0)
            break;
        later = (struct gabion_error){0};
        body = body_from_drawing(&coarser, &coarser.tolerance, &later);
    }
    if (!body)
        error_set(error, first.status, "%s", first.text); // most informative about the drawing
    return body;
}

struct polyhedron *polyhedron_surface(const vec3 *point, int64_t points, const int64_t *start,
                                      const int64_t *corner, int64_t faces,
                                      struct gabion_error *error) {
    struct drawing drawing = {.point = point,
                              .points = points,
                              .start = start,
                              .corner = corner,
                              .faces = faces,
                              .if_hollow = "make convex parts of it, and a compound of these"};
    return polyhedron_from_drawing(&drawing, error);
}

struct polyhedron *polyhedron_box(vec3 half, struct gabion_error *error) {
    // Corner k has its upper x, y, z where bits 0, 1, 2 of k are set.
    static const int64_t corner[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                       2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    static const int64_t start[7] = {0, 4, 8, 12, 16, 20, 24};
    if (!(half.x > 0 && half.y > 0 && half.z > 0)) {
        error_set(error, GABION_ERROR_INPUT,
                  "half sides %g, %g, %g of a box; they must be positive", half.x, half.y, half.z);
        return NULL;
    }
    vec3 point[8];
    for (int k = 0; k < 8; k++)
        point[k] =
            vec3_make(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
    return polyhedron_surface(point, 8, start, corner, 6, error);
}

struct polyhedron *polyhedron_prism(const double (*polygon)[2], int count, double low, double high,
                                    struct gabion_error *error) {
    if (count < 3 || count > POLYHEDRON_FACE_MAX) {
        error_set(error, GABION_ERROR_INPUT, "a polygon of %d corners; 3 to %d are allowed", count,
                  POLYHEDRON_FACE_MAX);
        return NULL;
    }
    if (!(low < high)) {
        error_set(error, GABION_ERROR_INPUT,
                  "the prism reaches from z = %g to z = %g; low must be below "
                  "high",
                  low, high);
        return NULL;
    }
    // Corners k below, count + k above; faces: bottom, top, then the sides.
    vec3 point[2 * POLYHEDRON_FACE_MAX];
    int64_t corner[6 * POLYHEDRON_FACE_MAX], start[POLYHEDRON_FACE_MAX + 3];
    for (int k = 0; k < count; k++) {
        int next = (k + 1) % count;
        int64_t *side = corner + 2 * count + 4 * k;
        point[k] = vec3_make(polygon[k][0], polygon[k][1], low);
        point[count + k] = vec3_make(polygon[k][0], polygon[k][1], high);
        corner[count - 1 - k] = k;
        corner[count + k] = count + k;
        side[0] = k;
        side[1] = next;
        side[2] = count + next;
        side[3] = count + k;
        start[2 + k] = 2 * count + 4 * k;
    }
    start[0] = 0;
    start[1] = count;
    start[2 + count] = 6 * count;
    return polyhedron_surface(point, 2 * count, start, corner, count + 2, error);
}

// -------------------------------------------------------------------------------------------------
// Checkpoints

static bool check_stored(const vec3 *corner, int32_t corners, const int32_t *face_start,
                         const int32_t *face_corner, int32_t faces, struct gabion_error *error) {
    if (corners < 4 || corners > POLYHEDRON_CORNERS_MAX || faces < 4 ||
        faces > POLYHEDRON_CORNERS_MAX || face_start[0] != 0)
        return error_set(error, GABION_ERROR_INPUT, "%" PRId32 " corners and %" PRId32 " faces",
                         corners, faces);
    for (int32_t k = 0; k < corners; k++)
        if (!(vec3_length(corner[k]) <= POLYHEDRON_SIZE_MAX))
            return error_set(error, GABION_ERROR_INPUT, "corner %" PRId32 " is too far away",
                             k + 1);
    for (int32_t f = 0; f < faces; f++) {
        int64_t count = (int64_t)face_start[f + 1] - face_start[f];
        if (count < 3 || count > POLYHEDRON_FACE_MAX)
            return error_set(error, GABION_ERROR_INPUT, "face %" PRId32 " has %" PRId64 " corners",
                             f + 1, count);
        for (int32_t k = face_start[f]; k < face_start[f + 1]; k++)
            if (face_corner[k] < 0 || face_corner[k] >= corners)
                return error_set(error, GABION_ERROR_INPUT,
                                 "face %" PRId32 " names corner %" PRId32, f + 1,
                                 face_corner[k] + 1);
    }
    return true;
}

static void *copy(const void *array, size_t count, size_t size, const char *what) {
    return memcpy(memory_allocate(count, size, what), array, count * size);
}

static struct surface surface_from_stored(const vec3 *corner, int32_t corners,
                                          const int32_t *face_start, const int32_t *face_corner,
                                          int32_t faces) {
    struct surface surface = {
        .points = corners,
        .faces = faces,
        .point = copy(corner, (size_t)corners, sizeof *corner, "corners"),
        .start = copy(face_start, (size_t)faces + 1, sizeof *face_start, "faces"),
        .corner = copy(face_corner, (size_t)face_start[faces], sizeof *face_corner, "faces"),
        .point_number = memory_allocate((size_t)corners, sizeof(int32_t), "corners"),
        .face_number = memory_allocate((size_t)faces, sizeof(int32_t), "faces"),
    };
    for (int32_t k = 0; k < corners; k++)
        surface.point_number[k] = k;
    for (int32_t f = 0; f < faces; f++)
        surface.face_number[f] = f;
    return surface;
}

// Checks that the corners are given in the body's own frame and that `axes` is a rotation.
static bool check_own_frame(const struct polyhedron *body, struct gabion_error *error) {
    struct solid solid = solid_integrate(body->corner, body->face_start, body->face_corner,
                                         body->face_count, vec3_zero());
    sym3 m = solid.inertia;
    double off = fmax(fmax(fabs(m.xy), fabs(m.xz)), fabs(m.yz));
    quat q = body->axes;
    double turn = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (vec3_length(solid.centre) <= RESTORE_PRECISION * body->radius &&
        off <= RESTORE_PRECISION * (m.xx + m.yy + m.zz) && fabs(turn - 1) <= RESTORE_PRECISION &&
        vec3_finite(body->centre))
        return true;
    return error_set(error, GABION_ERROR_INPUT,
                     "the corners are not given about the centre of mass and along the principal "
                     "axes");
}

struct polyhedron *polyhedron_restore(const vec3 *corner, int32_t corners,
                                      const int32_t *face_start, const int32_t *face_corner,
                                      int32_t faces, vec3 centre, quat axes,
                                      struct gabion_error *error) {
    if (!check_stored(corner, corners, face_start, face_corner, faces, error))
        return NULL;
    struct surface surface = surface_from_stored(corner, corners, face_start, face_corner, faces);
    struct polyhedron *body = NULL;
    if (surface_pair_edges(&surface, error) && check_counts(&surface, error)) {
        body = body_create(&surface);
        body->centre = centre;
        body->axes = axes;
        surface.tolerance = RESTORE_PRECISION * body_radius(body);
        body = body_finish(body, &surface, 0, error);
    }
    if (body && !check_own_frame(body, error)) {
        polyhedron_free(body);
        body = NULL;
    }
    surface_free(&surface);
    return body;
}
