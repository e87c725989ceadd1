#include "engine/step/across.h"

#include "engine/contact/arms.h"
#include "engine/step/step.h"

static struct body_velocity velocity_before(const struct gabion_world *world, int32_t i) {
    const struct bodies *bodies = &world->bodies;
    if (i == bodies->count) // the world itself
        return (struct body_velocity){0};
    return (struct body_velocity){bodies->v[i],
                                  vec3_scale(bodies_spin_radius(bodies, i), bodies->w[i])};
}

// A corrective step has moved on to the free velocities when its impulses come.
static struct body_velocity velocity_free(const struct gabion_world *world, int32_t i) {
    if (world->galizzi)
        return velocity_before(world, i);
    return (struct body_velocity){world->midpoint->v_free[i], world->midpoint->s_free[i]};
}

static vec3 relative(struct body_velocity c, vec3 arm_c, struct body_velocity a, vec3 arm_a) {
    return vec3_sub(vec3_add(c.v, vec3_cross(c.s, arm_c)), vec3_add(a.v, vec3_cross(a.s, arm_a)));
}

static struct across between(const struct gabion_world *world, int32_t c, vec3 arm_c, int32_t a,
                             vec3 arm_a) {
    return (struct across){
        relative(velocity_before(world, c), arm_c, velocity_before(world, a), arm_a),
        relative(velocity_free(world, c), arm_c, velocity_free(world, a), arm_a),
        relative(step_velocity(world, c), arm_c, step_velocity(world, a), arm_a),
    };
}

struct across across_contact(const struct gabion_world *world, size_t k) {
    const struct contact *contact = &world->contacts->list[k];
    vec3 arm_c, arm_a;
    contact_arms(world->midpoint, contact, contact_spread(world->contacts->spread, k), &arm_c,
                 &arm_a);
    return between(world, contact->c, arm_c, contact->a, arm_a);
}

static vec3 in_axes(const vec3 *axis, vec3 u) {
    return vec3_make(vec3_dot(axis[0], u), vec3_dot(axis[1], u), vec3_dot(axis[2], u));
}

struct across across_joint(const struct gabion_world *world, const struct joint_block *block,
                           const struct joint_point *point) {
    struct across u = between(world, block->c, point->arm_c, block->a, point->arm_a);
    return (struct across){in_axes(block->axis, u.before), in_axes(block->axis, u.free),
                           in_axes(block->axis, u.after)};
}
