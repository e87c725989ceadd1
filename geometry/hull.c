// Quickhull (Barber, Dobkin, Huhdanpaa, ACM Trans. Math. Software 22, 1996) on points rounded to a
// lattice of 2^40 cells along the largest side, about 1e-12 of it. On the lattice integers decide
// exactly on which side of a plane a point lies, so that the surface is closed and convex for any
// input. The rounding is a thousand times smaller than the tolerance for merging faces.
#include <inttypes.h>

#include "geometry/surface.h"
#include "parallel/memory.h"

#define LATTICE 0x1p40

// Points within this many tolerances of one plane are rejected: only some of their faces would
// merge.
#define FLAT 64

// Holds a determinant of three differences: 3 x 41 bits and a few more.
__extension__ typedef __int128 wide;

struct lattice_point {
    int64_t x, y, z;
};

struct hull_face {
    int32_t corner[3];    // counter-clockwise seen from outside
    int32_t neighbour[3]; // across the edge from corner[i] to the next
    int32_t outside;      // first point of the list of those in front of it, not yet in the hull
    bool alive, visible;
};

struct hull {
    int32_t points;
    const struct lattice_point *point;
    double tolerance;    // in cells: points this near to a line or plane lie on it
    const int32_t *same; // the point that replaces another within the tolerance
    int32_t *next;       // next point in a list of outside points; -1: last
    int32_t *leave;      // for a point on the horizon, the new face whose first corner it is
    struct hull_face *face;
    size_t faces, face_capacity;
    int32_t *visible, *fresh, *work;
    size_t visible_count, fresh_count, work_count;
    size_t visible_capacity, fresh_capacity, work_capacity;
};

static void push(int32_t **list, size_t *count, size_t *capacity, int32_t value) {
    *list = memory_reserve(*list, capacity, *count + 1, sizeof **list, "faces of a hull");
    (*list)[(*count)++] = value;
}

static void cross(const struct lattice_point *a, const struct lattice_point *b,
                  const struct lattice_point *c, wide normal[3]) {
    wide ux = b->x - a->x, uy = b->y - a->y, uz = b->z - a->z;
    wide vx = c->x - a->x, vy = c->y - a->y, vz = c->z - a->z;
    normal[0] = uy * vz - uz * vy;
    normal[1] = uz * vx - ux * vz;
    normal[2] = ux * vy - uy * vx;
}

// Returns six times the volume of the tetrahedron a, b, c, p; positive when p is in front of a, b,
// c.
static wide height(const struct lattice_point *point, const int32_t corner[3], int32_t p) {
    const struct lattice_point *a = &point[corner[0]], *q = &point[p];
    wide normal[3];
    cross(a, &point[corner[1]], &point[corner[2]], normal);
    return normal[0] * (q->x - a->x) + normal[1] * (q->y - a->y) + normal[2] * (q->z - a->z);
}

static int32_t add_face(struct hull *hull, int32_t a, int32_t b, int32_t c) {
    hull->face = memory_reserve(hull->face, &hull->face_capacity, hull->faces + 1,
                                sizeof *hull->face, "faces of a hull");
    hull->face[hull->faces] = (struct hull_face){{a, b, c}, {-1, -1, -1}, -1, true, false};
    return (int32_t)hull->faces++;
}

// Puts a point on the list of the first face that it is in front of. A point behind all faces is
// dropped.
static void place_point(struct hull *hull, const int32_t *faces, size_t count, int32_t p) {
    for (size_t k = 0; k < count; k++) {
        struct hull_face *face = &hull->face[faces[k]];
        if (height(hull->point, face->corner, p) > 0) {
            hull->next[p] = face->outside;
            face->outside = p;
            return;
        }
    }
}

// Removes from the list the outside point that is furthest from its face, and returns it.
static int32_t take_furthest(struct hull *hull, struct hull_face *face) {
    int32_t best = face->outside, *link = &face->outside;
    wide most = -1;
    for (int32_t p = face->outside; p >= 0; p = hull->next[p]) {
        wide h = height(hull->point, face->corner, p);
        if (h > most) {
            most = h;
            best = p;
        }
    }
    while (*link != best)
        link = &hull->next[*link];
    *link = hull->next[best];
    return best;
}

// Finds all faces that the point `apex` is in front of. They are connected.
static void find_visible(struct hull *hull, int32_t first, int32_t apex) {
    hull->visible_count = 0;
    hull->face[first].visible = true;
    push(&hull->visible, &hull->visible_count, &hull->visible_capacity, first);
    for (size_t k = 0; k < hull->visible_count; k++)
        for (int i = 0; i < 3; i++) {
            int32_t other = hull->face[hull->visible[k]].neighbour[i];
            if (!hull->face[other].visible &&
                height(hull->point, hull->face[other].corner, apex) > 0) {
                hull->face[other].visible = true;
                push(&hull->visible, &hull->visible_count, &hull->visible_capacity, other);
            }
        }
}

