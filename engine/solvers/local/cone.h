// Brings an impulse (n, s, t) back into Coulomb's cone by shortening its tangential part.
#ifndef ENGINE_SOLVERS_LOCAL_CONE_H
#define ENGINE_SOLVERS_LOCAL_CONE_H

#include "engine/problem/contact_problem.h"

static inline double cone_tangential(vec3 r) { return sqrt(r.y * r.y + r.z * r.z); }

// Shortens the tangential part to at most `limit`, which may be infinite.
static inline vec3 cone_clip(vec3 r, double limit) {
    double length = cone_tangential(r), shrink = length > limit ? limit / length : 1;
    return vec3_make(r.x, shrink * r.y, shrink * r.z);
}

// Makes r_n >= 0 and |r_t| <= mu r_n.
static inline vec3 cone_clamp(vec3 r, double mu) {
    r.x = fmax(r.x, 0);
    return cone_clip(r, r.x > 0 ? mu * r.x : 0); // mu may be infinite
}

// Returns r inside its friction cone; for a point of a joint, only the directions that it holds.
static inline vec3 cone_admit(const struct contact_problem *problem, int32_t contact, vec3 r) {
    uint8_t held = contact_held(problem, contact);
    return held ? hold_keep(held, r) : cone_clamp(r, problem->mu[contact]);
}

#endif
