// Lever arms of contacts, in units of the bodies' spin radius (engine/motion/midpoint.h).
#ifndef ENGINE_CONTACT_ARMS_H
#define ENGINE_CONTACT_ARMS_H

#include "engine/contact/contacts.h"
#include "engine/motion/midpoint.h"

// Finds the arms of a contact. Those of round bodies are known without rounding: an impulse through
// the centre turns nothing, exactly. Other bodies are touched in the point of the contact or, where
// that lies between two surfaces, on their own surface.
void contact_arms(const struct midpoint *midpoint, const struct contact *contact, vec3 *arm_c,
                  vec3 *arm_a);

// Returns the velocity of c against a at the contact by the state of the bodies: that before the
// step until it is integrated.
vec3 contact_velocity_now(const struct gabion_world *world, const struct contact *contact);

#endif
