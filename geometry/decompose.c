#include "geometry/decompose.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "geometry/patch.h"
#include "geometry/solid.h"
#include "parallel/memory.h"

#define PI 3.14159265358979323846

// Points this near to a plane lie on it, as a share of the size of the body. Where a drawing does
// not work out, ten times as much is tried, and so on.
#define NEAREST  1e-10
#define FURTHEST 1e-5

// What the volume may be off, relatively, where the tolerance is the smallest one.
#define VOLUME_PRECISION 1e-9

// Cuts are chosen among so many faces.
#define CANDIDATES 24

// Limits of one attempt: cells, cells in the solid before they are joined, and faces looked at in
// all cells together. What needs more is no drawing of blocks.
#define CELLS_MAX  4096
#define PARTS_MAX  256
#define EFFORT_MAX 2000000

// A cell thinner than this many times the tolerance is what rounding leaves between two cuts.
#define THINNEST 8.0

// A flat polygon: rings of faces and of cuts.
struct ring {
    int32_t count;
    vec3 *corner;
};

struct rings {
    struct ring *list;
    size_t count, capacity;
};

struct plane {
    vec3 normal;
    double offset;
};

// A convex region: its own faces, and what passes through it of the surface.
struct cell {
    struct rings face, inner;
};

struct cells {
    struct cell *list;
    size_t count, capacity;
};

struct work {
    const struct surface *surface;
    double size, near; // of the body, and the tolerance as a length
    double volume;
    struct cells open;        // cells that are not finished
    struct polyhedron **part; // those in the solid
    size_t parts, capacity, cells, effort;
    bool crossed; // the surface passes through itself
};

// Rings -----------------------------------------------------------------------------------------

static void rings_add(struct rings *rings, const vec3 *corner, int32_t count) {
    struct ring ring = {count,
                        memory_allocate((size_t)count, sizeof *ring.corner, "decomposition")};
    memcpy(ring.corner, corner, (size_t)count * sizeof *corner);
    rings->list = memory_reserve(rings->list, &rings->capacity, rings->count + 1,
                                 sizeof *rings->list, "decomposition");
    rings->list[rings->count++] = ring;
}

static void rings_free(struct rings *rings) {
    for (size_t k = 0; k < rings->count; k++)
        memory_free(rings->list[k].corner);
    memory_free(rings->list);
    *rings = (struct rings){0};
}

static vec3 ring_area(const struct ring *ring) {
    vec3 area = vec3_zero();
    for (int32_t k = 1; k + 1 < ring->count; k++)
        area = vec3_add(area, vec3_cross(vec3_sub(ring->corner[k], ring->corner[0]),
                                         vec3_sub(ring->corner[k + 1], ring->corner[0])));
    return vec3_scale(0.5, area);
}

static double height(const struct plane *plane, vec3 point) {
    return vec3_dot(plane->normal, point) - plane->offset;
}

// Which sides of a plane a ring has corners on, those near to the plane left out.
enum side { ABOVE = 1, BELOW = 2 };

static unsigned ring_sides(const struct ring *ring, const struct plane *plane, double near) {
    unsigned sides = 0;
    for (int32_t k = 0; k < ring->count; k++) {
        double h = height(plane, ring->corner[k]);
        sides |= h > near ? ABOVE : h < -near ? BELOW : 0;
    }
    return sides;
}

// Writes the part of the ring on one side of the plane (Sutherland and Hodgman, CACM 17, 1974).
// Corners near the plane belong to both sides. Returns the number of corners, at most twice those
// of the ring.
static int32_t ring_clip(const struct ring *ring, const struct plane *plane, double sign,
                         double near, vec3 *out) {
    int32_t count = 0;
    for (int32_t k = 0; k < ring->count; k++) {
        vec3 a = ring->corner[k], b = ring->corner[(k + 1) % ring->count];
        double above = sign * height(plane, a), next = sign * height(plane, b);
        if (above >= -near)
            out[count++] = a;
        if ((above > near && next < -near) || (above < -near && next > near))
            out[count++] = vec3_add_scaled(a, above / (above - next), vec3_sub(b, a));
    }
    return count;
}

