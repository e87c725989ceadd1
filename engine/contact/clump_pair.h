// Pairs in which a clump, a hollow sphere or a drum takes part.
//
// A clump touches with its spheres, a polyhedron in a hollow with its corners: balls of radius 0.
// Each ball in reach gives a contact with its own normal. Its feature names the ball of the one
// body and the ball or wall of the other, the same whatever the order of the bodies.
#ifndef ENGINE_CONTACT_CLUMP_PAIR_H
#define ENGINE_CONTACT_CLUMP_PAIR_H

#include "engine/contact/contacts.h"
#include "engine/contact/pair.h"

// Appends the contacts that are closer than `reach`, at q_m.
void clump_pair_find(const struct gabion_world *world, int32_t c, int32_t a, double reach,
                     struct contact_list *out);

// The gap of such a contact where the bodies are now. False: it is with a face of a polyhedron and
// would have to be looked for again.
bool clump_pair_gap(const struct bodies *bodies, const struct contact *contact, double *gap);

// The radius of the ball that body i, one of the two, touches with; 0 for walls and polyhedra.
double clump_pair_radius(const struct bodies *bodies, const struct contact *contact, int32_t i);

#endif
