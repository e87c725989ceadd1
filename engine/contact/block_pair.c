#include "engine/contact/block_pair.h"

#include "engine/contact/parts.h"
#include "engine/motion/midpoint.h"
#include "geometry/shell_touch.h"

// Half sides of the box along the world axes around a body of the pair, and its middle.
static vec3 bounding_box(const struct pair *pair, int32_t i, vec3 *middle) {
    const struct bodies *bodies = &pair->world->bodies;
    double radius = bodies->radius[i];
    *middle = i == pair->first ? pair->at.x : pair->beside.x;
    if (!bodies_shape(bodies, i)->block)
        return vec3_make(radius, radius, radius);
    struct parts parts = parts_of(pair, i);
    struct placed hull = parts_hull(&parts);
    const struct polyhedron *shape = hull.shape;
    vec3 half = vec3_scale(0.5, vec3_sub(shape->high, shape->low)), box;
    *middle =
        vec3_add(hull.x, mat3_apply(hull.axes, vec3_scale(0.5, vec3_add(shape->high, shape->low))));
    for (int axis = 0; axis < 3; axis++) {
        vec3 row = hull.axes.row[axis];
        vec3_set(&box, axis, fabs(row.x) * half.x + fabs(row.y) * half.y + fabs(row.z) * half.z);
    }
    return box;
}

bool block_boxes_meet(const struct pair *pair, double reach) {
    vec3 middle, other, box = bounding_box(pair, pair->first, &middle);
    vec3 half = vec3_add(box, bounding_box(pair, pair->second, &other));
    vec3 d = vec3_sub(middle, other);
    return fabs(d.x) <= half.x + reach && fabs(d.y) <= half.y + reach &&
           fabs(d.z) <= half.z + reach;
}

static void add_manifold(const struct pair *pair, const struct manifold *manifold,
                         struct contact_list *out) {
    struct contact contact = pair_blank(pair, manifold->normal);
    for (int k = 0; k < manifold->count; k++) {
        contact.feature = manifold->point[k].feature;
        contact.gap = manifold->point[k].gap;
        contact.point = manifold->point[k].position;
        *contact_list_add(out) = contact;
    }
}

static uint32_t name_feature(const struct parts *first, int32_t k, const struct parts *second,
                             int32_t j, uint32_t feature) {
    uint32_t upper = parts_name(first, k, feature >> 16);
    return MANIFOLD_FEATURE(upper,
                            second ? parts_name(second, j, feature & 0xffff) : feature & 0xffff);
}

static void name_points(const struct parts *first, int32_t k, const struct parts *second, int32_t j,
                        struct manifold *manifold) {
    for (int p = 0; p < manifold->count; p++) {
        uint32_t *feature = &manifold->point[p].feature;
        *feature = name_feature(first, k, second, j, *feature);
    }
}

void block_find_sphere(const struct pair *pair, double reach, struct contact_list *out) {
    double radius = pair->world->bodies.radius[pair->second];
    struct parts parts = parts_of(pair, pair->first);
    size_t begin = out->count;
    for (int32_t k = 0; k < parts.count; k++) {
        struct manifold manifold;
        if (!parts_near(&parts, k, pair->beside.x, radius, reach))
            continue;
        struct placed part = parts_place(&parts, k);
        manifold_sphere(&part, pair->beside.x, radius, reach, &manifold);
        name_points(&parts, k, NULL, 0, &manifold);
        add_manifold(pair, &manifold, out);
    }
    if (parts.count > 1)
        parts_join_contacts(pair, begin, out);
}

void block_find_half_space(const struct pair *pair, double reach, struct contact_list *out) {
    struct parts parts = parts_of(pair, pair->first);
    struct placed hull = parts_hull(&parts);
    vec3 normal = bodies_plane_normal(&pair->world->bodies, pair->second, &pair->beside.axes);
    struct manifold manifold;
    manifold_half_space(&hull, pair->beside.x, normal, reach, &manifold);
    add_manifold(pair, &manifold, out);
}

// A function that finds the contacts of two convex parts.
typedef void (*manifold_function)(const struct placed *a, const struct placed *b, double reach,
                                  struct manifold *manifold);

