#include "geometry/separation.h"

#include <float.h>

// Sine of the angle below which two edges are parallel: their cross product is then noise, and what
// they share is a line.
#define PARALLEL_SINE 1e-6

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
    for (int32_t f = 0; f < shape->face_count; f++) {
        vec3 normal = pair_normal(pair, body, f);
        double plane = shape->offset[f] + (body ? vec3_dot(normal, pair->shift) : 0);
        double distance = pair_support(pair, !body, normal) - plane;
        if (distance > reach)
            return false;
        tie_add(separation, (struct face_axis){body, f, distance}, pair->slop);
    }
    return true;
}

// An edge in the common frame: its faces' normals span the arc that it is on the Gauss map.
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
// the other (Gregorius, "The separating axis test between convex polyhedra", GDC 2013). An edge is
// the direction left x right, which spares his cross products.
static inline bool arcs_cross(const struct arc *a, const struct arc *b) {
    double left = vec3_dot(a->left, b->along), right = vec3_dot(a->right, b->along);
    if (left * right >= 0)
        return false;
    double other_left = vec3_dot(b->left, a->along), other_right = vec3_dot(b->right, a->along);
    return other_left * other_right < 0 && left * other_right < 0;
}

// The axis of two edges, from body 0 to body 1; false for parallel ones.
static bool arcs_axis(const struct arc *a, const struct arc *b, vec3 *axis) {
    vec3 cross = vec3_cross(a->along, b->along);
    double square = vec3_dot(cross, cross), limit = PARALLEL_SINE * PARALLEL_SINE;
    if (square <= limit * vec3_dot(a->along, a->along) * vec3_dot(b->along, b->along))
        return false;
    double outward = vec3_dot(cross, vec3_add(a->left, a->right));
    *axis = vec3_scale((outward < 0 ? -1 : 1) / sqrt(square), cross);
    return true;
}

// True separation along the axis: where rounding decides whether two arcs cross, the two edges need
// not be the extreme ones.
static double axis_separation(const struct pair *pair, vec3 axis) {
    return pair_support(pair, 1, axis) + pair_support(pair, 0, vec3_negate(axis));
}

static bool search_edges(const struct pair *pair, double reach, struct separation *separation) {
    double beat = separation->best + pair->slop;
    for (int32_t j = 0; j < pair->body[1]->edge_count; j++) {
        struct arc b = arc_make(pair, 1, j);
        for (int32_t i = 0; i < pair->body[0]->edge_count; i++) {
            struct arc a = arc_make(pair, 0, i);
            vec3 axis;
            if (!arcs_cross(&a, &b) || !arcs_axis(&a, &b, &axis) ||
                vec3_dot(axis, vec3_sub(b.tail, a.tail)) <= beat)
                continue;
            double distance = axis_separation(pair, axis);
            if (distance > reach)
                return false;
            if (distance <= beat)
                continue;
            beat = distance;
            separation->edge[0] = i;
            separation->edge[1] = j;
            separation->edge_separation = distance;
            separation->edge_axis = axis;
        }
    }
    return true;
}

bool separation_search(const struct pair *pair, double reach, struct separation *separation) {
    separation->best = -DBL_MAX;
    separation->count = 0;
    separation->edge[0] = separation->edge[1] = -1;
    return search_faces(pair, 1, reach, separation) && search_faces(pair, 0, reach, separation) &&
           search_edges(pair, reach, separation);
}
