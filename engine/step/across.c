#include "engine/step/across.h"

static struct across across_at(const struct gabion_world *world, const struct across_place *place) {
    vec3 before = across_relative(place, across_body_before(world, place->c),
                                  across_body_before(world, place->a));
    return (struct across){before, across_free(world, place), across_after(world, place)};
}

struct across across_contact(const struct gabion_world *world, size_t k) {
    struct across_place place = across_place(world, k);
    return across_at(world, &place);
}

static vec3 in_axes(const vec3 *axis, vec3 u) {
    return vec3_make(vec3_dot(axis[0], u), vec3_dot(axis[1], u), vec3_dot(axis[2], u));
}

struct across across_joint(const struct gabion_world *world, const struct joint_block *block,
                           const struct joint_point *point) {
    struct across_place place = {block->c, block->a, point->arm_c, point->arm_a};
    struct across u = across_at(world, &place);
    return (struct across){in_axes(block->axis, u.before), in_axes(block->axis, u.free),
                           in_axes(block->axis, u.after)};
}
