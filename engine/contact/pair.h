// Two bodies that may touch: where, with what gap and along which normal, at q_m.
#ifndef ENGINE_CONTACT_PAIR_H
#define ENGINE_CONTACT_PAIR_H

#include "engine/contact/contacts.h"
#include "engine/world/world.h"
#include "geometry/manifold.h"

// The contacts of the pair are blocks of the problem of general contacts: one of the two is
// neither a sphere nor a half-space.
static inline bool pair_has_block(const struct bodies *bodies, int32_t c, int32_t a) {
    return bodies->shape[c] > GABION_HALF_SPACE || bodies->shape[a] > GABION_HALF_SPACE;
}

// And neither is a clump or a hollow (engine/contact/clump_pair.h): a polyhedron takes part, and
// there is one normal.
static inline bool pair_has_manifold(const struct bodies *bodies, int32_t c, int32_t a) {
    return bodies->shape[c] <= GABION_POLYHEDRON && bodies->shape[a] <= GABION_POLYHEDRON;
}

struct ball {
    vec3 centre;
    double radius;
    int32_t index; // in its body
};

// Contacts as they are found, one after the other.
struct contact_list {
    struct contact *list;
    size_t count, capacity;
    size_t taken;      // by the reader
    struct ball *near; // scratch of clumps
    size_t near_capacity;
};

struct contact *contact_list_add(struct contact_list *list); // room for one more
void contact_list_free(struct contact_list *list);

// Gap of a sphere c and a sphere or half-space a at the given positions, and the normal from a to
// c. `axes` are those of a, NULL where no half-space turns.
double pair_gap(const struct bodies *bodies, const vec3 *x, const mat3 *axes, int32_t c, int32_t a,
                vec3 *normal);

// The one contact of such a pair, without impulse.
struct contact pair_contact(const struct gabion_world *world, int32_t c, int32_t a);

// Appends the contacts of any other pair that are closer than `reach`, without impulse, those of
// one normal together. Features do not depend on which of the two bodies is which.
void pair_find(const struct gabion_world *world, int32_t c, int32_t a, double reach,
               struct contact_list *out);

#endif
