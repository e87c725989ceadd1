#include "geometry/separation.h"

#include <float.h>

// Sine of the angle below which two edges count as parallel: their cross product is then mostly
// rounding, and they touch along a line.
#define PARALLEL_SINE 1e-6

// Cosine of the angle (0.01 rad) within which an axis counts as a barred one.
#define BARRED_COSINE 0.99995

double pair_support(const struct pair *pair, int body, vec3 axis) {
    const struct polyhedron *shape = pair->body[body];
    vec3 own = body ? mat3_apply_transposed(pair->turn, axis) : axis;
    double lowest = DBL_MAX;
    for (int32_t c = 0; c < shape->corner_count; c++) {
        double height = vec3_dot(own, shape->corner[c]);
        lowest = height < lowest ? height : lowest;
    }
    return body ? lowest + vec3_dot(axis, pair->shift) : lowest;
}

static bool is_barred(const struct pair *pair, vec3 axis) {
    for (int k = 0; k < pair->bars; k++)
        if (vec3_dot(pair->bar[k], axis) > BARRED_COSINE)
            return true;
    return false;
}

static void tie_add(struct separation *separation, struct face_axis axis, double slop) {
    if (axis.separation > separation->best) {
        separation->best = axis.separation;
        int kept = 0;
        for (int k = 0; k < separation->count; k++)
            if (separation->tie[k].separation >= separation->best - slop)
                separation->tie[kept++] = separation->tie[k];
        separation->count = kept;
    }
    if (axis.separation >= separation->best - slop && separation->count < SEPARATION_TIES)
        separation->tie[separation->count++] = axis;
}

static bool search_faces(const struct pair *pair, int body, double reach,
                         struct separation *separation) {
    const struct polyhedron *shape = pair->body[body];
    struct face_axis *best = &separation->best_of[body];
    *best = (struct face_axis){body, 0, -DBL_MAX};
    for (int32_t f = 0; f < shape->face_count; f++) {
        vec3 normal = pair_normal(pair, body, f);
        double plane = shape->offset[f] + (body ? vec3_dot(normal, pair->shift) : 0);
        double distance = pair_support(pair, !body, normal) - plane;
        if (distance > reach)
            return false;
        if (pair->bars > 0 && is_barred(pair, body ? vec3_negate(normal) : normal))
            continue;
        struct face_axis axis = {body, f, distance};
        if (distance > best->separation)
            *best = axis;
        tie_add(separation, axis, pair->slop);
    }
    return true;
}

// An edge in the common frame. On the Gauss map it is the arc between the normals of its two faces.
struct arc {
    vec3 tail, along, left, right;
};

static struct arc arc_make(const struct pair *pair, int body, int32_t e) {
    const struct polyhedron *shape = pair->body[body];
    const struct polyhedron_edge *edge = &shape->edge[e];
    vec3 tail = pair_corner(pair, body, edge->tail);
    return (struct arc){tail, vec3_sub(pair_corner(pair, body, edge->head), tail),
                        pair_normal(pair, body, edge->left), pair_normal(pair, body, edge->right)};
}

// Two edges make a face of the Minkowski difference when the arc of one crosses the negated arc of
// the other (Gregorius, "The separating axis test between convex polyhedra", GDC 2013). The
// direction of an edge is left x right, which saves two cross products.
static inline bool arcs_cross(const struct arc *a, const struct arc *b) {
    double left = vec3_dot(a->left, b->along), right = vec3_dot(a->right, b->along);
    if (left * right >= 0)
        return false;
    double other_left = vec3_dot(b->left, a->along), other_right = vec3_dot(b->right, a->along);
    return other_left * other_right < 0 && left * other_right < 0;
}

// Computes the axis of two edges, from body 0 to body 1. Returns false when they are parallel.
static bool arcs_axis(const struct arc *a, const struct arc *b, vec3 *axis) {
    vec3 cross = vec3_cross(a->along, b->along);
    double square = vec3_dot(cross, cross), limit = PARALLEL_SINE * PARALLEL_SINE;
    if (square <= limit * vec3_dot(a->along, a->along) * vec3_dot(b->along, b->along))
        return false;
    double outward = vec3_dot(cross, vec3_add(a->left, a->right));
    *axis = vec3_scale((outward < 0 ? -1 : 1) / sqrt(square), cross);
    return true;
}

// Bounding box of a body in the common frame.
struct bounds {
    vec3 low, high;
};

