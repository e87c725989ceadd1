#include "geometry/manifold.h"

#include <float.h>
#include <stddef.h>

#include "geometry/clip.h"
#include "geometry/separation.h"

// A patch narrower than this fraction of the thinner body's thickness counts as a line, and bodies
// that only share a line, like diagonal neighbours in a lattice of cubes, do not touch. When the
// overlap is deeper than that, the bodies do penetrate each other and the line is kept.
#define PATCH_WIDTH 1e-6

// Faces with a smaller angle between them than this (cosine of 0.01 rad) count as parallel. Their
// contact is an area, or soon will be; a single point where two edges cross would let them rock.
#define FLUSH_COSINE 0.99995

// Two parallel edges that miss each other by less than this fraction of the thinner body's
// thickness count as touching. Which of them lies in the other's face would otherwise depend on the
// last digits of the solver, and the normal would jump from one face's to the other's. Only the
// sideways distance counts, not the gap or the depth: between faces that are nearly parallel two
// edges are always close along the normals.
#define RIDGE_WIDTH 1e-3

static const struct placed *compare_step(double a, double b, const struct placed *first,
                                         const struct placed *second) {
    return a < b ? first : a > b ? second : NULL;
}

// Returns the body that is worked on first: the smaller one, or when they are equal the lower one
// by position. It does not depend on which is called a and which b, so swapping them changes no
// bit.
static const struct placed *placed_first(const struct placed *a, const struct placed *b) {
    const struct polyhedron *s = a->shape, *t = b->shape;
    double key[][2] = {{s->volume, t->volume},
                       {s->thickness, t->thickness},
                       {a->x.x, b->x.x},
                       {a->x.y, b->x.y},
                       {a->x.z, b->x.z}};
    for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
        const struct placed *first = compare_step(key[k][0], key[k][1], a, b);
        if (first)
            return first;
    }
    for (int k = 0; k < 9; k++) {
        const struct placed *first = compare_step(vec3_get(a->axes.row[k / 3], k % 3),
                                                  vec3_get(b->axes.row[k / 3], k % 3), a, b);
        if (first)
            return first;
    }
    return a;
}

static struct pair pair_make(const struct placed *first, const struct placed *second) {
    struct pair pair = {.body = {first->shape, second->shape}};
    for (int i = 0; i < 3; i++) {
        vec3 axis = {vec3_get(first->axes.row[0], i), vec3_get(first->axes.row[1], i),
                     vec3_get(first->axes.row[2], i)};
        pair.turn.row[i] = mat3_apply_transposed(second->axes, axis);
    }
    pair.shift = mat3_apply_transposed(first->axes, vec3_sub(second->x, first->x));
    pair.slop = PAIR_SLOP * fmin(first->shape->thickness, second->shape->thickness);
    return pair;
}

static void manifold_add(struct manifold *manifold, vec3 position, double gap, uint32_t feature) {
    if (manifold->count < MANIFOLD_MAX)
        manifold->point[manifold->count++] = (struct manifold_point){position, gap, feature};
}

// Returns the incident face: the face of the other body that meets a face with this normal. Among
// the faces with most corners at the deepest level it is the one that opposes the normal most. By
// the normal alone, the tip of a needle would get the face at its other end.
static int32_t incident_face(const struct pair *pair, int body, vec3 normal) {
    const struct polyhedron *shape = pair->body[body];
    double level = pair_support(pair, body, normal) + pair->slop;
    double best = DBL_MAX;
    int32_t most = 0, incident = 0;
    for (int32_t f = 0; f < shape->face_count; f++) {
        int32_t deep = 0;
        for (int32_t k = shape->face_start[f]; k < shape->face_start[f + 1]; k++)
            deep += vec3_dot(normal, pair_corner(pair, body, shape->face_corner[k])) <= level;
        double cosine = vec3_dot(normal, pair_normal(pair, body, f));
        if (deep > most || (deep == most && cosine < best)) {
            most = deep;
            best = cosine;
            incident = f;
        }
    }
    return incident;
}

