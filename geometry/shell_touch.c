#include "geometry/shell_touch.h"

#include <float.h>

#include "geometry/clip.h"

// How far a direction may lean towards a face and still lead away from it, as a cosine: rounding
// decides within that.
#define CONE_SLOP 1e-6

// Corners of a face that are this share of the body's thickness below the highest one are as high.
#define SUPPORT_SLOP 1e-7

// Parts -----------------------------------------------------------------------------------------

static uint32_t edge_part(const struct shell *shell, int32_t edge) {
    return (uint32_t)(shell->group_count + edge);
}

static uint32_t point_part(const struct shell *shell, int32_t point) {
    int32_t edge = shell->point_edge[point];
    return edge >= 0 ? edge_part(shell, edge)
                     : (uint32_t)(shell->group_count + shell->edge_count + point);
}

static bool edge_faces(const struct shell *shell, int32_t edge, vec3 direction) {
    const struct shell_edge *own = &shell->edge[edge];
    for (int32_t k = 0; k < own->wings; k++)
        if (vec3_dot(own->wing[k], direction) > CONE_SLOP)
            return false;
    return true;
}

static bool point_faces(const struct shell *shell, int32_t point, vec3 direction) {
    for (int32_t k = shell->spoke_start[point]; k < shell->spoke_start[point + 1]; k++) {
        vec3 spoke = vec3_sub(shell->point[shell->spoke[k]], shell->point[point]);
        if (vec3_dot(spoke, direction) > CONE_SLOP * vec3_length(spoke))
            return false;
    }
    return true;
}

// Balls -----------------------------------------------------------------------------------------

// The point of a face that is closest to the centre of a ball, and what lies there: a side, a
// corner, or neither.
struct closest {
    vec3 q;
    double distance;
    double height;        // of the centre above the plane of the group
    int32_t side, corner; // of the face's lists, or -1
};

static void try_side(const struct shell *shell, int32_t k, int32_t next, vec3 p,
                     struct closest *best) {
    vec3 u = shell->point[shell->face_corner[k]], v = shell->point[shell->face_corner[next]];
    vec3 along = vec3_sub(v, u);
    double t = vec3_dot(vec3_sub(p, u), along) / vec3_dot(along, along);
    vec3 q = t <= 0 ? u : t >= 1 ? v : vec3_add_scaled(u, t, along);
    double distance = vec3_length(vec3_sub(p, q));
    if (distance >= best->distance)
        return;
    bool inside = t > 0 && t < 1;
    *best = (struct closest){q, distance, best->height, inside ? k : -1,
                             inside   ? -1
                             : t <= 0 ? k
                                      : next};
}

static struct closest closest_on(const struct shell *shell, int32_t f, vec3 p) {
    int32_t first = shell->face_start[f], end = shell->face_start[f + 1];
    vec3 normal = shell->normal[shell->face_group[f]];
    double height = vec3_dot(normal, p) - shell->offset[shell->face_group[f]];
    struct closest best = {.distance = DBL_MAX, .height = height};
    for (int32_t k = first; k < end; k++) {
        int32_t next = k + 1 < end ? k + 1 : first;
        vec3 u = shell->point[shell->face_corner[k]], v = shell->point[shell->face_corner[next]];
        if (vec3_dot(vec3_cross(vec3_sub(v, u), normal), vec3_sub(p, u)) > 0)
            try_side(shell, k, next, p, &best);
    }
    if (best.distance < DBL_MAX)
        return best;
    return (struct closest){vec3_add_scaled(p, -height, normal), fabs(height), height, -1, -1};
}

struct ball_search {
    const struct placed_shell *shell;
    vec3 own; // centre, in the frame of the surface
    double radius, reach;
    shell_function see;
    void *context;
    bool seen;
    struct shell_point nearest; // of those that no part claims
    uint32_t name;              // of the part that shell_gap_ball asks for
    double gap;
};

// The body is on the side of its centre. Right in the plane, one side is as good as the other.
static vec3 upward(const struct shell *shell, int32_t f, double height) {
    vec3 normal = shell->normal[shell->face_group[f]];
    return height < 0 ? vec3_negate(normal) : normal;
}

