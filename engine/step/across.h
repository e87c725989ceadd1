// Velocities across contacts and joints: that of body c relative to body a, at the three moments of
// a step that energies are computed from.
#ifndef ENGINE_STEP_ACROSS_H
#define ENGINE_STEP_ACROSS_H

#include "engine/contact/arms.h"
#include "engine/step/step.h"
#include "engine/world/world.h"

struct joint_block;
struct joint_point;

struct across {
    vec3 before, free, after; // at the start, without impulses, and as the solve left it
};

// Where the points of a contact or joint are on its two bodies.
struct across_place {
    int32_t c, a;
    vec3 arm_c, arm_a;
};

static inline struct across_place across_place(const struct gabion_world *world, size_t k) {
    const struct contact *contact = &world->contacts->list[k];
    struct across_place place = {.c = contact->c, .a = contact->a};
    contact_arms(world->midpoint, contact, contact_spread(world->contacts->spread, k), &place.arm_c,
                 &place.arm_a);
    return place;
}

static inline vec3 across_relative(const struct across_place *place, struct body_velocity c,
                                   struct body_velocity a) {
    return vec3_sub(vec3_add(c.v, vec3_cross(c.s, place->arm_c)),
                    vec3_add(a.v, vec3_cross(a.s, place->arm_a)));
}

// Return the velocity of a body at the start of the step, and the one that it has without impulses.
// step_velocity is the one that the solve left.
static inline struct body_velocity across_body_before(const struct gabion_world *world, int32_t i) {
    const struct bodies *bodies = &world->bodies;
    if (i == bodies->count) // the world itself
        return (struct body_velocity){0};
    return (struct body_velocity){bodies->v[i],
                                  vec3_scale(bodies_spin_radius(bodies, i), bodies->w[i])};
}

// A corrective step has moved on to the free velocities when its impulses come.
static inline struct body_velocity across_body_free(const struct gabion_world *world, int32_t i) {
    if (world->galizzi)
        return across_body_before(world, i);
    return (struct body_velocity){world->midpoint->v_free[i], world->midpoint->s_free[i]};
}

// Return one of the three velocities alone, for loops over all contacts.
static inline vec3 across_free(const struct gabion_world *world, const struct across_place *place) {
    return across_relative(place, across_body_free(world, place->c),
                           across_body_free(world, place->a));
}

static inline vec3 across_after(const struct gabion_world *world,
                                const struct across_place *place) {
    return across_relative(place, step_velocity(world, place->c), step_velocity(world, place->a));
}

// In world axes, like the impulse of the contact.
struct across across_contact(const struct gabion_world *world, size_t k);
// In the axes of the joint, like the impulse of its point.
struct across across_joint(const struct gabion_world *world, const struct joint_block *block,
                           const struct joint_point *point);

#endif
