#include "geometry/surface.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/solid.h"
#include "parallel/memory.h"

// Points this near to each other are equal, and this near to a plane coplanar, relative to half the
// diagonal.
#define SURFACE_PRECISION 1e-9

void surface_free(struct surface *surface) {
    void *arrays[] = {surface->point, surface->start,        surface->corner,
                      surface->twin,  surface->point_number, surface->face_number};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    *surface = (struct surface){0};
}

struct surface_name surface_face_name(const struct surface *surface, int32_t face) {
    struct surface_name name;
    const struct drawing *drawing = surface->drawing;
    int32_t number = surface->face_number[face];
    int length = snprintf(name.text, sizeof name.text, "face %" PRId32, number + 1);
    if (drawing && drawing->place)
        snprintf(name.text + length, sizeof name.text - (size_t)length, " (%s %" PRId64 ")",
                 drawing->place_noun, drawing->place[number]);
    return name;
}

struct surface_name surface_corner_name(const struct surface *surface, int32_t point) {
    struct surface_name name;
    const struct drawing *drawing = surface->drawing;
    int32_t number = surface->point_number[point];
    int64_t shown = drawing && drawing->name ? drawing->name[number] : number + 1;
    int length =
        snprintf(name.text, sizeof name.text, shown > 0 ? "corner %" PRId64 : "corner", shown);
    if (drawing)
        snprintf(name.text + length, sizeof name.text - (size_t)length, " (%g, %g, %g)",
                 drawing->point[number].x, drawing->point[number].y, drawing->point[number].z);
    return name;
}

struct surface_name surface_remedy(const struct surface *surface) {
    struct surface_name remedy = {""};
    const struct drawing *drawing = surface->drawing;
    if (drawing && drawing->if_hollow)
        snprintf(remedy.text, sizeof remedy.text, "; %s", drawing->if_hollow);
    return remedy;
}

vec3 surface_area(const vec3 *point, const int32_t *corner, int32_t count) {
    vec3 area = vec3_zero(), origin = point[corner[0]];
    for (int32_t k = 1; k + 1 < count; k++)
        area = vec3_add(area, vec3_cross(vec3_sub(point[corner[k]], origin),
                                         vec3_sub(point[corner[k + 1]], origin)));
    return area;
}

// -------------------------------------------------------------------------------------------------
// Points