// Makes a point of what was found, in the frame of the surface. Returns whether its part claims it:
// where the closest point lies on a line that only cuts a flat group in two, another face of the
// group does, but for rounding.
static bool claim(const struct ball_search *search, int32_t f, const struct closest *closest,
                  struct shell_point *point) {
    const struct shell *shell = search->shell->shape;
    int32_t corner = closest->corner >= 0 ? shell->face_corner[closest->corner] : -1;
    int32_t edge = closest->side >= 0 ? shell->face_edge[closest->side]
                   : corner >= 0      ? shell->point_edge[corner]
                                      : SHELL_FLAT;
    vec3 away = vec3_sub(search->own, closest->q);
    bool onto_face = edge == SHELL_FLAT || !(closest->distance > 0);
    *point = (struct shell_point){.gap = closest->distance - search->radius};
    point->normal =
        onto_face ? upward(shell, f, closest->height) : vec3_scale(1 / closest->distance, away);
    point->part = onto_face     ? (uint32_t)shell->face_group[f]
                  : corner >= 0 ? point_part(shell, corner)
                                : edge_part(shell, edge);
    if (onto_face) {
        double beside2 = closest->distance * closest->distance - closest->height * closest->height;
        bool inside = closest->side < 0 && closest->corner < 0;
        point->gap = fabs(closest->height) - search->radius;
        return inside || beside2 <= shell->tolerance * (shell->tolerance + 2 * closest->distance);
    }
    return corner >= 0 ? point_faces(shell, corner, point->normal)
                       : edge_faces(shell, edge, point->normal);
}

static void see_ball(struct ball_search *search, struct shell_point point) {
    const struct placed_shell *shell = search->shell;
    vec3 own = vec3_add_scaled(search->own, -(search->radius + 0.5 * point.gap), point.normal);
    point.position = vec3_add(shell->x, mat3_apply(shell->axes, own));
    point.normal = mat3_apply(shell->axes, point.normal);
    search->see(search->context, &point);
}

static void touch_face(void *context, int32_t f) {
    struct ball_search *search = context;
    struct closest closest = closest_on(search->shell->shape, f, search->own);
    struct shell_point point;
    if (closest.distance - search->radius > search->reach)
        return;
    if (claim(search, f, &closest, &point)) {
        search->seen = true;
        see_ball(search, point);
    } else if (!(search->nearest.gap <= point.gap)) {
        search->nearest = point;
    }
}

static void search_ball(struct ball_search *search, vec3 centre,
                        void (*visit)(void *context, int32_t face)) {
    const struct placed_shell *shell = search->shell;
    double half = search->radius + search->reach;
    vec3 wide = vec3_make(half, half, half);
    search->own = mat3_apply_transposed(shell->axes, vec3_sub(centre, shell->x));
    struct tree_box box = {vec3_sub(search->own, wide), vec3_add(search->own, wide)};
    box_tree_visit(shell->shape->tree, &box, visit, search);
}

void shell_touch_ball(const struct placed_shell *shell, vec3 centre, double radius, double reach,
                      shell_function see, void *context) {
    struct ball_search search = {
        .shell = shell, .radius = radius, .reach = reach, .see = see, .context = context};
    search.nearest.gap = INFINITY;
    search_ball(&search, centre, touch_face);
    // Where rounding lets every part leave the ball to its neighbours, the nearest one keeps it.
    if (!search.seen && search.nearest.gap < INFINITY)
        see_ball(&search, search.nearest);
}

static void near_face(void *context, int32_t f) {
    struct ball_search *search = context;
    struct closest closest = closest_on(search->shell->shape, f, search->own);
    struct shell_point point;
    if (closest.distance - search->radius > search->reach)
        return;
    claim(search, f, &closest, &point);
    point.gap = closest.distance - search->radius;
    if (closest.distance > 0)
        point.normal = vec3_scale(1 / closest.distance, vec3_sub(search->own, closest.q));
    see_ball(search, point);
}

void shell_nearest_ball(const struct placed_shell *shell, vec3 centre, double radius, double reach,
                        shell_function see, void *context) {
    struct ball_search search = {
        .shell = shell, .radius = radius, .reach = reach, .see = see, .context = context};
    search_ball(&search, centre, near_face);
}

static void gap_face(void *context, int32_t f) {
    struct ball_search *search = context;
    const struct shell *shell = search->shell->shape;
    struct closest closest = closest_on(shell, f, search->own);
    struct shell_point point;
    claim(search, f, &closest, &point);
    if (shell_part_name((uint32_t)shell->face_group[f]) == search->name ||
        shell_part_name(point.part) == search->name)
        search->gap = fmin(search->gap, closest.distance - search->radius);
}

double shell_gap_ball(const struct placed_shell *shell, vec3 centre, double radius, double reach,
                      uint32_t name) {
    struct ball_search search = {
        .shell = shell, .radius = radius, .reach = reach, .name = name, .gap = INFINITY};
    search_ball(&search, centre, gap_face);
    return search.gap;
}

// Polyhedra -------------------------------------------------------------------------------------