// Appends the contacts of part k of the first body with all parts of the second.
static void find_part(const struct pair *pair, const struct parts *first, int32_t k,
                      const struct parts *second, double reach, manifold_function find,
                      struct contact_list *out) {
    struct placed a = parts_place(first, k);
    for (int32_t j = 0; j < second->count; j++) {
        struct manifold manifold;
        if (!parts_near(second, j, a.x, a.shape->radius, reach))
            continue;
        struct placed b = parts_place(second, j);
        find(&a, &b, reach, &manifold);
        name_points(first, k, second, j, &manifold);
        add_manifold(pair, &manifold, out);
    }
}

static void find_parts(const struct pair *pair, double reach, manifold_function find,
                       struct contact_list *out) {
    struct parts first = parts_of(pair, pair->first);
    struct parts second = parts_of(pair, pair->second);
    double bound = pair->world->bodies.radius[pair->second];
    for (int32_t k = 0; k < first.count; k++)
        if (parts_near(&first, k, pair->beside.x, bound, reach))
            find_part(pair, &first, k, &second, reach, find, out);
}

static bool has_compound(const struct pair *pair) {
    const uint8_t *shape = pair->world->bodies.shape;
    return shape[pair->first] == GABION_COMPOUND || shape[pair->second] == GABION_COMPOUND;
}

void block_find_block(const struct pair *pair, double reach, struct contact_list *out) {
    size_t begin = out->count;
    find_parts(pair, reach, manifold_polyhedra, out);
    if (has_compound(pair))
        parts_join_contacts(pair, begin, out);
}

void block_nearest_block(const struct pair *pair, double reach, struct contact_list *out) {
    find_parts(pair, reach, manifold_nearest, out);
}

// A convex part that touches a surface.
struct surfacing {
    const struct pair *pair;
    const struct parts *parts;
    int32_t part;
    struct contact_list *out;
    size_t first; // contact of the part
};

static void add_point(const struct surfacing *surfacing, const struct shell_point *point,
                      uint32_t feature) {
    struct contact contact = pair_blank(surfacing->pair, point->normal);
    contact.feature = feature;
    contact.gap = point->gap;
    contact.point = point->position;
    *contact_list_add(surfacing->out) = contact;
}

static uint32_t surface_feature(const struct surfacing *surfacing,
                                const struct shell_point *point) {
    return MANIFOLD_FEATURE(parts_name(surfacing->parts, surfacing->part, point->own),
                            shell_part_name(point->part));
}

// Faces that share an edge see the same point there.
static void see_touch(void *context, const struct shell_point *point) {
    const struct surfacing *surfacing = context;
    uint32_t feature = surface_feature(surfacing, point);
    for (size_t k = surfacing->first; k < surfacing->out->count; k++)
        if (surfacing->out->list[k].feature == feature)
            return;
    add_point(surfacing, point, feature);
}

static void see_face(void *context, const struct shell_point *point) {
    add_point(context, point, surface_feature(context, point));
}

static void touch_surface(const struct pair *pair, double reach, struct contact_list *out,
                          bool nearest) {
    struct parts parts = parts_of(pair, pair->first);
    const struct shell *shape = bodies_surface(&pair->world->bodies, pair->second);
    struct placed_shell surface = {shape, pair->beside.x, pair->beside.axes};
    size_t begin = out->count;
    for (int32_t k = 0; k < parts.count; k++) {
        struct placed block = parts_place(&parts, k);
        vec3 own = mat3_apply_transposed(surface.axes, vec3_sub(block.x, surface.x));
        struct surfacing surfacing = {pair, &parts, k, out, out->count};
        if (!shell_is_near(shape, own, block.shape->radius + reach))
            continue;
        if (nearest)
            shell_nearest_block(&surface, &block, reach, see_face, &surfacing);
        else
            shell_touch_block(&surface, &block, reach, see_touch, &surfacing);
    }
    if (parts.count > 1 && !nearest)
        parts_join_contacts(pair, begin, out);
}

void block_find_surface(const struct pair *pair, double reach, struct contact_list *out) {
    touch_surface(pair, reach, out, false);
}

void block_nearest_surface(const struct pair *pair, double reach, struct contact_list *out) {
    touch_surface(pair, reach, out, true);
}