// Adds to `on` the corners of the ring that lie on the plane, each once.
static void gather_cut(const vec3 *corner, int32_t count, const struct plane *plane, double near,
                       vec3 *on, int *found) {
    for (int32_t k = 0; k < count; k++) {
        bool known = fabs(height(plane, corner[k])) > 2 * near || *found == PATCH_POINTS_MAX;
        for (int j = 0; j < *found && !known; j++)
            known = vec3_length(vec3_sub(on[j], corner[k])) <= near;
        if (!known)
            on[(*found)++] = corner[k];
    }
}

// Cells -----------------------------------------------------------------------------------------

static void cell_free(struct cell *cell) {
    rings_free(&cell->face);
    rings_free(&cell->inner);
}

static void cells_add(struct cells *cells, struct cell cell) {
    cells->list = memory_reserve(cells->list, &cells->capacity, cells->count + 1,
                                 sizeof *cells->list, "decomposition");
    cells->list[cells->count++] = cell;
}

// Copies what is left of the rings on one side of the plane. Rings in the plane, or with next to
// nothing on that side, are left out.
static void clip_rings(const struct rings *from, const struct plane *plane, double sign,
                       const struct work *work, struct rings *to) {
    for (size_t k = 0; k < from->count; k++) {
        const struct ring *ring = &from->list[k];
        if (!(ring_sides(ring, plane, work->near) & (sign > 0 ? ABOVE : BELOW)))
            continue;
        vec3 *corner = memory_allocate(2 * (size_t)ring->count, sizeof *corner, "decomposition");
        struct ring left = {ring_clip(ring, plane, sign, work->near, corner), corner};
        if (left.count >= 3 && vec3_length(ring_area(&left)) > work->near * work->near)
            rings_add(to, left.corner, left.count);
        memory_free(corner);
    }
}

// Returns the part of a cell on one side of a plane.
static struct cell cell_clip(const struct cell *cell, const struct plane *plane, double sign,
                             const struct work *work) {
    struct cell clipped = {0};
    vec3 on[PATCH_POINTS_MAX];
    int found = 0;
    clip_rings(&cell->face, plane, sign, work, &clipped.face);
    clip_rings(&cell->inner, plane, sign, work, &clipped.inner);
    for (size_t k = 0; k < clipped.face.count; k++)
        gather_cut(clipped.face.list[k].corner, clipped.face.list[k].count, plane, work->near, on,
                   &found);
    int corners = patch_hull(on, found, plane->normal, work->near);
    if (corners >= 3)
        rings_add(&clipped.face, on, corners);
    return clipped;
}

static vec3 *cell_corners(const struct cell *cell, int64_t *count) {
    size_t corners = 0;
    for (size_t k = 0; k < cell->face.count; k++)
        corners += (size_t)cell->face.list[k].count;
    vec3 *corner = memory_allocate(corners, sizeof *corner, "decomposition");
    *count = 0;
    for (size_t k = 0; k < cell->face.count; k++)
        for (int32_t c = 0; c < cell->face.list[k].count; c++)
            corner[(*count)++] = cell->face.list[k].corner[c];
    return corner;
}

// Inside or outside -----------------------------------------------------------------------------

// Returns the solid angle of a triangle seen from the origin (van Oosterom and Strackee, IEEE
// Trans. Biomed. Eng. 30, 1983).
static double solid_angle(vec3 a, vec3 b, vec3 c) {
    double la = vec3_length(a), lb = vec3_length(b), lc = vec3_length(c);
    double det = vec3_dot(a, vec3_cross(b, c));
    double den = la * lb * lc + vec3_dot(a, b) * lc + vec3_dot(a, c) * lb + vec3_dot(b, c) * la;
    return 2 * atan2(det, den);
}