// Adds a face from one edge of the horizon to the apex.
static void raise_face(struct hull *hull, int32_t tail, int32_t head, int32_t beyond,
                       int32_t apex) {
    int32_t fresh = add_face(hull, tail, head, apex);
    struct hull_face *other = &hull->face[beyond];
    hull->face[fresh].neighbour[0] = beyond;
    for (int i = 0; i < 3; i++)
        if (other->corner[i] == head && other->corner[(i + 1) % 3] == tail)
            other->neighbour[i] = fresh;
    hull->leave[tail] = fresh;
    push(&hull->fresh, &hull->fresh_count, &hull->fresh_capacity, fresh);
}

static void raise_cone(struct hull *hull, int32_t apex) {
    hull->fresh_count = 0;
    for (size_t k = 0; k < hull->visible_count; k++)
        for (int i = 0; i < 3; i++) {
            struct hull_face face = hull->face[hull->visible[k]];
            if (!hull->face[face.neighbour[i]].visible)
                raise_face(hull, face.corner[i], face.corner[(i + 1) % 3], face.neighbour[i], apex);
        }
    for (size_t k = 0; k < hull->fresh_count; k++) {
        int32_t after = hull->leave[hull->face[hull->fresh[k]].corner[1]];
        hull->face[hull->fresh[k]].neighbour[1] = after;
        hull->face[after].neighbour[2] = hull->fresh[k];
    }
}

// Redistributes the points of removed faces: each is in front of a new face, or inside the hull.
static void replace_visible(struct hull *hull) {
    for (size_t k = 0; k < hull->visible_count; k++) {
        struct hull_face *face = &hull->face[hull->visible[k]];
        face->alive = false;
        for (int32_t p = face->outside, next; p >= 0; p = next) {
            next = hull->next[p];
            place_point(hull, hull->fresh, hull->fresh_count, p);
        }
    }
    for (size_t k = 0; k < hull->fresh_count; k++)
        push(&hull->work, &hull->work_count, &hull->work_capacity, hull->fresh[k]);
}

static void hull_grow(struct hull *hull) {
    while (hull->work_count > 0) {
        int32_t first = hull->work[hull->work_count - 1];
        if (!hull->face[first].alive || hull->face[first].outside < 0) {
            hull->work_count--;
            continue;
        }
        int32_t apex = take_furthest(hull, &hull->face[first]);
        find_visible(hull, first, apex);
        raise_cone(hull, apex);
        replace_visible(hull);
    }
}

// -------------------------------------------------------------------------------------------------

static bool before(const struct lattice_point *a, const struct lattice_point *b) {
    if (a->x != b->x)
        return a->x < b->x;
    return a->y != b->y ? a->y < b->y : a->z < b->z;
}

static double size(const wide vector[3]) {
    return vec3_length(vec3_make((double)vector[0], (double)vector[1], (double)vector[2]));
}

static double distance(const struct lattice_point *a, const struct lattice_point *b) {
    return size((wide[3]){b->x - a->x, b->y - a->y, b->z - a->z});
}

// Finds four points far from each other and not in one plane within the tolerance.
static bool find_tetrahedron(const struct hull *hull, int32_t corner[4],
                             struct gabion_error *error) {
    const struct lattice_point *point = hull->point;
    double widest = 0, highest = 0;
    corner[0] = corner[1] = corner[2] = corner[3] = hull->same[0];
    for (int32_t k = 1; k < hull->points; k++) {
        if (before(&point[k], &point[corner[0]]))
            corner[0] = hull->same[k];
        if (before(&point[corner[1]], &point[k]))
            corner[1] = hull->same[k];
    }
    for (int32_t k = 0; k < hull->points; k++) {
        wide normal[3];
        cross(&point[corner[0]], &point[corner[1]], &point[hull->same[k]], normal);
        if (size(normal) > widest)
            corner[2] = hull->same[k];
        widest = fmax(widest, size(normal));
    }
    if (widest <= hull->tolerance * distance(&point[corner[0]], &point[corner[1]]))
        return error_set(error, GABION_ERROR_INPUT,
                         "all points lie on a line; a body has a volume");
    for (int32_t k = 0; k < hull->points; k++) {
        double h = fabs((double)height(point, corner, hull->same[k]));
        if (h > highest)
            corner[3] = hull->same[k];
        highest = fmax(highest, h);
    }
    return highest > hull->tolerance * widest ||
           error_set(error, GABION_ERROR_INPUT, "all points lie on a plane; a body has a volume");
}

