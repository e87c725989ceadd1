// Two convex polyhedra in one frame, and the axis that separates them best.
//
// Separation along a unit axis is the distance between the two shadows on it, negative when they
// overlap. Its maximum over all axes is the distance of the bodies, or minus the shortest way out,
// and is found among the face normals and the cross products of two edges.
#ifndef GEOMETRY_SEPARATION_H
#define GEOMETRY_SEPARATION_H

#include "geometry/polyhedron.h"

// Lengths that differ by less than this share of the thinner body's thickness are equal: well above
// rounding (1e-13 of a slab a thousand times larger, or a kilometre from the origin), well below
// any gap that matters. It decides ties, it never moves a point.
#define PAIR_SLOP 1e-7

// Everything is in the frame of body[0], the smaller one: a large partner or a far origin must not
// eat the digits of the small one.
struct pair {
    const struct polyhedron *body[2];
    mat3 turn;  // axes of body[1] in the frame of body[0]
    vec3 shift; // its centre
    double slop;
};

// The face `face` of body `body`, and how far the other body stays beyond its plane.
struct face_axis {
    int body, face;
    double separation;
};

// Faces whose separation is within the slop of the best one's. More than a few tie only when bodies
// sit deep inside each other; the first ones found are then as good as any.
#define SEPARATION_TIES 8

struct separation {
    double best;                 // of all faces
    struct face_axis best_of[2]; // of either body
    int count;
    struct face_axis tie[SEPARATION_TIES]; // faces of body 1 first

    // The two edges whose axis beats every face by more than the slop; edge[0] < 0: there are none.
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

// Lowest value of axis.p over the corners p of the body.
double pair_support(const struct pair *pair, int body, vec3 axis);

// False when an axis was found that separates the bodies by more than reach.
bool separation_search(const struct pair *pair, double reach, struct separation *separation);

#endif
