#include "engine/contact/block_pair.h"

#include "engine/contact/parts.h"
#include "engine/motion/midpoint.h"

// Half sides of the box along the world axes around a body, and its middle.
static vec3 bounding_box(const struct gabion_world *world, int32_t i, const struct pose *at,
                         vec3 *middle) {
    double radius = world->bodies.radius[i];
    *middle = at->x;
    if (!bodies_shape(&world->bodies, i)->block)
        return vec3_make(radius, radius, radius);
    struct parts parts = parts_of(world, i, at);
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
    const struct gabion_world *world = pair->world;
    vec3 middle, other, box = bounding_box(world, pair->first, &pair->at, &middle);
    vec3 half = vec3_add(box, bounding_box(world, pair->second, &pair->beside, &other));
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
    struct parts parts = parts_of(pair->world, pair->first, &pair->at);
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
    struct parts parts = parts_of(pair->world, pair->first, &pair->at);
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
    struct parts first = parts_of(pair->world, pair->first, &pair->at);
    struct parts second = parts_of(pair->world, pair->second, &pair->beside);
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