static void face_patch(const struct pair *pair, const struct face_axis *axis, struct patch *patch) {
    vec3 normal = pair_normal(pair, axis->body, axis->face);
    int32_t incident = incident_face(pair, !axis->body, normal);
    patch_clip(pair, axis->body, axis->face, incident, patch);
}

static void face_contact(const struct pair *pair, const struct face_axis *axis,
                         const struct patch *patch, double reach, struct manifold *manifold) {
    double width = PATCH_WIDTH / PAIR_SLOP * pair->slop;
    manifold->count = 0;
    if (patch->width < width && axis->separation > -width)
        return;
    const struct polyhedron *shape = pair->body[axis->body];
    vec3 normal = pair_normal(pair, axis->body, axis->face);
    double plane = shape->offset[axis->face] + (axis->body ? vec3_dot(normal, pair->shift) : 0);
    manifold->normal = axis->body ? normal : vec3_negate(normal);
    for (int k = 0; k < patch->count; k++) {
        const struct patch_corner *corner = &patch->corner[k];
        double gap = vec3_dot(normal, corner->p) - plane;
        if (gap <= reach)
            manifold_add(manifold, vec3_add_scaled(corner->p, -0.5 * gap, normal), gap,
                         MANIFOLD_FEATURE(corner->feature[0], corner->feature[1]));
    }
}

static bool faces_flush(vec3 a, vec3 b) { return vec3_dot(a, b) < -FLUSH_COSINE; }

// Whether face k lies on a face listed before it: the same contact, seen from the other body.
static bool tie_repeats(const struct pair *pair, const struct separation *separation, int k) {
    vec3 normal = pair_normal(pair, separation->tie[k].body, separation->tie[k].face);
    for (int i = 0; i < k; i++) {
        const struct face_axis *axis = &separation->tie[i];
        if (axis->body != separation->tie[k].body &&
            faces_flush(normal, pair_normal(pair, axis->body, axis->face)))
            return true;
    }
    return false;
}

// Chooses the face with the largest patch among those that tie, so that a plate is pushed out
// through the face that it lies along and not over its edge.
static void faces_contact(const struct pair *pair, const struct separation *separation,
                          double reach, struct manifold *manifold) {
    struct patch patch[2];
    const struct face_axis *best = &separation->tie[0];
    int held = 0;
    face_patch(pair, best, &patch[held]);
    for (int k = 1; k < separation->count; k++) {
        if (tie_repeats(pair, separation, k))
            continue;
        face_patch(pair, &separation->tie[k], &patch[!held]);
        if (patch[!held].area > patch[held].area * (1 + 1e-6)) {
            best = &separation->tie[k];
            held = !held;
        }
    }
    face_contact(pair, best, &patch[held], reach, manifold);
}

// The line of an edge in the common frame.
struct line {
    vec3 tail, along;
    const struct polyhedron_edge *edge;
};

static struct line line_make(const struct pair *pair, int body, int32_t edge) {
    const struct polyhedron_edge *ends = &pair->body[body]->edge[edge];
    vec3 tail = pair_corner(pair, body, ends->tail);
    return (struct line){tail, vec3_sub(pair_corner(pair, body, ends->head), tail), ends};
}

static uint32_t end_name(const struct line *line, double along, double tolerance) {
    double length = vec3_length(line->along);
    if (fabs(along) <= tolerance)
        return (uint32_t)line->edge->tail;
    return fabs(along - length) <= tolerance ? (uint32_t)line->edge->head : FEATURE_FACE;
}

static double ridge_width(const struct pair *pair) { return RIDGE_WIDTH / PAIR_SLOP * pair->slop; }