// A face of the surface as a polyhedron without volume: two faces back to back. Its infinite size
// makes the other body the one that is worked on first and that lengths are compared with
// (geometry/manifold.c).
struct leaf {
    struct polyhedron shape;
    vec3 corner[SHELL_FACE_MAX], normal[2];
    double offset[2];
    int32_t face_start[3], face_corner[2 * SHELL_FACE_MAX], face_edge[2 * SHELL_FACE_MAX];
    struct polyhedron_edge edge[SHELL_FACE_MAX];
};

static void leaf_bounds(struct leaf *leaf) {
    struct polyhedron *shape = &leaf->shape;
    surface_bounds(leaf->corner, shape->corner_count, &shape->low, &shape->high);
    shape->volume = shape->thickness = INFINITY;
}

static void leaf_make(struct leaf *leaf, const struct shell *shell, int32_t f) {
    int32_t begin = shell->face_start[f], count = shell->face_start[f + 1] - begin;
    int32_t group = shell->face_group[f];
    leaf->shape = (struct polyhedron){
        .corner_count = count,
        .face_count = 2,
        .edge_count = count,
        .corner = leaf->corner,
        .face_start = leaf->face_start,
        .face_corner = leaf->face_corner,
        .face_edge = leaf->face_edge,
        .normal = leaf->normal,
        .offset = leaf->offset,
        .edge = leaf->edge,
    };
    for (int side = 0; side < 2; side++) {
        leaf->face_start[side + 1] = (side + 1) * count;
        leaf->normal[side] = side ? vec3_negate(shell->normal[group]) : shell->normal[group];
        leaf->offset[side] = side ? -shell->offset[group] : shell->offset[group];
    }
    leaf->face_start[0] = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t next = k + 1 < count ? k + 1 : 0;
        leaf->corner[k] = shell->point[shell->face_corner[begin + k]];
        leaf->face_corner[k] = leaf->face_edge[k] = k;
        leaf->face_corner[count + k] = count - 1 - k;
        leaf->face_edge[count + k] = k + 1 < count ? count - 2 - k : count - 1;
        leaf->edge[k] = next > k ? (struct polyhedron_edge){k, next, 0, 1}
                                 : (struct polyhedron_edge){next, k, 1, 0};
    }
    leaf_bounds(leaf);
}

struct block_search {
    const struct placed_shell *shell;
    const struct placed *block;
    double reach;
    shell_function see;
    void *context;
};

// What part of a face supports it in a direction.
struct support {
    int count;         // corners; 3: more than two
    int32_t corner[2]; // of the face's lists
};

static struct support support_of(const struct shell *shell, int32_t f, vec3 direction,
                                 double slop) {
    int32_t begin = shell->face_start[f], end = shell->face_start[f + 1];
    struct support support = {0};
    double highest = -DBL_MAX;
    for (int32_t k = begin; k < end; k++)
        highest = fmax(highest, vec3_dot(direction, shell->point[shell->face_corner[k]]));
    for (int32_t k = begin; k < end; k++) {
        if (vec3_dot(direction, shell->point[shell->face_corner[k]]) < highest - slop)
            continue;
        if (support.count < 2)
            support.corner[support.count] = k;
        support.count += support.count < 3;
    }
    return support;
}

// Returns whether the part of the surface that supports a face in this direction is free there: no
// neighbour of the face lies further out.
static bool direction_is_free(const struct block_search *search, int32_t f, vec3 direction) {
    const struct shell *shell = search->shell->shape;
    int32_t begin = shell->face_start[f], end = shell->face_start[f + 1];
    double slop = SUPPORT_SLOP * search->block->shape->thickness;
    struct support support = support_of(shell, f, direction, slop);
    if (support.count == 1)
        return point_faces(shell, shell->face_corner[support.corner[0]], direction);
    if (support.count > 2)
        return false;
    bool follows = support.corner[1] == support.corner[0] + 1;
    if (!follows && !(support.corner[0] == begin && support.corner[1] == end - 1))
        return false;
    int32_t edge = shell->face_edge[follows ? support.corner[0] : support.corner[1]];
    return edge != SHELL_FLAT && edge_faces(shell, edge, direction);
}

// Names the part of the surface at a point of a manifold. Returns false where the point only
// exists because a flat group was cut there, or a straight edge: the body touches it with something
// that goes on beyond.
static bool name_part(const struct shell *shell, int32_t f, uint32_t feature, uint32_t own,
                      uint32_t *part) {
    int32_t begin = shell->face_start[f];
    bool corner_of_body = own < FEATURE_FACE;
    *part = (uint32_t)shell->face_group[f];
    if (feature == FEATURE_FACE)
        return true;
    if (feature & FEATURE_EDGE) {
        int32_t edge = shell->face_edge[begin + (int32_t)(feature & ~FEATURE_EDGE)];
        if (edge != SHELL_FLAT)
            *part = edge_part(shell, edge);
        return edge != SHELL_FLAT || corner_of_body;
    }
    int32_t point = shell->face_corner[begin + (int32_t)feature];
    if (shell->point_edge[point] != SHELL_FLAT)
        *part = point_part(shell, point);
    return shell->point_edge[point] == SHELL_VERTEX || own != FEATURE_FACE;
}