static void hull_start(struct hull *hull, const int32_t c[4]) {
    bool above = height(hull->point, c, c[3]) > 0;
    int32_t a = c[0], b = above ? c[2] : c[1], d = above ? c[1] : c[2], e = c[3];
    // Counter-clockwise seen from outside; e lies behind a, b, d.
    add_face(hull, a, b, d);
    add_face(hull, b, a, e);
    add_face(hull, d, b, e);
    add_face(hull, a, d, e);
    static const int32_t neighbour[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int32_t f = 0; f < 4; f++) {
        for (int i = 0; i < 3; i++)
            hull->face[f].neighbour[i] = neighbour[f][i];
        push(&hull->work, &hull->work_count, &hull->work_capacity, f);
    }
}

// Rounds the points to the lattice. Returns the number of cells per metre.
static double round_points(const vec3 *point, int32_t count, struct lattice_point *rounded) {
    vec3 low, high;
    surface_bounds(point, count, &low, &high);
    vec3 sides = vec3_sub(high, low);
    double side = fmax(fmax(sides.x, sides.y), sides.z);
    for (int32_t k = 0; k < count; k++) {
        vec3 p = vec3_scale(LATTICE, vec3_sub(point[k], low));
        rounded[k] =
            (struct lattice_point){llrint(p.x / side), llrint(p.y / side), llrint(p.z / side)};
    }
    return LATTICE / side;
}

static struct polyhedron *hull_polyhedron(const struct hull *hull, struct drawing *drawing,
                                          struct gabion_error *error) {
    int64_t *corner = memory_allocate(3 * hull->faces, sizeof *corner, "faces of a hull");
    int64_t *start = memory_allocate(hull->faces + 1, sizeof *start, "faces of a hull");
    int64_t faces = 0;
    for (size_t f = 0; f < hull->faces; f++) {
        if (!hull->face[f].alive)
            continue;
        for (int i = 0; i < 3; i++)
            corner[3 * faces + i] = hull->face[f].corner[i];
        faces++;
        start[faces] = 3 * faces;
    }
    drawing->start = start;
    drawing->corner = corner;
    drawing->faces = faces;
    struct polyhedron *body = polyhedron_from_drawing(drawing, error);
    memory_free(start);
    memory_free(corner);
    return body;
}

static struct polyhedron *hull_create(struct hull *hull, struct drawing *drawing,
                                      struct gabion_error *error) {
    int32_t corner[4];
    if (!find_tetrahedron(hull, corner, error))
        return NULL;
    hull_start(hull, corner);
    static const int32_t first[4] = {0, 1, 2, 3};
    for (int32_t k = 0; k < hull->points; k++)
        if (hull->same[k] == k)
            place_point(hull, first, 4, k);
    hull_grow(hull);
    return hull_polyhedron(hull, drawing, error);
}

struct polyhedron *polyhedron_hull(const vec3 *point, int64_t count, struct gabion_error *error) {
    if (count < 4 || count > SURFACE_MAX) {
        error_set(error, GABION_ERROR_INPUT, "a hull of %" PRId64 " points; 4 to %d are allowed",
                  count, SURFACE_MAX);
        return NULL;
    }
    struct drawing drawing = {.point = point, .points = count};
    double tolerance;
    if (!drawing_tolerance(&drawing, &tolerance, error))
        return NULL;
    drawing.tolerance_most = 1000 * tolerance;
    size_t points = (size_t)count;
    struct lattice_point *rounded = memory_allocate(points, sizeof *rounded, "points of a hull");
    int32_t *same = memory_allocate(points, sizeof *same, "points of a hull");
    double cells = round_points(point, (int32_t)count, rounded);
    surface_weld(point, (int32_t)count, tolerance, same);
    struct hull hull = {
        .points = (int32_t)count,
        .point = rounded,
        .tolerance = FLAT * cells * tolerance,
        .same = same,
        .next = memory_allocate(points, sizeof(int32_t), "points of a hull"),
        .leave = memory_allocate(points, sizeof(int32_t), "points of a hull"),
    };
    struct polyhedron *body = hull_create(&hull, &drawing, error);
    error_context(error, "hull of %" PRId64 " points", count);
    void *arrays[] = {rounded,   same,         hull.next,  hull.leave,
                      hull.face, hull.visible, hull.fresh, hull.work};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    return body;
}
