#include "engine/contact/clump_pair.h"

#include "engine/contact/contacts.h"
#include "engine/motion/midpoint.h"
#include "parallel/memory.h"

// Round bodies --------------------------------------------------------------------------------

static double sphere_sphere(const struct bodies *bodies, const vec3 *x, int32_t c, int32_t a,
                            vec3 *normal) {
    vec3 d = vec3_sub(x[c], x[a]);
    double length = vec3_length(d);
    *normal = length > 0 ? vec3_scale(1 / length, d) : vec3_make(0, 0, 1);
    return length - (bodies->radius[c] + bodies->radius[a]);
}

static double sphere_half_space(const struct bodies *bodies, const vec3 *x, const mat3 *axes,
                                int32_t c, int32_t a, vec3 *normal) {
    *normal = bodies_plane_normal(bodies, a, axes);
    return vec3_dot(vec3_sub(x[c], x[a]), *normal) - bodies->radius[c];
}

double pair_gap(const struct bodies *bodies, const vec3 *x, const mat3 *axes, int32_t c, int32_t a,
                vec3 *normal) {
    return bodies->shape[a] == GABION_SPHERE ? sphere_sphere(bodies, x, c, a, normal)
                                             : sphere_half_space(bodies, x, axes, c, a, normal);
}

struct contact pair_contact(const struct gabion_world *world, int32_t c, int32_t a) {
    const struct bodies *bodies = &world->bodies;
    const vec3 *x = world->midpoint->x_m;
    struct contact contact = {.c = c, .a = a, .law = world_law(world, c, a)};
    contact.flags = CONTACT_BALL_C | (bodies->shape[a] == GABION_SPHERE ? CONTACT_BALL_A : 0);
    const mat3 *axes = midpoint_axes(world->midpoint, a);
    contact.gap = pair_gap(bodies, x, axes, c, a, &contact.normal);
    contact.point = vec3_add_scaled(x[c], -(bodies->radius[c] + 0.5 * contact.gap), contact.normal);
    return contact;
}

// Blocks --------------------------------------------------------------------------------------

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

// The grid knows bodies as spheres, which says little of a slab.
static bool boxes_meet(const struct gabion_world *world, int32_t i, int32_t j, double reach) {
    vec3 middle_i, middle_j, box_i = bounding_box(world, i, &middle_i);
    vec3 box_j = bounding_box(world, j, &middle_j), d = vec3_sub(middle_i, middle_j);
    return fabs(d.x) <= box_i.x + box_j.x + reach && fabs(d.y) <= box_i.y + box_j.y + reach &&
           fabs(d.z) <= box_i.z + box_j.z + reach;
}

// `first` is a polyhedron. The normal points from second to first.
static void find_manifold(const struct gabion_world *world, int32_t first, int32_t second,
                          double reach, struct manifold *manifold) {
    const struct bodies *bodies = &world->bodies;
    const vec3 *x = world->midpoint->x_m;
    struct placed a = place(world, first), b;
    switch ((enum gabion_shape)bodies->shape[second]) {
    case GABION_SPHERE:
        manifold_sphere(&a, x[second], bodies->radius[second], reach, manifold);
        break;
    case GABION_HALF_SPACE:
        manifold_half_space(
            &a, x[second],
            bodies_plane_normal(bodies, second, midpoint_axes(world->midpoint, second)), reach,
            manifold);
        break;
    default:
        b = place(world, second);
        manifold_polyhedra(&a, &b, reach, manifold);
        break;
    }
}

// A pair is looked at from the polyhedron of the lower id, whatever its place in the arrays: a
// contact keeps its feature when bodies are sorted anew.
static bool looked_at_first(const struct bodies *bodies, int32_t i, int32_t j) {
    if (bodies->shape[i] != bodies->shape[j])
        return bodies->shape[i] == GABION_POLYHEDRON;
    return bodies->id[i] < bodies->id[j];
}

static void find_by_manifold(const struct gabion_world *world, int32_t c, int32_t a, double reach,
                             struct contact_list *out) {
    struct manifold manifold;
    bool first = looked_at_first(&world->bodies, c, a);
    find_manifold(world, first ? c : a, first ? a : c, reach, &manifold);
    vec3 normal = first ? manifold.normal : vec3_negate(manifold.normal);
    for (int k = 0; k < manifold.count; k++)
        *contact_list_add(out) = (struct contact){
            .c = c,
            .a = a,
            .law = world_law(world, c, a),
            .feature = manifold.point[k].feature,
            .gap = manifold.point[k].gap,
            .normal = normal,
            .point = manifold.point[k].position,
        };
}

void pair_find(const struct gabion_world *world, int32_t c, int32_t a, double reach,
               struct contact_list *out) {
    const struct bodies *bodies = &world->bodies;
    bool manifold = pair_has_manifold(bodies, c, a);
    bool block = bodies->shape[c] == GABION_POLYHEDRON || bodies->shape[a] == GABION_POLYHEDRON;
    if (block && !bodies_is_wall(bodies, a) && !boxes_meet(world, c, a, reach))
        return;
    (manifold ? find_by_manifold : clump_pair_find)(world, c, a, reach, out);
}

// Lists ---------------------------------------------------------------------------------------

struct contact *contact_list_add(struct contact_list *list) {
    list->list = memory_reserve(list->list, &list->capacity, list->count + 1, sizeof *list->list,
                                "contacts");
    return &list->list[list->count++];
}

void contact_list_free(struct contact_list *list) {
    memory_free(list->list);
    memory_free(list->near);
    *list = (struct contact_list){0};
}