// Fills the manifold with the ends of the common length of two parallel edges that touch.
static bool lines_contact(const struct pair *pair, const struct line *a, const struct line *b,
                          vec3 normal, double reach, struct manifold *manifold) {
    double length_a = vec3_length(a->along), length_b = vec3_length(b->along);
    vec3 d = vec3_scale(1 / length_a, a->along), across = vec3_cross(d, normal), p[2], q[2];
    double start = vec3_dot(d, vec3_sub(b->tail, a->tail)), run = vec3_dot(d, b->along);
    double low = fmax(0, fmin(start, start + run)), high = fmin(length_a, fmax(start, start + run));
    if (high - low < PATCH_WIDTH / PAIR_SLOP * pair->slop)
        return false;
    const double s[2] = {low, high}, t[2] = {(low - start) / run, (high - start) / run};
    for (int k = 0; k < 2; k++) {
        p[k] = vec3_add_scaled(a->tail, s[k], d);
        q[k] = vec3_add_scaled(b->tail, t[k], b->along);
        if (fabs(vec3_dot(across, vec3_sub(p[k], q[k]))) > ridge_width(pair))
            return false;
    }
    manifold->count = 0;
    manifold->normal = normal;
    for (int k = 0; k < 2; k++) {
        double gap = vec3_dot(normal, vec3_sub(p[k], q[k]));
        if (gap <= reach)
            manifold_add(manifold, vec3_scale(0.5, vec3_add(p[k], q[k])), gap,
                         MANIFOLD_FEATURE(end_name(a, s[k], 2 * pair->slop),
                                          end_name(b, t[k] * length_b, 2 * pair->slop)));
    }
    return true;
}

// Whether both ends of the edge are as close to the other body's face as any point is.
static bool line_touches(const struct pair *pair, const struct line *line,
                         const struct face_axis *axis, vec3 normal) {
    double level = pair->body[axis->body]->offset[axis->face] + axis->separation;
    if (axis->body)
        level += vec3_dot(normal, pair->shift);
    double tail = vec3_dot(normal, line->tail) - level;
    return fmax(tail, tail + vec3_dot(normal, line->along)) <= ridge_width(pair);
}

static bool edge_flush(const struct pair *pair, int body, const struct polyhedron_edge *edge,
                       vec3 normal) {
    return faces_flush(normal, pair_normal(pair, body, edge->left)) ||
           faces_flush(normal, pair_normal(pair, body, edge->right));
}

// The contact of two edges that touch, like the apex of two leaning cards: each edge lies in the
// other body's face, and every normal between those of the two faces is admissible. The middle one
// treats both bodies alike.
static bool ridge_contact(const struct pair *pair, const struct separation *separation,
                          double reach, struct manifold *manifold) {
    const struct polyhedron *a = pair->body[0], *b = pair->body[1];
    const struct face_axis *f = &separation->best_of[0], *g = &separation->best_of[1];
    vec3 normal_f = pair_normal(pair, 0, f->face), normal_g = pair_normal(pair, 1, g->face);
    vec3 middle = vec3_sub(normal_g, normal_f);
    double length = vec3_length(middle);
    if (fabs(f->separation - g->separation) > ridge_width(pair) || faces_flush(normal_f, normal_g))
        return false;
    for (int32_t i = a->face_start[f->face]; i < a->face_start[f->face + 1]; i++) {
        struct line line_a = line_make(pair, 0, a->face_edge[i]);
        if (!line_touches(pair, &line_a, g, normal_g) || edge_flush(pair, 0, line_a.edge, normal_g))
            continue;
        for (int32_t j = b->face_start[g->face]; j < b->face_start[g->face + 1]; j++) {
            struct line line_b = line_make(pair, 1, b->face_edge[j]);
            if (line_touches(pair, &line_b, f, normal_f) &&
                !edge_flush(pair, 1, line_b.edge, normal_f) &&
                lines_contact(pair, &line_a, &line_b, vec3_scale(1 / length, middle), reach,
                              manifold))
                return true;
        }
    }
    return false;
}

// Fills the manifold with a point between the two edges of the best axis, at the shares s and t of
// their lengths.
static void crossing_point(const struct pair *pair, const struct separation *separation,
                           const struct line *a, const struct line *b, double s, double t,
                           struct manifold *manifold) {
    vec3 p = vec3_add_scaled(a->tail, s, a->along), q = vec3_add_scaled(b->tail, t, b->along);
    struct patch_corner corner = {
        .p = vec3_scale(0.5, vec3_add(p, q)),
        .feature = {(uint16_t)(FEATURE_EDGE | (uint32_t)separation->edge[0]),
                    (uint16_t)(FEATURE_EDGE | (uint32_t)separation->edge[1])}};
    patch_name_crossing(pair, separation->edge_axis, &corner);
    manifold->count = 0;
    manifold->normal = vec3_negate(separation->edge_axis);
    manifold_add(manifold, corner.p, separation->edge_separation,
                 MANIFOLD_FEATURE(corner.feature[0], corner.feature[1]));
}

