#include "engine/contact/arms.h"

#include "engine/world/world.h"

static vec3 arm_of(const struct midpoint *midpoint, int32_t i, vec3 point) {
    double scale = 1 / midpoint_spin_radius(midpoint, i);
    return vec3_scale(scale, vec3_sub(point, midpoint->x_m[i]));
}

// `side` is 1 for c and -1 for a.
static vec3 arm_on_side(const struct midpoint *midpoint, const struct contact *contact,
                        const vec3 *spread, int32_t i, double side, uint8_t ball) {
    if (contact->flags & ball)
        return side > 0 ? vec3_negate(contact->normal) : contact->normal;
    vec3 point = contact->point;
    if (contact->flags & CONTACT_LATE)
        point = vec3_add_scaled(point, 0.5 * side, *spread);
    else if (contact->flags & CONTACT_SURFACES)
        point = vec3_add_scaled(point, 0.5 * side * contact->gap, contact->normal);
    return arm_of(midpoint, i, point);
}

void contact_arms_general(const struct midpoint *midpoint, const struct contact *contact,
                          const vec3 *spread, vec3 *arm_c, vec3 *arm_a) {
    *arm_c = arm_on_side(midpoint, contact, spread, contact->c, 1, CONTACT_BALL_C);
    *arm_a = arm_on_side(midpoint, contact, spread, contact->a, -1, CONTACT_BALL_A);
}

static vec3 velocity_at(const struct bodies *bodies, int32_t i, vec3 arm) {
    vec3 s = vec3_scale(bodies_spin_radius(bodies, i), bodies->w[i]);
    return vec3_add(bodies->v[i], vec3_cross(s, arm));
}

vec3 contact_velocity_now(const struct gabion_world *world, const struct contact *contact,
                          const vec3 *spread) {
    vec3 arm_c, arm_a;
    contact_arms(world->midpoint, contact, spread, &arm_c, &arm_a);
    return vec3_sub(velocity_at(&world->bodies, contact->c, arm_c),
                    velocity_at(&world->bodies, contact->a, arm_a));
}
