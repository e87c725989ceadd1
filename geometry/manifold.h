// Contact manifolds of convex polyhedra: where two bodies touch, or would within `reach`.
//
// Two faces meet in the polygon that they share, with its true corners: clipping keeps them all,
// nothing is rounded and nothing perturbed. A point lies halfway between the two surfaces. Its
// feature names what makes it (a corner of one body in the other's face, two edges that cross):
// the same number whichever body is the reference, so that impulses find their contact again.
#ifndef GEOMETRY_MANIFOLD_H
#define GEOMETRY_MANIFOLD_H

#include "geometry/polyhedron.h"

#define MANIFOLD_MAX (2 * POLYHEDRON_FACE_MAX)

struct manifold_point {
    vec3 position;    // world
    double gap;       // negative: overlap
    uint32_t feature; // MANIFOLD_FEATURE of what takes part of either body
};

struct manifold {
    vec3 normal; // unit, from b to a, the same for all points
    int count;
    struct manifold_point point[MANIFOLD_MAX];
};

// Upper half: body a's corner, edge or face; lower half: body b's. Two flags tell the kinds apart.
#define MANIFOLD_FEATURE(a, b) ((uint32_t)(a) << 16 | (uint32_t)(b))

static inline uint32_t manifold_swap_feature(uint32_t feature) {
    return feature << 16 | feature >> 16;
}

// A polyhedron somewhere in the world.
struct placed {
    const struct polyhedron *shape;
    vec3 x;    // centre of mass
    mat3 axes; // body to world
};

// Each fills `manifold` with the points whose gap is at most `reach`; count 0: none.
// manifold(a, b) and manifold(b, a) hold the same points with opposite normals and swapped
// features; ties between the two are broken by comparing the bodies themselves, not their order.
void manifold_polyhedra(const struct placed *a, const struct placed *b, double reach,
                        struct manifold *manifold);
void manifold_sphere(const struct placed *a, vec3 centre, double radius, double reach,
                     struct manifold *manifold); // b is the sphere
void manifold_half_space(const struct placed *a, vec3 point, vec3 normal, double reach,
                         struct manifold *manifold); // b is the solid below the plane

#endif