// Finds the closest points of the lines of the two edges of the best axis. Returns whether both lie
// on their edges.
static bool lines_cross(const struct pair *pair, const struct line *a, const struct line *b,
                        double *s, double *t) {
    vec3 between = vec3_sub(b->tail, a->tail), cross = vec3_cross(a->along, b->along);
    double square = vec3_dot(cross, cross);
    *s = vec3_dot(vec3_cross(between, b->along), cross) / square;
    *t = vec3_dot(vec3_cross(between, a->along), cross) / square;
    double slop_s = pair->slop / vec3_length(a->along), slop_t = pair->slop / vec3_length(b->along);
    return *s >= -slop_s && *s <= 1 + slop_s && *t >= -slop_t && *t <= 1 + slop_t;
}

// Finds the contact of two crossing edges, if their closest points lie on them.
static bool crossing_contact(const struct pair *pair, const struct separation *separation,
                             struct manifold *manifold) {
    struct line a = line_make(pair, 0, separation->edge[0]);
    struct line b = line_make(pair, 1, separation->edge[1]);
    double s, t;
    if (!lines_cross(pair, &a, &b, &s, &t))
        return false;
    crossing_point(pair, separation, &a, &b, s, t, manifold);
    return true;
}

// Finds a face beside the two edges whose normal nearly is the edge axis. Returns false when there
// is none.
static bool flush_face(const struct pair *pair, const struct separation *separation,
                       struct face_axis *axis) {
    double best = FLUSH_COSINE;
    for (int body = 0; body < 2; body++) {
        const struct polyhedron_edge *edge = &pair->body[body]->edge[separation->edge[body]];
        for (int side = 0; side < 2; side++) {
            int32_t face = side ? edge->right : edge->left;
            double cosine = vec3_dot(separation->edge_axis, pair_normal(pair, body, face));
            if ((body ? -cosine : cosine) > best) {
                best = body ? -cosine : cosine;
                *axis = (struct face_axis){body, face, separation->edge_separation};
            }
        }
    }
    return best > FLUSH_COSINE;
}

// Handles crossing edges of two faces that are parallel but for a tilt far too small to see. The
// crossing is one corner of the patch of these faces, and the patch is the contact.
static bool edges_contact(const struct pair *pair, const struct separation *separation,
                          double reach, struct manifold *manifold) {
    if (!crossing_contact(pair, separation, manifold))
        return false;
    struct face_axis axis;
    if (!flush_face(pair, separation, &axis))
        return true;
    struct patch patch;
    face_patch(pair, &axis, &patch);
    struct manifold whole;
    face_contact(pair, &axis, &patch, reach, &whole);
    for (int k = 0; k < whole.count; k++)
        if (whole.point[k].feature == manifold->point[0].feature) {
            *manifold = whole;
            break;
        }
    return true;
}

// Turns a manifold from the frame of the body worked on first to world axes.
static void manifold_to_world(struct manifold *manifold, const struct placed *first, bool swapped) {
    manifold->normal = mat3_apply(first->axes, manifold->normal);
    if (swapped)
        manifold->normal = vec3_negate(manifold->normal);
    for (int k = 0; k < manifold->count; k++) {
        struct manifold_point *point = &manifold->point[k];
        point->position = vec3_add(first->x, mat3_apply(first->axes, point->position));
        if (swapped)
            point->feature = manifold_swap_feature(point->feature);
    }
}

// Buried contacts -------------------------------------------------------------------------------

// A point is looked at where it is, just beside it and half way to the middle of the contact: at
// the foot of a wall that stands on another part it is buried, and the wall above it is not.
static const double towards_middle[] = {0, 1.0 / 64, 0.5};
#define LOOKS (sizeof towards_middle / sizeof *towards_middle)