void surface_bounds(const vec3 *point, int64_t count, vec3 *low, vec3 *high) {
    *low = *high = point[0];
    for (int64_t k = 1; k < count; k++) {
        vec3 p = point[k];
        *low = vec3_make(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = vec3_make(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
}

struct projection {
    double along;
    int32_t index;
};

static int compare_projections(const void *left, const void *right) {
    const struct projection *a = left, *b = right;
    if (a->along != b->along)
        return a->along < b->along ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void surface_weld(const vec3 *point, int32_t points, double tolerance, int32_t *same) {
    // Sorts along a skew direction: along an axis, all points of an upright face would coincide.
    const vec3 direction = {0.5416, 0.6123, 0.5761};
    struct projection *order = memory_allocate((size_t)points, sizeof *order, "points to weld");
    for (int32_t k = 0; k < points; k++) {
        order[k] = (struct projection){vec3_dot(direction, point[k]), k};
        same[k] = -1;
    }
    qsort(order, (size_t)points, sizeof *order, compare_projections);
    for (int32_t i = 0; i < points; i++) {
        int32_t kept = order[i].index;
        if (same[kept] >= 0)
            continue;
        same[kept] = kept;
        for (int32_t j = i + 1; j < points; j++) {
            if (order[j].along - order[i].along > tolerance)
                break;
            int32_t other = order[j].index;
            if (same[other] < 0 && vec3_length(vec3_sub(point[other], point[kept])) <= tolerance)
                same[other] = kept;
        }
    }
    memory_free(order);
}

// -------------------------------------------------------------------------------------------------
// From a drawing

static bool check_counts(const struct drawing *drawing, struct gabion_error *error) {
    if (drawing->points < (drawing->open ? 3 : 4) || drawing->faces < 1)
        return error_set(error, GABION_ERROR_INPUT, "%" PRId64 " points and %" PRId64 " faces; %s",
                         drawing->points, drawing->faces,
                         drawing->open ? "a surface has at least 3 points and a face"
                                       : "a body has at least 4 of each");
    int64_t corners = drawing->start[drawing->faces] - drawing->start[0];
    if (drawing->points > SURFACE_MAX || drawing->faces > SURFACE_MAX || corners > SURFACE_MAX)
        return error_set(error, GABION_ERROR_INPUT,
                         "%" PRId64 " points and %" PRId64 " faces with %" PRId64
                         " corners; at most %d of each are allowed",
                         drawing->points, drawing->faces, corners, SURFACE_MAX);
    return true;
}

bool drawing_tolerance(const struct drawing *drawing, double *tolerance,
                       struct gabion_error *error) {
    for (int64_t k = 0; k < drawing->points; k++)
        if (!vec3_finite(drawing->point[k]))
            return error_set(error, GABION_ERROR_INPUT, "point %" PRId64 " is not finite", k + 1);
    vec3 low, high;
    surface_bounds(drawing->point, drawing->points, &low, &high);
    vec3 size = vec3_sub(high, low);
    double diagonal = fmax(fmax(size.x, size.y), size.z), furthest = 0;
    if (!(diagonal >= POLYHEDRON_SIZE_MIN && diagonal <= POLYHEDRON_SIZE_MAX))
        return error_set(error, GABION_ERROR_INPUT,
                         "the largest side is %g m; %g to %g m are allowed", diagonal,
                         POLYHEDRON_SIZE_MIN, POLYHEDRON_SIZE_MAX);
    diagonal = vec3_length(size);
    for (int axis = 0; axis < 3; axis++)
        furthest = fmax(furthest, fmax(fabs(vec3_get(low, axis)), fabs(vec3_get(high, axis))));
    double rounding = SURFACE_PRECISION * diagonal / 2 + 8 * DBL_EPSILON * furthest;
    *tolerance = fmax(rounding, drawing->tolerance);
    return true;
}

static bool check_corners(const struct drawing *drawing, int64_t face, struct gabion_error *error) {
    int64_t begin = drawing->start[face], end = drawing->start[face + 1];
    if (end - begin < 3)
        return error_set(error, GABION_ERROR_INPUT,
                         "has %" PRId64 " corners; at least 3 are needed", end - begin);
    for (int64_t k = begin; k < end; k++) {
        int64_t corner = drawing->corner[k];
        if (corner < 0 || corner >= drawing->points)
            return error_set(error, GABION_ERROR_INPUT,
                             "names corner %" PRId64 "; there are corners 1 to %" PRId64,
                             corner < INT64_MAX ? corner + 1 : corner, drawing->points);
    }
    return true;
}

bool surface_add_face(struct surface *surface, const int64_t *corner, int64_t count,
                      const int32_t *same, int64_t number) {
    int32_t begin = surface->start[surface->faces], end = begin;
    for (int64_t k = 0; k < count; k++)
        if (end == begin || same[corner[k]] != surface->corner[end - 1])
            surface->corner[end++] = same[corner[k]];
    if (end - begin > 1 && surface->corner[begin] == surface->corner[end - 1])
        end--;
    if (end - begin < 3)
        return false;
    surface->face_number[surface->faces++] = (int32_t)number;
    surface->start[surface->faces] = end;
    return true;
}

// Adds the faces of the drawing. `seen` marks the points of a face with its number from 1. A face
// without area is left out: its neighbours meet where it was.
static bool take_face(struct surface *surface, const struct drawing *drawing, int64_t face,
                      const int32_t *same, int32_t *seen, struct gabion_error *error) {
    int64_t begin = drawing->start[face], count = drawing->start[face + 1] - begin;
    if (!check_corners(drawing, face, error))
        return false;
    if (!surface_add_face(surface, drawing->corner + begin, count, same, face))
        return !drawing->open ||
               error_set(error, GABION_ERROR_INPUT, "has no area: corners coincide; remove it");
    for (int32_t k = surface->start[surface->faces - 1]; k < surface->start[surface->faces]; k++) {
        int32_t corner = surface->corner[k];
        if (seen[corner] == surface->faces)
            return error_set(error, GABION_ERROR_INPUT, "passes twice through %s",
                             surface_corner_name(surface, corner).text);
        seen[corner] = surface->faces;
    }
    return true;
}

static bool take_faces(struct surface *surface, const struct drawing *drawing,
                       struct gabion_error *error) {
    size_t points = (size_t)drawing->points;
    int32_t *same = memory_allocate(points, sizeof *same, "welded points");
    int32_t *seen = memory_allocate(points, sizeof *seen, "points of a face");
    surface_weld(surface->point, surface->points, surface->tolerance, same);
    bool good = true;
    for (int64_t f = 0; f < drawing->faces && good; f++) {
        good = take_face(surface, drawing, f, same, seen, error);
        if (!good) {
            surface->face_number[0] = (int32_t)f; // the name in the message needs no more than this
            error_context(error, "%s", surface_face_name(surface, 0).text);
        }
    }
    memory_free(same);
    memory_free(seen);
    return good;
}

// Turns all faces when they were drawn clockwise, which makes the enclosed volume negative.
static void turn_outside(struct surface *surface) {
    struct solid solid = solid_integrate(surface->point, surface->start, surface->corner,
                                         surface->faces, surface->point[0]);
    for (int32_t f = 0; f < surface->faces && solid.volume < 0; f++)
        for (int32_t i = surface->start[f], j = surface->start[f + 1] - 1; i < j; i++, j--) {
            int32_t corner = surface->corner[i];
            surface->corner[i] = surface->corner[j];
            surface->corner[j] = corner;
        }
}

bool surface_from_drawing(struct surface *surface, const struct drawing *drawing,
                          struct gabion_error *error) {
    *surface = (struct surface){.drawing = drawing};
    if (!check_counts(drawing, error) || !drawing_tolerance(drawing, &surface->tolerance, error))
        return false;
    size_t points = (size_t)drawing->points, faces = (size_t)drawing->faces;
    size_t corners = (size_t)(drawing->start[faces] - drawing->start[0]);
    surface->points = (int32_t)points;
    surface->point = memory_allocate(points, sizeof(vec3), "points");
    surface->point_number = memory_allocate(points, sizeof(int32_t), "points");
    surface->start = memory_allocate(faces + 1, sizeof(int32_t), "faces");
    surface->face_number = memory_allocate(faces, sizeof(int32_t), "faces");
    surface->corner = memory_allocate(corners, sizeof(int32_t), "corners of faces");
    memcpy(surface->point, drawing->point, points * sizeof(vec3));
    for (int32_t k = 0; k < surface->points; k++)
        surface->point_number[k] = k;
    if (!take_faces(surface, drawing, error))
        return false;
    if (!drawing->open)
        turn_outside(surface);
    return true;
}

// -------------------------------------------------------------------------------------------------
// Edges

static int compare_half_edges(const void *left, const void *right) {
    const struct half_edge *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

struct half_edge *surface_half_edges(const struct surface *surface) {
    size_t count = (size_t)surface->start[surface->faces];
    struct half_edge *list = memory_allocate(count, sizeof *list, "edges");
    for (int32_t f = 0; f < surface->faces; f++)
        for (int32_t k = surface->start[f]; k < surface->start[f + 1]; k++) {
            int32_t a = surface->corner[k];
            int32_t b = surface->corner[surface_next(surface->start, f, k)];
            list[k] = (struct half_edge){a < b ? a : b, a < b ? b : a, k, f};
        }
    qsort(list, count, sizeof *list, compare_half_edges);
    return list;
}

static bool edge_error(const struct surface *surface, const struct half_edge *edge, int32_t count,
                       struct gabion_error *error) {
    struct surface_name first = surface_face_name(surface, edge[0].face);
    if (count == 1)
        error_set(error, GABION_ERROR_INPUT,
                  "belongs to %s alone: the surface is open there; close it, or make it a wall "
                  "(containers: mesh), which may be open",
                  first.text);
    else if (count > 2)
        error_set(error, GABION_ERROR_INPUT,
                  "is shared by %" PRId32
                  " faces, %s among them: one body has two at every edge; draw "
                  "bodies that touch there as objects of their own",
                  count, first.text);
    else
        error_set(error, GABION_ERROR_INPUT,
                  "is run through in the same sense by %s and %s: turn one of them round",
                  first.text, surface_face_name(surface, edge[1].face).text);
    return error_context(error, "the edge between %s and %s",
                         surface_corner_name(surface, edge->low).text,
                         surface_corner_name(surface, edge->high).text);
}

bool surface_pair_edges(struct surface *surface, struct gabion_error *error) {
    int32_t count = surface->start[surface->faces];
    struct half_edge *list = surface_half_edges(surface);
    memory_free(surface->twin);
    surface->twin = memory_allocate((size_t)count, sizeof(int32_t), "edges");
    bool good = true;
    for (int32_t k = 0, next; k < count && good; k = next) {
        for (next = k + 1; next < count; next++)
            if (list[next].low != list[k].low || list[next].high != list[k].high)
                break;
        int32_t a = list[k].index, b = list[next - 1].index;
        good = next - k == 2 && surface->corner[a] != surface->corner[b];
        if (!good)
            edge_error(surface, list + k, next - k, error);
        surface->twin[a] = b;
        surface->twin[b] = a;
    }
    memory_free(list);
    return good;
}