// Returns how often the surface winds around a point that is not on it: 1 in the solid, 0 outside.
static double winding(const struct surface *surface, vec3 point) {
    double sum = 0;
    for (int32_t f = 0; f < surface->faces; f++) {
        vec3 a = vec3_sub(surface->point[surface->corner[surface->start[f]]], point);
        for (int32_t k = surface->start[f] + 1; k + 1 < surface->start[f + 1]; k++)
            sum += solid_angle(a, vec3_sub(surface->point[surface->corner[k]], point),
                               vec3_sub(surface->point[surface->corner[k + 1]], point));
    }
    return sum / (4 * PI);
}

// Cutting ---------------------------------------------------------------------------------------

static struct plane ring_plane(const struct ring *ring) {
    vec3 area = ring_area(ring), sum = vec3_zero();
    struct plane plane = {vec3_scale(1 / vec3_length(area), area), 0};
    for (int32_t k = 0; k < ring->count; k++)
        sum = vec3_add(sum, ring->corner[k]);
    plane.offset = vec3_dot(plane.normal, sum) / ring->count;
    return plane;
}

// What a cut along a plane does to the faces inside a cell.
struct cut {
    struct plane plane;
    size_t divided, ended; // faces that it divides, and that lie in it
    double area;           // of the face that it was taken from
};

static struct cut cut_along(const struct rings *rings, size_t chosen, double near) {
    struct cut cut = {.plane = ring_plane(&rings->list[chosen]),
                      .area = vec3_length(ring_area(&rings->list[chosen]))};
    for (size_t k = 0; k < rings->count; k++) {
        unsigned sides = ring_sides(&rings->list[k], &cut.plane, near);
        cut.divided += sides == (ABOVE | BELOW);
        cut.ended += sides == 0;
    }
    return cut;
}

static bool is_better(const struct cut *cut, const struct cut *best) {
    if (cut->divided != best->divided)
        return cut->divided < best->divided;
    if (cut->ended != best->ended)
        return cut->ended > best->ended;
    return cut->area > best->area * (1 + 1e-9);
}

// Chooses the plane of a face inside the cell that divides the fewest other faces; of several, the
// one that most faces lie in, and then that of the largest face.
static struct plane choose_plane(const struct cell *cell, double near) {
    size_t step = 1 + cell->inner.count / CANDIDATES;
    struct cut best = cut_along(&cell->inner, 0, near);
    for (size_t k = step; k < cell->inner.count; k += step) {
        struct cut cut = cut_along(&cell->inner, k, near);
        if (is_better(&cut, &best))
            best = cut;
    }
    return best.plane;
}

// Returns the polyhedron of a cell; NULL where it is next to nothing, which the sum of the volumes
// tells if it mattered.
static struct polyhedron *cell_polyhedron(const struct cell *cell, double thinnest) {
    struct gabion_error thin = {0};
    int64_t count;
    vec3 *corner = cell_corners(cell, &count);
    struct polyhedron *part = count < 4 ? NULL : polyhedron_hull(corner, count, &thin);
    memory_free(corner);
    if (part && part->thickness < thinnest) {
        polyhedron_free(part);
        return NULL;
    }
    return part;
}

// Keeps a cell that nothing passes through, if it is in the solid.
static void finish_cell(struct work *work, const struct cell *cell) {
    struct polyhedron *part = cell_polyhedron(cell, THINNEST * work->near);
    if (!part)
        return;
    double inside = winding(work->surface, part->centre);
    work->effort += (size_t)work->surface->faces;
    if (fabs(inside - 1) > 0.1 && fabs(inside) > 0.1)
        work->crossed = true;
    if (inside < 0.5) {
        polyhedron_free(part);
        return;
    }
    work->part = memory_reserve(work->part, &work->capacity, work->parts + 1, sizeof *work->part,
                                "decomposition");
    work->part[work->parts++] = part;
}