// Returns whether a point of the contact is buried on one side of it. `side` is 1 for the body that
// the normal points to, -1 for the other one.
static bool side_buries(const struct placed *body, double side, const struct manifold *manifold,
                        vec3 middle, int k) {
    const struct manifold_point *point = &manifold->point[k];
    vec3 outward = vec3_scale(-side, manifold->normal);
    for (size_t look = 0; body->whole && look < LOOKS; look++) {
        vec3 beside = vec3_add_scaled(point->position, towards_middle[look],
                                      vec3_sub(middle, point->position));
        vec3 surface = vec3_add_scaled(beside, 0.5 * side * point->gap, manifold->normal);
        if (!compound_buries(body->whole, body->part, surface, outward))
            return false;
    }
    return body->whole != NULL;
}

static bool point_buried(const struct placed *a, const struct placed *b,
                         const struct manifold *manifold, vec3 middle, int k) {
    return side_buries(a, 1, manifold, middle, k) || side_buries(b, -1, manifold, middle, k);
}

// Returns the middle of the points whose gap is at most `limit`.
static vec3 points_middle(const struct manifold *manifold, double limit) {
    vec3 sum = vec3_zero(), first = manifold->point[0].position;
    int count = 0;
    for (int k = 0; k < manifold->count; k++)
        if (manifold->point[k].gap <= limit) {
            sum = vec3_add(sum, vec3_sub(manifold->point[k].position, first));
            count++;
        }
    return vec3_add_scaled(first, 1.0 / count, sum);
}

static bool deepest_buried(const struct placed *a, const struct placed *b,
                           const struct manifold *manifold, double slop) {
    double least = DBL_MAX;
    for (int k = 0; k < manifold->count; k++)
        least = fmin(least, manifold->point[k].gap);
    vec3 middle = points_middle(manifold, least + slop);
    for (int k = 0; k < manifold->count; k++)
        if (manifold->point[k].gap <= least + slop && !point_buried(a, b, manifold, middle, k))
            return false;
    return true;
}

// Drops the points of a manifold in world axes that are buried. Returns false where its deepest
// ones are: then the bodies do not touch along its normal.
static bool drop_buried(const struct placed *a, const struct placed *b, double slop,
                        struct manifold *manifold) {
    if (!a->whole && !b->whole)
        return true;
    if (deepest_buried(a, b, manifold, slop))
        return false;
    struct manifold all = *manifold;
    vec3 middle = points_middle(&all, DBL_MAX);
    manifold->count = 0;
    for (int k = 0; k < all.count; k++)
        if (!point_buried(a, b, &all, middle, k))
            manifold->point[manifold->count++] = all.point[k];
    return true;
}

// -------------------------------------------------------------------------------------------------

// Fills in the contact along the best axis, in the frame of the body worked on first. Returns
// whether it is that of two ridges.
static bool axis_contact(const struct pair *pair, const struct separation *separation, double reach,
                         bool ridges, struct manifold *manifold) {
    if (ridges && ridge_contact(pair, separation, reach, manifold))
        return true;
    if (separation->edge[0] < 0 || !edges_contact(pair, separation, reach, manifold))
        faces_contact(pair, separation, reach, manifold);
    return false;
}

// Where glued parts bury the contact along the best axis, that axis is barred and the next one is
// tried: a block that slides from one part to another with a small overlap is nearest to the side
// of that part, but lies on its top.
void manifold_polyhedra(const struct placed *a, const struct placed *b, double reach,
                        struct manifold *manifold) {
    const struct placed *first = placed_first(a, b), *second = first == a ? b : a;
    struct pair pair = pair_make(first, second);
    struct separation separation;
    for (bool ridges = true;; ridges = false) {
        manifold->count = 0;
        if (!separation_search(&pair, reach, &separation))
            return;
        bool ridge = axis_contact(&pair, &separation, reach, ridges, manifold);
        if (manifold->count == 0)
            return;
        vec3 axis = vec3_negate(manifold->normal);
        manifold_to_world(manifold, first, first == b);
        if (drop_buried(a, b, pair.slop, manifold))
            return;
        manifold->count = 0;
        if (pair.bars == PAIR_BARS)
            return;
        if (!ridge)
            pair.bar[pair.bars++] = axis;
    }
}

