#include "engine/contact/block_pair.h"

#include "engine/motion/midpoint.h"
#include "geometry/manifold.h"

static struct placed place(const struct gabion_world *world, int32_t i) {
    const struct midpoint *midpoint = world->midpoint;
    return (struct placed){bodies_polyhedron(&world->bodies, i), midpoint->x_m[i],
                           midpoint->axes_m[i]};
}

// Half sides of the box along the world axes around a body, and its middle.
static vec3 bounding_box(const struct gabion_world *world, int32_t i, vec3 *middle) {
    const struct bodies *bodies = &world->bodies;
    double radius = bodies->radius[i];
    *middle = world->midpoint->x_m[i];
    if (bodies->shape[i] != GABION_POLYHEDRON)
        return vec3_make(radius, radius, radius);
    const struct polyhedron *shape = bodies_polyhedron(bodies, i);
    const mat3 *axes = &world->midpoint->axes_m[i];
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
    vec3 middle, other, box = bounding_box(pair->world, pair->first, &middle);
    vec3 half = vec3_add(box, bounding_box(pair->world, pair->second, &other));
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
    const struct gabion_world *world = pair->world;
    int32_t i = pair->second;
    struct placed block = place(world, pair->first);
    struct manifold manifold;
    manifold_sphere(&block, world->midpoint->x_m[i], world->bodies.radius[i], reach, &manifold);
    add_manifold(pair, &manifold, out);
}

void block_find_half_space(const struct pair *pair, double reach, struct contact_list *out) {
    const struct midpoint *midpoint = pair->world->midpoint;
    int32_t i = pair->second;
    struct placed block = place(pair->world, pair->first);
    vec3 normal = bodies_plane_normal(&pair->world->bodies, i, midpoint_axes(midpoint, i));
    struct manifold manifold;
    manifold_half_space(&block, midpoint->x_m[i], normal, reach, &manifold);
    add_manifold(pair, &manifold, out);
}

void block_find_block(const struct pair *pair, double reach, struct contact_list *out) {
    struct placed a = place(pair->world, pair->first), b = place(pair->world, pair->second);
    struct manifold manifold;
    manifold_polyhedra(&a, &b, reach, &manifold);
    add_manifold(pair, &manifold, out);
}
