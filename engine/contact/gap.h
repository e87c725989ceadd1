// Gap treatments: what a contact asks of the normal velocity in a step (contact.gap).
//
// `stabilized` is the scheme of M. Anitescu, "A fixed time-step approach for multibody dynamics
// with contact and friction" (2003). A body that meets another arrives in one step and rebounds in
// the next, so a contact must know that it collided in the step before, and how fast: that is
// state, contacts.collision of the step and contacts.memory_collision between steps.
#ifndef ENGINE_CONTACT_GAP_H
#define ENGINE_CONTACT_GAP_H

#include "engine/contact/contacts.h"
#include "engine/world/world.h"

// The speed of approach below which nothing rebounds.
double gap_restitution_cutoff(const struct gabion_settings *settings);

// Whether the contact, one of contacts.list, takes part in this step's solve, and the number b with
// u_n + b >= 0 if so.
bool gap_bias(const struct gabion_world *world, const struct contact *contact, double *b);

// After the solve, `stabilized` alone: notes whether the contact collided in this step. Its impulse
// is still the one that the step before left, `impulse` that of this step.
void gap_note_collision(struct gabion_world *world, const struct contact *contact, vec3 impulse);

#endif