// The corner of the other body that is closest to the plane of a face.
static void corner_contact(const struct pair *pair, const struct face_axis *axis,
                           struct manifold *manifold) {
    vec3 normal = pair_normal(pair, axis->body, axis->face);
    int32_t lowest = 0, count = pair->body[!axis->body]->corner_count;
    for (int32_t c = 1; c < count; c++)
        if (vec3_dot(normal, pair_corner(pair, !axis->body, c)) <
            vec3_dot(normal, pair_corner(pair, !axis->body, lowest)))
            lowest = c;
    vec3 p = pair_corner(pair, !axis->body, lowest);
    manifold->normal = axis->body ? normal : vec3_negate(normal);
    manifold_add(manifold, vec3_add_scaled(p, -0.5 * axis->separation, normal), axis->separation,
                 axis->body ? MANIFOLD_FEATURE(lowest, FEATURE_FACE)
                            : MANIFOLD_FEATURE(FEATURE_FACE, lowest));
}

// The two edges of the best axis: it separates the bodies wherever their closest points are.
static void edge_contact(const struct pair *pair, const struct separation *separation,
                         struct manifold *manifold) {
    struct line a = line_make(pair, 0, separation->edge[0]);
    struct line b = line_make(pair, 1, separation->edge[1]);
    double s, t;
    lines_cross(pair, &a, &b, &s, &t);
    crossing_point(pair, separation, &a, &b, fmin(fmax(s, 0), 1), fmin(fmax(t, 0), 1), manifold);
}

void manifold_nearest(const struct placed *a, const struct placed *b, double reach,
                      struct manifold *manifold) {
    const struct placed *first = placed_first(a, b), *second = first == a ? b : a;
    struct pair pair = pair_make(first, second);
    struct separation separation;
    manifold->count = 0;
    if (!separation_search(&pair, reach, &separation))
        return;
    if (separation.edge[0] >= 0)
        edge_contact(&pair, &separation, manifold);
    else
        corner_contact(&pair, &separation.tie[0], manifold);
    manifold_to_world(manifold, first, first == b);
    if (!drop_buried(a, b, pair.slop, manifold))
        manifold->count = 0; // the parts that bury it are as near
}

// Adds a point. When the manifold is full, the points with the smallest gaps are kept.
static void manifold_add_closest(struct manifold *manifold, struct manifold_point point) {
    if (manifold->count < MANIFOLD_MAX) {
        manifold->point[manifold->count++] = point;
        return;
    }
    int furthest = 0;
    for (int k = 1; k < manifold->count; k++)
        if (manifold->point[k].gap > manifold->point[furthest].gap)
            furthest = k;
    if (point.gap < manifold->point[furthest].gap)
        manifold->point[furthest] = point;
}

void manifold_half_space(const struct placed *a, vec3 point, vec3 normal, double reach,
                         struct manifold *manifold) {
    vec3 own = mat3_apply_transposed(a->axes, normal);
    double height = vec3_dot(normal, vec3_sub(a->x, point));
    manifold->normal = normal;
    manifold->count = 0;
    for (int32_t c = 0; c < a->shape->corner_count; c++) {
        double gap = height + vec3_dot(own, a->shape->corner[c]);
        if (gap > reach)
            continue;
        vec3 corner = vec3_add(a->x, mat3_apply(a->axes, a->shape->corner[c]));
        manifold_add_closest(manifold,
                             (struct manifold_point){vec3_add_scaled(corner, -0.5 * gap, normal),
                                                     gap, MANIFOLD_FEATURE(c, FEATURE_FACE)});
    }
}

// Returns the point of the segment from a to b that is closest to p.
static vec3 segment_closest(vec3 a, vec3 b, vec3 p) {
    vec3 along = vec3_sub(b, a);
    double t = vec3_dot(vec3_sub(p, a), along) / vec3_dot(along, along);
    return t <= 0 ? a : t >= 1 ? b : vec3_add_scaled(a, t, along);
}

