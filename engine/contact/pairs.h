// The table of pairs of shapes: how bodies of two shapes touch.
#ifndef ENGINE_CONTACT_PAIRS_H
#define ENGINE_CONTACT_PAIRS_H

#include "engine/contact/pair.h"

// Which body of a pair is the first one.
enum pair_order { PAIR_CANDIDATE, PAIR_ANTAGONIST, PAIR_LOWER_ID };

struct pair_kind {
    // Appends the contacts that are closer than `reach`, without impulse, those of one normal
    // together. Features do not depend on which body is the candidate.
    void (*find)(const struct pair *, double reach, struct contact_list *out);
    // Appends what tells how far apart the bodies are: no two points of them are closer than the
    // smallest gap. NULL: `find` does that. The points of two polyhedra do not: bodies that pass
    // each other corner by corner have none.
    void (*nearest)(const struct pair *, double reach, struct contact_list *out);
    // Returns the gap of a contact where the bodies are now; NULL: the two points that met at q_m
    // have moved with their bodies.
    double (*gap)(const struct pair *, const struct contact *);
    enum pair_order order;
    bool direct;     // a ball and a ball or half-space (engine/contact/pair.h): the above are NULL
    bool one_normal; // all contacts of the pair have the same normal
    bool boxes;      // a block takes part: boxes are compared first
};

// By the shapes of candidate and antagonist. Candidates move, so they are not walls.
extern const struct pair_kind pair_kinds[GABION_SHAPE_COUNT][GABION_SHAPE_COUNT];

static inline const struct pair_kind *pairs_kind(const struct bodies *bodies, int32_t c,
                                                 int32_t a) {
    return &pair_kinds[bodies->shape[c]][bodies->shape[a]];
}

// Returns the pair with its bodies at the given places. It must not be direct.
struct pair pairs_place(const struct gabion_world *world, int32_t c, int32_t a, struct pose at_c,
                        struct pose at_a);

// Append the contacts, and what tells the distance, of such a pair.
void pairs_find_there(const struct pair *pair, double reach, struct contact_list *out);
void pairs_nearest_there(const struct pair *pair, double reach, struct contact_list *out);

// Appends the contacts at q_m of a pair that is not direct.
void pairs_find(const struct gabion_world *world, int32_t c, int32_t a, double reach,
                struct contact_list *out);

// Returns the gap of any contact, and of a direct pair the normal, as the bodies now stand. Blocks
// are not clipped again: the points of both bodies that met at q_m have moved with them.
double pairs_gap(const struct gabion_world *world, const struct contact *contact, vec3 *normal);

// Returns the radius of the ball that body i of a contact touches with; 0: with none.
double pairs_ball_radius(const struct bodies *bodies, const struct contact *contact, int32_t i);

#endif
