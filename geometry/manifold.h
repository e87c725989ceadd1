// Contact manifolds of convex polyhedra: the points where two bodies touch or are within `reach`.
//
// Two faces meet in the polygon that they share. Its exact corners are the contact points: clipping
// keeps all of them and moves none. A point lies halfway between the two surfaces. Its feature says
// what forms it (a corner of one body on a face of the other, or two crossing edges). The feature
// does not depend on which body is the reference, so that impulses of the last step find their
// contact again.
#ifndef GEOMETRY_MANIFOLD_H
#define GEOMETRY_MANIFOLD_H

#include "geometry/compound.h"

#define MANIFOLD_MAX (2 * POLYHEDRON_FACE_MAX)

struct manifold_point {
    vec3 position;    // world
    double gap;       // negative: overlap
    uint32_t feature; // MANIFOLD_FEATURE
};

struct manifold {
    vec3 normal; // unit, from b to a, shared by all points
    int count;
    struct manifold_point point[MANIFOLD_MAX];
};

// Values of one half of a contact's feature. A corner is named by its number, an edge by its number
// with FEATURE_EDGE added. All points inside faces have the same name FEATURE_FACE, so that a
// corner keeps its name when it slides from one face to the next.
#define FEATURE_EDGE 0x8000u
#define FEATURE_FACE 0x7fffu

// The upper half names the corner, edge or face of body a, the lower half that of body b.
#define MANIFOLD_FEATURE(a, b) ((uint32_t)(a) << 16 | (uint32_t)(b))

static inline uint32_t manifold_swap_feature(uint32_t feature) {
    return feature << 16 | feature >> 16;
}

// A polyhedron with its position in the world. It may be a part of a compound: then it has no
// contacts where other parts of the compound bury it (compound_buries).
struct placed {
    const struct polyhedron *shape;
    vec3 x;                              // centre of mass
    mat3 axes;                           // body to world
    const struct placed_compound *whole; // NULL: a body by itself
    int32_t part;                        // of the whole
};

static inline struct placed placed_alone(const struct polyhedron *shape, vec3 x, mat3 axes) {
    return (struct placed){.shape = shape, .x = x, .axes = axes};
}

// Each function fills `manifold` with the points whose gap is at most `reach`; count is 0 when
// there are none. Swapping a and b gives the same points with opposite normals and swapped
// features: ties are broken by comparing the bodies themselves, never by their order.
void manifold_polyhedra(const struct placed *a, const struct placed *b, double reach,
                        struct manifold *manifold);
// Fills in a single point instead: that along the axis on which the bodies are furthest apart. Its
// gap bounds the distance from below, and no patch needs to exist.
void manifold_nearest(const struct placed *a, const struct placed *b, double reach,
                      struct manifold *manifold);
void manifold_sphere(const struct placed *a, vec3 centre, double radius, double reach,
                     struct manifold *manifold); // b is the sphere
void manifold_half_space(const struct placed *a, vec3 point, vec3 normal, double reach,
                         struct manifold *manifold); // b is the solid below the plane

#endif