// Returns the point of a face that is closest to p, which is `height` above its plane.
static vec3 face_closest(const struct polyhedron *shape, int32_t face, double height, vec3 p) {
    int32_t first = shape->face_start[face], end = shape->face_start[face + 1];
    vec3 normal = shape->normal[face], closest = vec3_add_scaled(p, -height, normal);
    double best = DBL_MAX;
    for (int32_t k = first; k < end; k++) {
        vec3 u = shape->corner[shape->face_corner[k]];
        vec3 v = shape->corner[shape->face_corner[k + 1 < end ? k + 1 : first]];
        if (vec3_dot(vec3_cross(vec3_sub(v, u), normal), vec3_sub(p, u)) <= 0)
            continue; // within this side
        vec3 q = segment_closest(u, v, p);
        double square = vec3_dot(vec3_sub(q, p), vec3_sub(q, p));
        if (square < best) {
            best = square;
            closest = q;
        }
    }
    return closest;
}

// Computes the distance of p from the body (negative inside), the closest point of the surface and
// the direction from there outwards. Within the slop of the surface the direction is a face's
// normal.
static double surface_distance(const struct polyhedron *shape, vec3 p, vec3 *closest,
                               vec3 *outward) {
    double highest = -DBL_MAX, best = DBL_MAX;
    *closest = *outward = p;
    for (int32_t f = 0; f < shape->face_count; f++) {
        double height = vec3_dot(shape->normal[f], p) - shape->offset[f];
        if (height > highest) {
            highest = height;
            *outward = shape->normal[f];
        }
        if (height <= PAIR_SLOP * shape->thickness)
            continue;
        vec3 q = face_closest(shape, f, height, p);
        double distance = vec3_length(vec3_sub(p, q));
        if (distance < best) {
            best = distance;
            *closest = q;
        }
    }
    if (best < DBL_MAX) {
        *outward = vec3_scale(1 / best, vec3_sub(p, *closest));
        return best;
    }
    *closest = vec3_add_scaled(p, -highest, *outward);
    return highest;
}

static bool foot_buried(const struct placed *a, vec3 foot, vec3 outward) {
    return a->whole && compound_buries(a->whole, a->part, vec3_add(a->x, mat3_apply(a->axes, foot)),
                                       mat3_apply(a->axes, outward));
}

// Finds the nearest face through which a ball with its centre p in the body can leave it past the
// parts that are glued to it. Returns false where p is outside, or there is no such face: then
// other parts have the contact.
static bool exposed_face(const struct placed *a, vec3 p, vec3 *closest, vec3 *outward,
                         double *distance) {
    const struct polyhedron *shape = a->shape;
    *distance = -DBL_MAX;
    for (int32_t f = 0; f < shape->face_count; f++) {
        double height = vec3_dot(shape->normal[f], p) - shape->offset[f];
        if (height > 0)
            return false;
        vec3 foot = vec3_add_scaled(p, -height, shape->normal[f]);
        if (height > *distance && !foot_buried(a, foot, shape->normal[f])) {
            *distance = height;
            *closest = foot;
            *outward = shape->normal[f];
        }
    }
    return *distance > -DBL_MAX;
}

void manifold_sphere(const struct placed *a, vec3 centre, double radius, double reach,
                     struct manifold *manifold) {
    vec3 closest, outward;
    vec3 own = mat3_apply_transposed(a->axes, vec3_sub(centre, a->x));
    double distance = surface_distance(a->shape, own, &closest, &outward);
    manifold->count = 0;
    if (distance - radius > reach ||
        (foot_buried(a, closest, outward) && !exposed_face(a, own, &closest, &outward, &distance)))
        return;
    double gap = distance - radius;
    vec3 middle = vec3_add_scaled(closest, 0.5 * gap, outward);
    manifold->normal = vec3_negate(mat3_apply(a->axes, outward));
    // There is never more than one point, so its feature need not say where on the body it is.
    manifold_add(manifold, vec3_add(a->x, mat3_apply(a->axes, middle)), gap,
                 MANIFOLD_FEATURE(FEATURE_FACE, FEATURE_FACE));
}
