// The ways of two bodies within a step, with the velocities that its solve found, and where on them
// the bodies get inside each other.
//
// A way leads from the midpoint q_m, at tau = 0, to the next one q_m + h v+, at tau = 1. The first
// moment at which two bodies are inside each other is found by conservative advancement (B.
// Mirtich, "Impulse-based dynamic simulation", 1996): along the axis n between two bodies nothing
// comes nearer than n.(v_a - v_c) + |w_c x n| R_c + |w_a x n| R_a lets it.
#ifndef ENGINE_CONTACT_WAY_H
#define ENGINE_CONTACT_WAY_H

#include "engine/contact/pair.h"
#include "engine/motion/midpoint.h"

// Shares of the smaller body's size. Bodies that get no deeper than WAY_TOLERANCE into each other,
// or no deeper than they are at q_m by WAY_DEEPENING, are left to the contacts of the next step.
// Contacts are taken where the bodies are at most WAY_SHALLOW inside: the axis of least overlap is
// then still the one along which they met.
#define WAY_TOLERANCE 2e-4
#define WAY_DEEPENING 1e-6
#define WAY_SHALLOW   0.02

// The way of a body.
struct way {
    struct pose start;
    vec3 shift, turn; // h v+ and h w+
    vec3 swing;       // the part of the turn that brings the surface anywhere else
    double lever;     // how far from the centre the surface is, at most
};

struct way way_of(const struct gabion_world *world, int32_t i, struct body_velocity u);

// Returns how far a place of the body comes on the whole way, to first order.
static inline vec3 way_moved(const struct way *way, vec3 arm) {
    return vec3_add(way->shift, vec3_cross(way->turn, arm));
}

// Two bodies on their ways.
struct course {
    const struct gabion_world *world;
    int32_t c, a;
    struct way way_c, way_a;
    double size;    // of the smaller body
    double travel;  // of any two points relative to each other, at most
    double initial; // overlap at q_m, or zero
    double allowed; // overlap that does not count
    struct contact_list *scratch;
};

// Fills in size, travel and allowed of a course. Returns false where the bodies cannot get inside
// each other by more than that: a wall or heap at rest ends here.
bool course_open(struct course *course);

// Returns the pair at the moment tau, and its deepest overlap there; negative: the bodies are
// apart.
struct pair course_pair(const struct course *course, double tau);
double course_depth(const struct course *course, double tau);

// Two bodies get inside each other: shortly after `early`, and at `late` by `depth`.
struct meeting {
    double early, late, depth;
};

// Finds the first meeting of the way. Returns false where there is none.
bool course_meeting(struct course *course, struct meeting *meeting);

// Return the moment of the first touch, where the bodies still approach each other, and the last
// one before they are too far inside: the law of a contact speaks of the end of the way, and the
// later the contact is taken the better it knows it.
double course_first_moment(const struct course *course, const struct meeting *meeting);
double course_last_moment(const struct course *course, const struct meeting *meeting);

#endif
