#include "geometry/clip.h"

#include <string.h>

// The plane through an edge of the reference face and perpendicular to it; distances are positive
// outside.
struct side {
    int body; // reference body
    int32_t edge;
    vec3 normal;
    double offset;
};

static inline double side_distance(const struct side *side, vec3 p) {
    return vec3_dot(side->normal, p) - side->offset;
}

static struct side side_make(const struct pair *pair, int body, int32_t face, int32_t k,
                             vec3 normal) {
    const struct polyhedron *shape = pair->body[body];
    int32_t first = shape->face_start[face], next = k + 1;
    if (next == shape->face_start[face + 1])
        next = first;
    vec3 tail = pair_corner(pair, body, shape->face_corner[k]);
    vec3 along = vec3_sub(pair_corner(pair, body, shape->face_corner[next]), tail);
    vec3 out = vec3_cross(along, normal);
    out = vec3_scale(1 / vec3_length(out), out);
    return (struct side){body, shape->face_edge[k], out, vec3_dot(out, tail)};
}

static void patch_start(const struct pair *pair, int body, int32_t face, struct patch *patch) {
    const struct polyhedron *shape = pair->body[body];
    patch->count = 0;
    for (int32_t k = shape->face_start[face]; k < shape->face_start[face + 1]; k++) {
        struct patch_corner *corner = &patch->corner[patch->count++];
        corner->p = pair_corner(pair, body, shape->face_corner[k]);
        corner->feature[body] = (uint16_t)shape->face_corner[k];
        corner->feature[!body] = FEATURE_FACE;
        corner->side_body = (uint16_t)body;
        corner->side = shape->face_edge[k];
    }
}

static int32_t edges_shared_corner(const struct polyhedron *shape, int32_t i, int32_t j) {
    const struct polyhedron_edge *a = &shape->edge[i], *b = &shape->edge[j];
    return a->tail == b->tail || a->tail == b->head ? a->tail : a->head;
}

// Returns the corner where the side of the polygon that starts at `from` meets the plane. When the
// side lies on an edge of the reference body too, it is a corner of that body; otherwise two edges
// cross.
static struct patch_corner cut(const struct pair *pair, const struct patch_corner *from,
                               const struct patch_corner *inside,
                               const struct patch_corner *outside, const struct side *side) {
    double in = side_distance(side, inside->p), out = side_distance(side, outside->p);
    vec3 way = vec3_sub(outside->p, inside->p);
    struct patch_corner corner = {.p = vec3_add_scaled(inside->p, in / (in - out), way)};
    if (from->side_body == side->body) {
        int32_t shared = edges_shared_corner(pair->body[side->body], from->side, side->edge);
        corner.feature[side->body] = (uint16_t)shared;
        corner.feature[!side->body] = FEATURE_FACE;
    } else {
        corner.feature[side->body] = (uint16_t)(FEATURE_EDGE | (uint32_t)side->edge);
        corner.feature[!side->body] = (uint16_t)(FEATURE_EDGE | (uint32_t)from->side);
    }
    corner.side_body = from->side_body;
    corner.side = from->side;
    return corner;
}

static void patch_push(struct patch *patch, struct patch_corner corner) {
    if (patch->count < MANIFOLD_MAX)
        patch->corner[patch->count++] = corner;
}

// Only what is further outside than the slop is cut off, so that aligned blocks keep their own
// corners.
static bool patch_beyond(const struct patch *patch, const struct side *side, double slop) {
    for (int k = 0; k < patch->count; k++)
        if (side_distance(side, patch->corner[k].p) > slop)
            return true;
    return false;
}

// Clips the polygon by one plane (Sutherland and Hodgman, CACM 17, 1974). Every side records whose
// edge it lies on, from which every new corner gets its feature.
static void patch_cut(const struct pair *pair, const struct patch *whole, const struct side *side,
                      struct patch *rest) {
    rest->count = 0;
    for (int k = 0; k < whole->count; k++) {
        const struct patch_corner *u = &whole->corner[k];
        const struct patch_corner *v = &whole->corner[k + 1 < whole->count ? k + 1 : 0];
        bool u_in = side_distance(side, u->p) <= 0, v_in = side_distance(side, v->p) <= 0;
        if (u_in)
            patch_push(rest, *u);
        if (u_in && !v_in) {
            struct patch_corner corner = cut(pair, u, u, v, side);
            corner.side_body = (uint16_t)side->body;
            corner.side = side->edge;
            patch_push(rest, corner);
        } else if (!u_in && v_in) {
            patch_push(rest, cut(pair, u, v, u, side));
        }
    }
}

static double distance2(vec3 a, vec3 b) {
    vec3 d = vec3_sub(a, b);
    return vec3_dot(d, d);
}

// Whether two points coincide, seen along the normal.
static bool seen_together(const struct pair *pair, vec3 a, vec3 b, vec3 normal) {
    double height = vec3_dot(vec3_sub(a, b), normal);
    return distance2(a, vec3_add_scaled(b, height, normal)) <= 4 * pair->slop * pair->slop;
}