static void see_block(const struct block_search *search, int32_t f,
                      const struct manifold *manifold) {
    for (int k = 0; k < manifold->count; k++) {
        const struct manifold_point *found = &manifold->point[k];
        struct shell_point point = {
            .normal = manifold->normal,
            .position = found->position,
            .gap = found->gap,
            .own = found->feature >> 16,
        };
        if (name_part(search->shell->shape, f, found->feature & 0xffff, point.own, &point.part))
            search->see(search->context, &point);
    }
}

// Lays the body on the plane of a face, on the side on which most of it is.
static void touch_plane(const struct block_search *search, int32_t f, const struct placed *leaf,
                        double lean) {
    const struct placed *block = search->block;
    struct manifold manifold;
    if (fabs(lean) < CONE_SLOP) { // the axis says nothing
        vec3 own = mat3_apply_transposed(leaf->axes, vec3_sub(block->x, leaf->x));
        lean = vec3_dot(leaf->shape->normal[0], own) - leaf->shape->offset[0];
    }
    manifold_on_face(block, leaf, lean < 0, search->reach, &manifold);
    see_block(search, f, &manifold);
}

static void touch_leaf(void *context, int32_t f) {
    const struct block_search *search = context;
    struct leaf leaf;
    struct manifold manifold;
    leaf_make(&leaf, search->shell->shape, f);
    struct placed placed = placed_alone(&leaf.shape, search->shell->x, search->shell->axes);
    manifold_polyhedra(search->block, &placed, search->reach, &manifold);
    if (manifold.count == 0)
        return;
    vec3 direction = mat3_apply_transposed(placed.axes, manifold.normal);
    double lean = vec3_dot(direction, leaf.normal[0]);
    if (fabs(lean) <= MANIFOLD_FLUSH && direction_is_free(search, f, direction))
        see_block(search, f, &manifold);
    else
        touch_plane(search, f, &placed, lean);
}

static void search_block(const struct block_search *search,
                         void (*visit)(void *context, int32_t face)) {
    const struct placed_shell *shell = search->shell;
    const struct polyhedron *shape = search->block->shape;
    struct tree_box box;
    for (int32_t c = 0; c < shape->corner_count; c++) {
        vec3 p = vec3_add(search->block->x, mat3_apply(search->block->axes, shape->corner[c]));
        p = mat3_apply_transposed(shell->axes, vec3_sub(p, shell->x));
        if (c == 0)
            box = (struct tree_box){p, p};
        box.low = vec3_make(fmin(box.low.x, p.x), fmin(box.low.y, p.y), fmin(box.low.z, p.z));
        box.high = vec3_make(fmax(box.high.x, p.x), fmax(box.high.y, p.y), fmax(box.high.z, p.z));
    }
    vec3 wide = vec3_make(search->reach, search->reach, search->reach);
    box = (struct tree_box){vec3_sub(box.low, wide), vec3_add(box.high, wide)};
    box_tree_visit(shell->shape->tree, &box, visit, (void *)search);
}

void shell_touch_block(const struct placed_shell *shell, const struct placed *block, double reach,
                       shell_function see, void *context) {
    struct block_search search = {shell, block, reach, see, context};
    search_block(&search, touch_leaf);
}

static void near_leaf(void *context, int32_t f) {
    const struct block_search *search = context;
    struct leaf leaf;
    struct manifold manifold;
    leaf_make(&leaf, search->shell->shape, f);
    struct placed placed = placed_alone(&leaf.shape, search->shell->x, search->shell->axes);
    manifold_nearest(search->block, &placed, search->reach, &manifold);
    for (int k = 0; k < manifold.count; k++) {
        struct shell_point point = {
            .normal = manifold.normal,
            .position = manifold.point[k].position,
            .gap = manifold.point[k].gap,
            .own = manifold.point[k].feature >> 16,
            .part = (uint32_t)search->shell->shape->face_group[f],
        };
        search->see(search->context, &point);
    }
}

void shell_nearest_block(const struct placed_shell *shell, const struct placed *block, double reach,
                         shell_function see, void *context) {
    struct block_search search = {shell, block, reach, see, context};
    search_block(&search, near_leaf);
}