static bool check_effort(const struct work *work, struct gabion_error *error) {
    return (work->cells <= CELLS_MAX && work->parts <= PARTS_MAX && work->effort <= EFFORT_MAX) ||
           error_set(error, GABION_ERROR_INPUT,
                     "too many cuts are needed for convex parts (%zu cells so far, %zu of them in "
                     "the solid); simplify the mesh, or cut it with another tool and glue the "
                     "pieces",
                     work->cells, work->parts);
}

static bool cut_cells(struct work *work, struct gabion_error *error) {
    while (work->open.count > 0) {
        struct cell cell = work->open.list[--work->open.count];
        if (cell.inner.count == 0)
            finish_cell(work, &cell);
        else {
            struct plane plane = choose_plane(&cell, work->near);
            cells_add(&work->open, cell_clip(&cell, &plane, -1, work));
            cells_add(&work->open, cell_clip(&cell, &plane, 1, work));
            work->cells += 2;
        }
        work->effort += cell.inner.count;
        cell_free(&cell);
        if (!check_effort(work, error))
            return false;
    }
    return !work->crossed ||
           error_set(error, GABION_ERROR_INPUT, "the surface passes through itself");
}

// Begins with the convex hull of the surface, and the faces that do not lie on it.
static bool open_hull(struct work *work, struct gabion_error *error) {
    const struct surface *surface = work->surface;
    struct polyhedron *hull = polyhedron_hull(surface->point, surface->points, error);
    if (!hull)
        return false;
    mat3 axes = quat_matrix(hull->axes);
    struct cell cell = {0};
    struct plane *plane = memory_allocate((size_t)hull->face_count, sizeof *plane, "decomposition");
    for (int32_t f = 0; f < hull->face_count; f++) {
        vec3 corner[POLYHEDRON_FACE_MAX];
        int32_t count = 0;
        for (int32_t k = hull->face_start[f]; k < hull->face_start[f + 1]; k++)
            corner[count++] =
                vec3_add(hull->centre, mat3_apply(axes, hull->corner[hull->face_corner[k]]));
        rings_add(&cell.face, corner, count);
        plane[f] = ring_plane(&cell.face.list[f]);
    }
    for (int32_t f = 0; f < surface->faces; f++)
        for (int32_t k = surface->start[f] + 1; k + 1 < surface->start[f + 1]; k++) {
            const int32_t *name = surface->corner;
            vec3 corner[3] = {surface->point[name[surface->start[f]]], surface->point[name[k]],
                              surface->point[name[k + 1]]};
            struct ring triangle = {3, corner};
            bool outer = vec3_length(ring_area(&triangle)) <= work->near * work->near;
            for (int32_t h = 0; h < hull->face_count && !outer; h++)
                outer = ring_sides(&triangle, &plane[h], work->near) == 0;
            if (!outer)
                rings_add(&cell.inner, corner, 3);
        }
    memory_free(plane);
    polyhedron_free(hull);
    cells_add(&work->open, cell);
    return true;
}

// Joining ---------------------------------------------------------------------------------------

static void list_drawn(const struct polyhedron *part, vec3 *corner) {
    mat3 axes = quat_matrix(part->axes);
    for (int32_t c = 0; c < part->corner_count; c++)
        corner[c] = vec3_add(part->centre, mat3_apply(axes, part->corner[c]));
}

// Returns the hull of two parts where it is no larger than both together; NULL where it is.
static struct polyhedron *join(const struct polyhedron *a, const struct polyhedron *b,
                               double tolerance) {
    struct gabion_error ignored = {0};
    if (vec3_length(vec3_sub(a->centre, b->centre)) > a->radius + b->radius)
        return NULL;
    size_t count = (size_t)(a->corner_count + b->corner_count);
    vec3 *corner = memory_allocate(count, sizeof *corner, "decomposition");
    list_drawn(a, corner);
    list_drawn(b, corner + a->corner_count);
    struct polyhedron *both = polyhedron_hull(corner, (int64_t)count, &ignored);
    memory_free(corner);
    if (both && !(both->volume <= a->volume + b->volume + tolerance)) {
        polyhedron_free(both);
        return NULL;
    }
    return both;
}