// Returns the end of the edge that p coincides with, or -1.
static int32_t edge_end(const struct pair *pair, int body, int32_t edge, vec3 p, vec3 normal) {
    const struct polyhedron_edge *ends = &pair->body[body]->edge[edge];
    if (seen_together(pair, p, pair_corner(pair, body, ends->tail), normal))
        return ends->tail;
    if (seen_together(pair, p, pair_corner(pair, body, ends->head), normal))
        return ends->head;
    return -1;
}

void patch_name_crossing(const struct pair *pair, vec3 normal, struct patch_corner *corner) {
    for (int body = 0; body < 2; body++) {
        if (!(corner->feature[body] & FEATURE_EDGE))
            continue;
        int32_t edge = (int32_t)(corner->feature[body] & ~FEATURE_EDGE);
        int32_t end = edge_end(pair, body, edge, corner->p, normal);
        if (end >= 0)
            corner->feature[body] = (uint16_t)end;
    }
    bool edge[2] = {corner->feature[0] & FEATURE_EDGE, corner->feature[1] & FEATURE_EDGE};
    if (edge[0] != edge[1])
        corner->feature[edge[0] ? 0 : 1] = FEATURE_FACE;
}

// Names a corner of the incident face that coincides with a corner of the reference face by both.
static void name_corner(const struct pair *pair, int body, int32_t face, vec3 normal,
                        struct patch_corner *corner) {
    const struct polyhedron *shape = pair->body[body];
    for (int32_t k = shape->face_start[face]; k < shape->face_start[face + 1]; k++) {
        int32_t own = shape->face_corner[k];
        if (seen_together(pair, corner->p, pair_corner(pair, body, own), normal)) {
            corner->feature[body] = (uint16_t)own;
            return;
        }
    }
}

static int name_rank(const struct patch_corner *corner) {
    return (corner->feature[0] < FEATURE_FACE) + (corner->feature[1] < FEATURE_FACE);
}

// Whether both are at one place, or both near one corner and named after it.
static bool same_corner(const struct pair *pair, const struct patch_corner *a,
                        const struct patch_corner *b) {
    return distance2(a->p, b->p) <= 4 * pair->slop * pair->slop ||
           (a->feature[0] == b->feature[0] && a->feature[1] == b->feature[1]);
}

// Merges neighbours that are the same corner and keeps the feature that names more corners.
static void patch_merge(const struct pair *pair, struct patch *patch) {
    int kept = 0;
    for (int k = 0; k < patch->count; k++) {
        struct patch_corner *corner = &patch->corner[k],
                            *last = &patch->corner[kept > 0 ? kept - 1 : 0];
        if (kept == 0 || !same_corner(pair, last, corner))
            patch->corner[kept++] = *corner;
        else if (name_rank(corner) > name_rank(last))
            *last = *corner;
    }
    if (kept > 1 && same_corner(pair, &patch->corner[0], &patch->corner[kept - 1])) {
        kept--;
        if (name_rank(&patch->corner[kept]) > name_rank(&patch->corner[0]))
            patch->corner[0] = patch->corner[kept];
    }
    patch->count = kept;
}

static void patch_measure(struct patch *patch) {
    vec3 twice = vec3_zero();
    double perimeter = 0;
    for (int k = 0; k < patch->count; k++) {
        vec3 u = vec3_sub(patch->corner[k].p, patch->corner[0].p);
        vec3 v = vec3_sub(patch->corner[k + 1 < patch->count ? k + 1 : 0].p, patch->corner[0].p);
        twice = vec3_add(twice, vec3_cross(u, v));
        perimeter += vec3_length(vec3_sub(v, u));
    }
    patch->area = 0.5 * vec3_length(twice);
    patch->width = perimeter > 0 ? 2 * patch->area / perimeter : 0;
}

void patch_clip(const struct pair *pair, int body, int32_t face, int32_t incident,
                struct patch *patch) {
    const struct polyhedron *shape = pair->body[body];
    vec3 normal = pair_normal(pair, body, face);
    struct patch spare;
    struct patch *whole = patch, *rest = &spare;
    patch_start(pair, !body, incident, whole);
    for (int32_t k = shape->face_start[face]; k < shape->face_start[face + 1]; k++) {
        struct side side = side_make(pair, body, face, k, normal);
        if (!patch_beyond(whole, &side, pair->slop))
            continue;
        patch_cut(pair, whole, &side, rest);
        struct patch *swap = whole;
        whole = rest;
        rest = swap;
    }
    if (whole != patch) {
        patch->count = whole->count;
        memcpy(patch->corner, whole->corner, (size_t)whole->count * sizeof *whole->corner);
    }
    for (int k = 0; k < patch->count; k++) {
        struct patch_corner *corner = &patch->corner[k];
        if (corner->feature[!body] < FEATURE_FACE)
            name_corner(pair, body, face, normal, corner);
        else
            patch_name_crossing(pair, normal, corner);
    }
    patch_merge(pair, patch);
    patch_measure(patch);
}
