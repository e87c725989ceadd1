// Two bodies that may touch, and contacts as they are found.
//
// How two bodies touch depends on their shapes: engine/contact/pairs.h has the table.
#ifndef ENGINE_CONTACT_PAIR_H
#define ENGINE_CONTACT_PAIR_H

#include "engine/contact/contacts.h"
#include "engine/world/world.h"

// Where a body is: at q_m, now, or on its way from one midpoint to the next.
struct pose {
    vec3 x;
    mat3 axes;
};

// A pair as its functions see it: the first body is the same one whatever the order in memory, so
// that a contact keeps its feature when bodies are sorted anew.
struct pair {
    const struct gabion_world *world;
    int32_t first, second;
    bool swapped;           // the first one is the antagonist
    struct pose at, beside; // where the first and the second body are
    bool loose; // parts of compounds count as if they were not glued: bodies that are put
                // into each other have their nearest faces anywhere
};

// Returns a contact of the pair without place, gap and impulse. The normal is given from the second
// body to the first.
static inline struct contact pair_blank(const struct pair *pair, vec3 normal) {
    int32_t c = pair->swapped ? pair->second : pair->first;
    int32_t a = pair->swapped ? pair->first : pair->second;
    return (struct contact){
        .c = c,
        .a = a,
        .law = world_law(pair->world, c, a),
        .normal = pair->swapped ? vec3_negate(normal) : normal,
    };
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

// A ball c and a ball or half-space a have one contact, always. Most pairs of a run are such, so
// they have a way of their own through detection.

// Returns the gap of two spheres at the given positions.
static inline double pair_sphere_gap(const struct bodies *bodies, const vec3 *x, int32_t c,
                                     int32_t a) {
    return vec3_length(vec3_sub(x[c], x[a])) - (bodies->radius[c] + bodies->radius[a]);
}

// Returns the gap between a sphere and a plane through x.
static inline double pair_plane_gap(vec3 centre, double radius, vec3 x, vec3 normal) {
    return vec3_dot(vec3_sub(centre, x), normal) - radius;
}

// Returns the gap at the given positions, and the normal from a to c. `axes` are those of a, NULL
// where no half-space turns.
double pair_gap(const struct bodies *bodies, const vec3 *x, const mat3 *axes, int32_t c, int32_t a,
                vec3 *normal);

// Returns the contact at q_m, without impulse.
struct contact pair_contact(const struct gabion_world *world, int32_t c, int32_t a);

#endif