static struct bounds body_bounds(const struct pair *pair, int body, double margin) {
    const struct polyhedron *shape = pair->body[body];
    vec3 middle = vec3_scale(0.5, vec3_add(shape->low, shape->high));
    vec3 half = vec3_scale(0.5, vec3_sub(shape->high, shape->low));
    if (body) {
        middle = vec3_add(pair->shift, mat3_apply(pair->turn, middle));
        const vec3 *row = pair->turn.row;
        half =
            vec3_make(fabs(row[0].x) * half.x + fabs(row[0].y) * half.y + fabs(row[0].z) * half.z,
                      fabs(row[1].x) * half.x + fabs(row[1].y) * half.y + fabs(row[1].z) * half.z,
                      fabs(row[2].x) * half.x + fabs(row[2].y) * half.y + fabs(row[2].z) * half.z);
    }
    vec3 wide = vec3_add(half, vec3_make(margin, margin, margin));
    return (struct bounds){vec3_sub(middle, wide), vec3_add(middle, wide)};
}

static bool segment_near(vec3 a, vec3 b, const struct bounds *bounds) {
    const vec3 *low = &bounds->low, *high = &bounds->high;
    return !((a.x < low->x && b.x < low->x) || (a.x > high->x && b.x > high->x) ||
             (a.y < low->y && b.y < low->y) || (a.y > high->y && b.y > high->y) ||
             (a.z < low->z && b.z < low->z) || (a.z > high->z && b.z > high->z));
}

// Edges that can take part are gathered into arrays, this many at a time.
#define ARCS 64

struct arcs {
    int count;
    struct arc arc[ARCS];
    int32_t edge[ARCS];
};

// Gathers edges of body 0 near the other body, from edge `e` on. Returns the edge to go on with.
static int32_t arcs_gather(const struct pair *pair, const struct bounds *bounds, int32_t e,
                           struct arcs *arcs) {
    const struct polyhedron *shape = pair->body[0];
    arcs->count = 0;
    for (; e < shape->edge_count && arcs->count < ARCS; e++) {
        const struct polyhedron_edge *edge = &shape->edge[e];
        if (!segment_near(shape->corner[edge->tail], shape->corner[edge->head], bounds))
            continue;
        arcs->edge[arcs->count] = e;
        arcs->arc[arcs->count++] = arc_make(pair, 0, e);
    }
    return e;
}

// Tests edge j of body 1 against the gathered edges of body 0.
static bool search_edge(const struct pair *pair, const struct arcs *arcs, int32_t j,
                        const struct arc *b, double reach, struct separation *separation) {
    for (int k = 0; k < arcs->count; k++) {
        const struct arc *a = &arcs->arc[k];
        vec3 axis;
        if (!arcs_cross(a, b) || !arcs_axis(a, b, &axis))
            continue;
        double distance = vec3_dot(axis, vec3_sub(b->tail, a->tail));
        if (distance > reach)
            return false;
        if (distance <= separation->edge_separation || is_barred(pair, axis))
            continue;
        separation->edge[0] = arcs->edge[k];
        separation->edge[1] = j;
        separation->edge_separation = distance;
        separation->edge_axis = axis;
    }
    return true;
}

// Searches pairs of edges for a better axis. Two edges can only touch when each is as near to the
// other body as the bodies are to each other; edges further away are left out.
static bool search_edges(const struct pair *pair, double reach, struct separation *separation) {
    double margin = fmax(reach, -separation->best) + pair->slop;
    struct bounds bounds[2] = {body_bounds(pair, 0, margin), body_bounds(pair, 1, margin)};
    struct arcs arcs;
    for (int32_t i = 0; i < pair->body[0]->edge_count;) {
        i = arcs_gather(pair, &bounds[1], i, &arcs);
        for (int32_t j = 0; j < pair->body[1]->edge_count; j++) {
            struct arc b = arc_make(pair, 1, j);
            if (segment_near(b.tail, vec3_add(b.tail, b.along), &bounds[0]) &&
                !search_edge(pair, &arcs, j, &b, reach, separation))
                return false;
        }
    }
    return true;
}

bool separation_search(const struct pair *pair, double reach, struct separation *separation) {
    separation->best = -DBL_MAX;
    separation->count = 0;
    separation->edge[0] = separation->edge[1] = -1;
    if (!search_faces(pair, 1, reach, separation) || !search_faces(pair, 0, reach, separation))
        return false;
    if (separation->count == 0) // all axes are barred
        return false;
    separation->edge_separation = separation->best + pair->slop; // what an edge axis must beat
    return search_edges(pair, reach, separation);
}
