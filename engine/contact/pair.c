#include "engine/contact/pair.h"

#include "engine/motion/midpoint.h"
#include "parallel/memory.h"

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
    return pair_plane_gap(x[c], bodies->radius[c], x[a], *normal);
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
