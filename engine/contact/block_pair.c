#include "engine/contact/block_pair.h"

#include "engine/motion/midpoint.h"
#include "geometry/manifold.h"
#include "geometry/shell_touch.h"

static struct placed place(const struct gabion_world *world, int32_t i, const struct pose *at) {
    return (struct placed){bodies_polyhedron(&world->bodies, i), at->x, at->axes};
}

// Half sides of the box along the world axes around a body, and its middle.
static vec3 bounding_box(const struct bodies *bodies, int32_t i, const struct pose *at,
                         vec3 *middle) {
    double radius = bodies->radius[i];
    *middle = at->x;
    if (bodies->shape[i] != GABION_POLYHEDRON)
        return vec3_make(radius, radius, radius);
    const struct polyhedron *shape = bodies_polyhedron(bodies, i);
    const mat3 *axes = &at->axes;
    vec3 half = vec3_scale(0.5, vec3_sub(shape->high, shape->low)), box;
    *middle =
        vec3_add(*middle, mat3_apply(*axes, vec3_scale(0.5, vec3_add(shape->high, shape->low))));
    for (int axis = 0; axis < 3; axis++) {
        vec3 row = axes->row[axis];
        vec3_set(&box, axis, fabs(row.x) * half.x + fabs(row.y) * half.y + fabs(row.z) * half.z);
    }
    return box;
}

bool block_boxes_meet(const struct pair *pair, double reach) {
    const struct bodies *bodies = &pair->world->bodies;
    vec3 middle, other, box = bounding_box(bodies, pair->first, &pair->at, &middle);
    vec3 half = vec3_add(box, bounding_box(bodies, pair->second, &pair->beside, &other));
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

void block_find_sphere(const struct pair *pair, double reach, struct contact_list *out) {
    double radius = pair->world->bodies.radius[pair->second];
    struct placed block = place(pair->world, pair->first, &pair->at);
    struct manifold manifold;
    manifold_sphere(&block, pair->beside.x, radius, reach, &manifold);
    add_manifold(pair, &manifold, out);
}

void block_find_half_space(const struct pair *pair, double reach, struct contact_list *out) {
    struct placed block = place(pair->world, pair->first, &pair->at);
    vec3 normal = bodies_plane_normal(&pair->world->bodies, pair->second, &pair->beside.axes);
    struct manifold manifold;
    manifold_half_space(&block, pair->beside.x, normal, reach, &manifold);
    add_manifold(pair, &manifold, out);
}

void block_find_block(const struct pair *pair, double reach, struct contact_list *out) {
    struct placed a = place(pair->world, pair->first, &pair->at);
    struct placed b = place(pair->world, pair->second, &pair->beside);
    struct manifold manifold;
    manifold_polyhedra(&a, &b, reach, &manifold);
    add_manifold(pair, &manifold, out);
}

void block_nearest_block(const struct pair *pair, double reach, struct contact_list *out) {
    struct placed a = place(pair->world, pair->first, &pair->at);
    struct placed b = place(pair->world, pair->second, &pair->beside);
    struct manifold manifold;
    manifold_nearest(&a, &b, reach, &manifold);
    add_manifold(pair, &manifold, out);
}

// A polyhedron that touches a surface.
struct surfacing {
    const struct pair *pair;
    struct contact_list *out;
    size_t first; // contact of the pair
};

static void add_point(const struct surfacing *surfacing, const struct shell_point *point,
                      uint32_t feature) {
    struct contact contact = pair_blank(surfacing->pair, point->normal);
    contact.feature = feature;
    contact.gap = point->gap;
    contact.point = point->position;
    *contact_list_add(surfacing->out) = contact;
}

// Faces that share an edge see the same point there.
static void see_touch(void *context, const struct shell_point *point) {
    const struct surfacing *surfacing = context;
    uint32_t feature = MANIFOLD_FEATURE(point->own, shell_part_name(point->part));
    for (size_t k = surfacing->first; k < surfacing->out->count; k++)
        if (surfacing->out->list[k].feature == feature)
            return;
    add_point(surfacing, point, feature);
}

static void see_face(void *context, const struct shell_point *point) {
    add_point(context, point, MANIFOLD_FEATURE(point->own, shell_part_name(point->part)));
}

static void touch_surface(const struct pair *pair, double reach, struct contact_list *out,
                          bool nearest) {
    struct placed block = place(pair->world, pair->first, &pair->at);
    const struct shell *shape = bodies_surface(&pair->world->bodies, pair->second);
    struct placed_shell surface = {shape, pair->beside.x, pair->beside.axes};
    vec3 own = mat3_apply_transposed(surface.axes, vec3_sub(block.x, surface.x));
    struct surfacing surfacing = {pair, out, out->count};
    if (!shell_is_near(shape, own, block.shape->radius + reach))
        return;
    if (nearest)
        shell_nearest_block(&surface, &block, reach, see_face, &surfacing);
    else
        shell_touch_block(&surface, &block, reach, see_touch, &surfacing);
}

void block_find_surface(const struct pair *pair, double reach, struct contact_list *out) {
    touch_surface(pair, reach, out, false);
}

void block_nearest_surface(const struct pair *pair, double reach, struct contact_list *out) {
    touch_surface(pair, reach, out, true);
}
