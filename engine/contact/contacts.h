// Contacts and their life across steps.
//
// Contacts of a step are in canonical order: by candidate index c, then antagonist index a, then as
// their manifold lists them. c < a always, so c is a moving body; the normal points from a to c and
// the impulse acts on c. Between steps only the memory of a contact is kept, for the warm start.
#ifndef ENGINE_CONTACT_CONTACTS_H
#define ENGINE_CONTACT_CONTACTS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/contact/joint_points.h"
#include "geometry/vec.h"

enum contact_status { CONTACT_OPEN, CONTACT_STICK, CONTACT_SLIP };

// Bits of contact.flags.
enum contact_flag {
    CONTACT_ACTIVE = 1,    // takes part in the solve of this step
    CONTACT_GENERAL = 2,   // its block of W is not diagonal, or its law has a tangential target
    CONTACT_BALL_C = 4,    // c touches with a sphere about its centre: its arm is -n, exactly
    CONTACT_BALL_A = 8,    // likewise a, whose arm is n
    CONTACT_SURFACES = 16, // arms end on the two surfaces, half a gap from the point, not in it
    CONTACT_PUSHED = 32    // carried an impulse when the last step ended
};

struct contact {
    int32_t c, a;     // body indices
    uint32_t feature; // parts of the two shapes (geometry/manifold.h); 0 for spheres and planes
    uint16_t law;     // into laws
    uint8_t status;   // enum contact_status, after the solve
    uint8_t flags;    // enum contact_flag
    double gap;       // at q_m
    vec3 normal;
    vec3 point; // at q_m, world axes
};

struct contact_memory {
    int32_t a;
    uint32_t feature;
    vec3 point; // where it was, to find it again should its feature change
    vec3 impulse;
};

_Static_assert(sizeof(struct contact) == 72, "a million grains must fit in 2 GB");
_Static_assert(sizeof(struct contact_memory) == 56, "a million grains must fit in 2 GB");

struct contacts {
    size_t count, capacity;
    struct contact *list;
    // Beside the list: the impulse on c in N s, world axes. The impulses of the points of joints
    // follow, each in the frame of its joint.
    vec3 *impulse;
    size_t impulse_capacity;
    // The law asks for u_n + bias >= 0 (engine/contact/gap.h). Where some law has a tangential
    // restitution, `before` is the velocity of c against a before the step; else NULL.
    double *bias;
    vec3 *before;
    size_t bias_capacity, before_capacity;
    struct joint_points joints;

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

static inline bool contacts_carries(const struct contacts *contacts, size_t k) {
    vec3 p = contacts->impulse[k];
    return p.x != 0 || p.y != 0 || p.z != 0;
}

static inline size_t contacts_index(const struct contacts *contacts,
                                    const struct contact *contact) {
    return (size_t)(contact - contacts->list);
}

// Returns the status by the local law: what a user sees in ParaView.
enum contact_status contacts_status(const struct contacts *contacts, size_t k, double mu);

struct gabion_world;

// Makes room for `count` contacts and the joints of the world; impulses start at zero.
void contacts_size(struct gabion_world *world, size_t count);
void contacts_free(struct contacts *contacts);

// Warm start: takes the impulses of the last step over into the list.
void contacts_match(struct gabion_world *world);
// Moves the impulses of the list into the cones of the present normals.
void contacts_admit(struct gabion_world *world);
// Finds the status of every contact from its impulse.
void contacts_judge(struct gabion_world *world);
// Keeps the impulses of the list for the next step.
void contacts_remember(struct gabion_world *world);
// Follows a new order of the bodies in memory: new_index[old] is the new place of a body, -1 where
// it left the run. There were `old_moving` moving bodies.
void contacts_reorder(struct gabion_world *world, const int32_t *new_index, int32_t old_moving);

// Returns where the contact is after the step: its point is that of q_m, half a step behind the
// bodies.
vec3 contacts_position(const struct gabion_world *world, const struct contact *contact);

#endif
