// Computes lever arms of contacts, from the centre of each body to the contact point, divided by
// the body's spin radius (engine/motion/midpoint.h).
#ifndef ENGINE_CONTACT_ARMS_H
#define ENGINE_CONTACT_ARMS_H

#include "engine/contact/contacts.h"
#include "engine/motion/midpoint.h"

// Finds the arms where one body at least is no sphere.
void contact_arms_general(const struct midpoint *midpoint, const struct contact *contact,
                          const vec3 *spread, vec3 *arm_c, vec3 *arm_a);

// Finds the arms of a contact. Those of spheres are exact, so that an impulse through the centre
// causes no spin at all. The arms of other bodies end at the contact point or, where that lies
// between two surfaces, on the body's own surface. `spread` is that of the contact and is read
// where the contact is late.
static inline void contact_arms(const struct midpoint *midpoint, const struct contact *contact,
                                const vec3 *spread, vec3 *arm_c, vec3 *arm_a) {
    const uint8_t balls = CONTACT_BALL_C | CONTACT_BALL_A;
    if ((contact->flags & balls) == balls) {
        *arm_c = vec3_negate(contact->normal);
        *arm_a = contact->normal;
        return;
    }
    contact_arms_general(midpoint, contact, spread, arm_c, arm_a);
}

// Returns the spread of contact k of a list; NULL where there are none.
static inline const vec3 *contact_spread(const vec3 *spread, size_t k) {
    return spread ? &spread[k] : NULL;
}

// Returns the velocity of c relative to a at the contact from the state of the bodies, which is
// that before the step until the step is integrated.
vec3 contact_velocity_now(const struct gabion_world *world, const struct contact *contact,
                          const vec3 *spread);

#endif
