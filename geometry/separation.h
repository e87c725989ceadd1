// Separating axis test: finds the axis along which two convex polyhedra are furthest apart.
//
// The separation along a unit axis is the distance between the projections of the two bodies onto
// it, negative when these overlap. Its maximum over all axes is the distance between the bodies, or
// minus the penetration depth, and is attained at a face normal or at the cross product of two
// edges.
#ifndef GEOMETRY_SEPARATION_H
#define GEOMETRY_SEPARATION_H

#include "geometry/polyhedron.h"

// Lengths that differ by less than this share of the thinner body's thickness are equal: well above
// rounding (1e-13 of a slab a thousand times larger, or a kilometre from the origin), well below
// any gap that matters. It only breaks ties; no point is moved by it.
#define PAIR_SLOP 1e-7

// Axes that can be barred from one pair.
#define PAIR_BARS 6

// Two bodies in the frame of body[0], which is the smaller one: neither a large partner nor a
// distant origin then costs it digits.
struct pair {
    const struct polyhedron *body[2];
    mat3 turn;   // axes of body[1] in the frame of body[0]
    vec3 shift;  // centre of body[1]
    double slop; // PAIR_SLOP as a length
    // Axes, from body 0 to body 1, along which the bodies cannot touch because a part of a compound
    // that is glued to one of them is in the way. They may separate the bodies but are never best.
    int bars;
    vec3 bar[PAIR_BARS];
};

// Face `face` of body `body`, and the distance of the other body from its plane.
struct face_axis {
    int body, face;
    double separation;
};

// How many faces are kept whose separation is within the slop of the best one. More of them tie
// only when one body is deep inside the other; the first ones found then serve as well as any.
#define SEPARATION_TIES 8

struct separation {
    double best;                 // largest separation of any face
    struct face_axis best_of[2]; // best face of body 0 and of body 1
    int count;
    struct face_axis tie[SEPARATION_TIES]; // faces of body 1 first

    // The two edges whose axis separates more than every face, by more than the slop. edge[0] is
    // negative when there are none.
    int32_t edge[2];
    double edge_separation;
    vec3 edge_axis; // unit, from body 0 to body 1
};

static inline vec3 pair_direction(const struct pair *pair, int body, vec3 a) {
    return body ? mat3_apply(pair->turn, a) : a;
}

static inline vec3 pair_corner(const struct pair *pair, int body, int32_t corner) {
    vec3 p = pair->body[body]->corner[corner];
    return body ? vec3_add(pair->shift, mat3_apply(pair->turn, p)) : p;
}

static inline vec3 pair_normal(const struct pair *pair, int body, int32_t face) {
    return pair_direction(pair, body, pair->body[body]->normal[face]);
}

// Returns the smallest value of axis.p over the corners p of the body.
double pair_support(const struct pair *pair, int body, vec3 axis);

// Finds the best axes. Returns false as soon as one separates the bodies by more than `reach`.
bool separation_search(const struct pair *pair, double reach, struct separation *separation);

#endif
