// The list of contacts of a step, and what is kept of them from one step to the next.
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
#include "parallel/cuts.h"

struct islands;

enum contact_status { CONTACT_OPEN, CONTACT_STICK, CONTACT_SLIP };

// Bits of contact.flags.
enum contact_flag {
    CONTACT_ACTIVE = 1, // takes part in the solve of this step
    CONTACT_GENERAL =
        2, // its 3x3 block of W is not diagonal, or its law has a tangential restitution
    CONTACT_BALL_C = 4, // c touches with a sphere about its centre: its lever arm is exactly -n
    CONTACT_BALL_A = 8, // likewise a, whose lever arm is exactly n
    CONTACT_SURFACES =
        16, // lever arms end on the two surfaces, half a gap from the point, not at the point
    CONTACT_PUSHED = 32, // carried an impulse at the end of the last step
    CONTACT_LATE = 64    // met on the way of the bodies: lever arms are those of that moment
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
    vec3 point; // used to find the contact again if its feature changes
    vec3 impulse;
};

_Static_assert(sizeof(struct contact) == 72, "a million grains must fit in 2 GB");
_Static_assert(sizeof(struct contact_memory) == 56, "a million grains must fit in 2 GB");

struct contacts {
    size_t count, capacity;
    struct contact *list;
    // By contact of the list: the impulse on c in N s, world axes. The impulses of the points of
    // joints follow, each in the frame of its joint.
    vec3 *impulse;
    size_t impulse_capacity;
    // The law requires u_n + bias >= 0, with u_n the normal velocity (engine/contact/gap.h). Where
    // some law has a tangential restitution, `before` is the velocity of c relative to a before the
    // step; else NULL.
    double *bias;
    vec3 *before;
    size_t bias_capacity, before_capacity;
    // Used by late contacts (engine/contact/ahead.h): the two bodies are not at q_m where they
    // meet, so there the contact has one place on each, `point` in the middle between them and
    // `spread` from that on a to that on c. NULL: no contact is late.
    vec3 *spread;
    size_t spread_capacity;
    struct joint_points joints;
    bool lost;    // the list is not that of the last complete step: that one is gone
    bool arrived; // points are those at the end of the step: the list was read from a frame

    // What is kept from the last step: the memory of body c is [memory_start[c], memory_start[c +
    // 1]).
    size_t memory_count, memory_capacity;
    struct contact_memory *memory;
    uint32_t *memory_start; // moving + 1 entries
    size_t start_capacity;

    // Used by contact.gap stabilized (engine/contact/gap.h), by contact of the list and by contact
    // of the memory: the velocity of c relative to a before the last step, where they collided in
    // it; else zero. NULL: nothing is known.
    vec3 *collision, *memory_collision;
    size_t collision_capacity, memory_collision_capacity;

    // Where ranks share the contacts (engine/contact/shared.h). No result depends on it.
    struct cuts cuts;   // of the moving bodies
    bool shared;        // the list has the contacts of this rank's bodies alone,
    bool memory_shared; // and so has the memory
    int64_t *weight;    // contacts to solve of each part of the moving bodies, on all ranks
    size_t weights, weight_capacity;
    bool weighed;  // since the cuts were last looked at
    int64_t moves; // of the cuts, because the work was unequal
};

static inline bool contacts_carries(const struct contacts *contacts, size_t k) {
    vec3 p = contacts->impulse[k];
    return p.x != 0 || p.y != 0 || p.z != 0;
}

static inline size_t contacts_index(const struct contacts *contacts,
                                    const struct contact *contact) {
    return (size_t)(contact - contacts->list);
}

// Joins the bodies that impulses of contacts, or joints, connect.
void contacts_join(const struct contacts *contacts, struct islands *islands);

// Returns whether the contact is open, sticks or slips, as reported to users.
enum contact_status contacts_status(const struct contacts *contacts, size_t k, double mu);

struct gabion_world;

// Makes room for `count` contacts and the joints of the world.
void contacts_size(struct gabion_world *world, size_t count);
void contacts_free(struct contacts *contacts);
// Empties the list of a step whose bodies have another order now, or which failed. The memory
// stays.
void contacts_void_list(struct contacts *contacts);
void contacts_forget_late(struct contacts *contacts);

// A contact that is added to the list after the first solve, with its bias and, where it is late,
// its spread.
struct contact_addition {
    struct contact contact;
    vec3 spread;
    double bias;
};

// Adds contacts, given in canonical order, to the list. Each comes after those that its pair has.
void contacts_insert(struct gabion_world *world, const struct contact_addition *additions,
                     size_t count);

// Returns the index of the first contact of the pair, or of the place where it would be.
size_t contacts_first(const struct contacts *contacts, int32_t c, int32_t a);

// Copies the impulses of the last step into the list (warm start).
void contacts_match(struct gabion_world *world);
// Moves the impulses of the list into the cones of the present normals.
void contacts_admit(struct gabion_world *world);
// Finds the status of every contact from its impulse.
void contacts_judge(struct gabion_world *world);
// Keeps the impulses of the list for the next step.
void contacts_remember(struct gabion_world *world);
// Updates the memory after the bodies were sorted anew: new_index[old] is the new index of a body,
// -1 where it left the run. There were `old_moving` moving bodies before.
void contacts_reorder(struct gabion_world *world, const int32_t *new_index, int32_t old_moving);

// Returns the contact point at the end of the step. (contact.point is that at q_m.)
vec3 contacts_position(const struct gabion_world *world, const struct contact *contact);

#endif
