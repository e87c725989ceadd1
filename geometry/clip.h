// The polygon that two faces share: one face cut by the sides of the other.
#ifndef GEOMETRY_CLIP_H
#define GEOMETRY_CLIP_H

#include "geometry/manifold.h"
#include "geometry/separation.h"

// Halves of a contact's feature: a corner is its own number, an edge has this flag; anything inside
// a face is one and the same, so that a corner keeps its name when it slides from face to face.
#define FEATURE_EDGE 0x8000u
#define FEATURE_FACE 0x7fffu

struct patch_corner {
    vec3 p;              // on the incident face, frame of the pair
    uint16_t feature[2]; // of body 0 and 1
    uint16_t side_body;  // whose edge the side from here to the next corner lies on
    int32_t side;
};

struct patch {
    int count;
    double area, width; // width of the rectangle with the same area and perimeter, if slender
    struct patch_corner corner[MANIFOLD_MAX];
};

// Reference face `face` of body `body`, incident face `incident` of the other body. The patch has
// fewer than three corners when the faces share no area.
void patch_clip(const struct pair *pair, int body, int32_t face, int32_t incident,
                struct patch *patch);

// Names a crossing or a corner by what it really is: a crossing at the end of an edge is a corner,
// and of a corner on an edge only the corner counts, because rounding decides which side it is on.
void patch_name_crossing(const struct pair *pair, vec3 normal, struct patch_corner *corner);

#endif