// Joins parts as long as two of them make a convex one.
static void join_parts(struct work *work, double tolerance) {
    for (size_t i = 0; i < work->parts; i++)
        for (size_t j = 0; j < work->parts; j++) {
            struct polyhedron *both = j == i ? NULL : join(work->part[i], work->part[j], tolerance);
            if (!both)
                continue;
            polyhedron_free(work->part[i]);
            polyhedron_free(work->part[j]);
            size_t low = i < j ? i : j, high = i < j ? j : i;
            work->part[low] = both;
            memmove(&work->part[high], &work->part[high + 1],
                    (--work->parts - high) * sizeof *work->part);
            i = low;
            j = (size_t)-1; // all others anew
        }
}

// -------------------------------------------------------------------------------------------------

static void discard_parts(struct work *work) {
    for (size_t k = 0; k < work->parts; k++)
        polyhedron_free(work->part[k]);
    memory_free(work->part);
    work->part = NULL;
    work->parts = work->capacity = 0;
}

static bool check_volume(const struct work *work, double precision, struct gabion_error *error) {
    double sum = 0;
    for (size_t k = 0; k < work->parts; k++)
        sum += work->part[k]->volume;
    return (work->parts > 0 && fabs(sum - work->volume) <= precision * work->volume) ||
           error_set(error, GABION_ERROR_INPUT,
                     "the convex parts have a volume of %.12g m3, the mesh has %.12g m3; its faces "
                     "are not flat enough, or it passes through itself",
                     sum, work->volume);
}

static bool try_tolerance(struct work *work, double share, int64_t most,
                          struct gabion_error *error) {
    double precision = fmax(VOLUME_PRECISION, 10 * share);
    work->near = share * work->size;
    bool good = open_hull(work, error) && cut_cells(work, error);
    if (good) {
        join_parts(work, 0.1 * precision * work->volume);
        good = check_volume(work, precision, error);
    }
    if (good && (int64_t)work->parts > most)
        good = error_set(error, GABION_ERROR_INPUT,
                         "%zu convex parts, and %" PRId64 " are allowed; raise decompose.parts or "
                         "simplify the mesh",
                         work->parts, most);
    for (size_t k = 0; k < work->open.count; k++)
        cell_free(&work->open.list[k]);
    memory_free(work->open.list);
    work->open = (struct cells){0};
    work->cells = work->effort = 0;
    work->crossed = false;
    if (!good)
        discard_parts(work);
    return good;
}

static void measure(struct work *work) {
    const struct surface *surface = work->surface;
    vec3 low, high;
    surface_bounds(surface->point, surface->points, &low, &high);
    work->size = vec3_length(vec3_sub(high, low));
    work->volume = solid_integrate(surface->point, surface->start, surface->corner, surface->faces,
                                   vec3_scale(0.5, vec3_add(low, high)))
                       .volume;
}

struct polyhedron **decompose(const struct drawing *drawing, int64_t most, size_t *count,
                              struct gabion_error *error) {
    struct surface surface = {0};
    struct work work = {.surface = &surface};
    bool good =
        surface_from_drawing(&surface, drawing, error) && surface_pair_edges(&surface, error);
    if (good) {
        struct gabion_error first = {0};
        measure(&work);
        good = false;
        for (double share = NEAREST; !good && share <= FURTHEST; share *= 10) {
            struct gabion_error attempt = {0};
            good = try_tolerance(&work, share, most, &attempt);
            if (first.status == GABION_OK)
                first = attempt; // the most informative about the drawing
        }
        if (!good)
            *error = first;
    }
    surface_free(&surface);
    *count = work.parts;
    return good ? work.part : NULL;
}
