// Gap treatments (setting contact.gap): how the gap of a contact limits its normal velocity u_n in
// a step.
//
// `stabilized` is the scheme of M. Anitescu, "A fixed time-step approach for multibody dynamics
// with contact and friction" (2003). A body that meets another arrives in one step and rebounds in
// the next, so a contact must know that it collided in the last step, and how fast. This is part of
// the state: contacts.collision during the step and contacts.memory_collision between steps.
#ifndef ENGINE_CONTACT_GAP_H
#define ENGINE_CONTACT_GAP_H

#include "engine/contact/contacts.h"
#include "engine/world/world.h"

// Returns the speed of approach below which bodies do not rebound.
double gap_restitution_cutoff(const struct gabion_settings *settings);

// Decides for every contact of the list whether it takes part in this step's solve, and finds the
// number b of its law u_n + b >= 0 (contacts.bias). Contacts that take no part lose their impulse.
void gap_activate(struct gabion_world *world);

// Returns whether bodies that approach with the normal velocity u_n rebound.
bool gap_rebounds(const struct gabion_world *world, const struct contact *contact, double u_n);

// Returns the number b of a contact that bodies meet on their way (engine/contact/ahead.h), with
// the normal velocity u_before before the step; its gap is what they may still travel along the
// normal.
double gap_late_bias(const struct gabion_world *world, const struct contact *contact,
                     double u_before);

// Returns whether the sphere kernel cannot treat the contact. It needs bodies with a struct
// round_mass, and planes that do not turn.
bool gap_needs_block(const struct gabion_world *world, const struct contact *contact);

// Records which contacts collided in this step. Called after the solve, for `stabilized` alone.
void gap_note_collisions(struct gabion_world *world);

#endif
