// Contacts and their life across steps.
//
// Contacts of a step are in canonical order: by candidate index c, then antagonist index a, then as
// their manifold lists them. c < a always, so c is a moving body; the normal points from a to c and
// the impulse acts on c. Between steps only the memory of a contact is kept, for the warm start.
#ifndef ENGINE_CONTACT_CONTACTS_H
#define ENGINE_CONTACT_CONTACTS_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/vec.h"

enum contact_status { CONTACT_OPEN, CONTACT_STICK, CONTACT_SLIP };

struct contact {
    int32_t c, a; // body indices
    uint32_t
        feature;    // which parts of the two shapes (geometry/manifold.h); 0 for spheres and planes
    uint16_t law;   // into laws
    uint8_t status; // enum contact_status, after the solve
    uint8_t active; // takes part in the solve of this step
    double gap;     // at q_m
    vec3 normal;
    vec3 point;   // at q_m, world axes
    vec3 impulse; // on c, world axes, N s
};

struct contact_memory {
    int32_t a;
    uint32_t feature;
    vec3 point; // where it was, to find it again should its feature change
    vec3 impulse;
};

_Static_assert(sizeof(struct contact) == 96, "a million grains must fit in 2 GB");
_Static_assert(sizeof(struct contact_memory) == 56, "a million grains must fit in 2 GB");

struct contacts {
    size_t count, capacity;
    struct contact *list;

    // What the last step left: memory of body c is [memory_start[c], memory_start[c + 1]).
    size_t memory_count, memory_capacity;
    struct contact_memory *memory;
    uint32_t *memory_start; // moving + 1 entries
    size_t start_capacity;

    // Of contact.gap stabilized (engine/contact/gap.h), beside list and memory: the velocity of c
    // against a before the last step, where they collided in it; else zero. NULL: nothing is known.
    vec3 *collision, *memory_collision;
    size_t collision_capacity, memory_collision_capacity;
};

static inline bool contacts_carries(const struct contact *contact) {
    return contact->impulse.x != 0 || contact->impulse.y != 0 || contact->impulse.z != 0;
}

// By the local law: what a user sees in ParaView.
enum contact_status contacts_status(const struct contact *contact, double mu);

struct gabion_world;

void contacts_free(struct contacts *contacts);
void contacts_match(struct gabion_world *world);    // impulses of the last step into the list
void contacts_remember(struct gabion_world *world); // impulses of the list for the next step

// The gap of a contact, and between spheres and planes its normal, as the bodies now stand. Blocks
// are not clipped again: the points of both bodies that met at q_m have moved with them.
double contacts_gap_after(const struct gabion_world *world, const struct contact *contact,
                          vec3 *normal);

// Where the contact is after the step: its point is that of q_m, half a step behind the bodies.
vec3 contacts_position(const struct gabion_world *world, const struct contact *contact);

#endif
