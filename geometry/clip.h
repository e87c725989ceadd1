// Computes the polygon that two faces share, by cutting one face with the sides of the other.
#ifndef GEOMETRY_CLIP_H
#define GEOMETRY_CLIP_H

#include "geometry/manifold.h"
#include "geometry/separation.h"

struct patch_corner {
    vec3 p;              // on the incident face, in the frame of the pair
    uint16_t feature[2]; // halves for body 0 and body 1
    uint16_t side_body;  // body and edge that the side from here to the next corner lies on
    int32_t side;
};

struct patch {
    int count;
    double area;
    double width; // 2 area / perimeter: the width of a slender patch
    struct patch_corner corner[MANIFOLD_MAX];
};

// Cuts face `incident` of the other body (the incident face) with the sides of face `face` of body
// `body` (the reference face). The patch has fewer than three corners when they share no area.
void patch_clip(const struct pair *pair, int body, int32_t face, int32_t incident,
                struct patch *patch);

// Gives a corner of a patch its feature. A crossing at the end of an edge is named as that corner;
// a corner that lies on an edge is named as the corner alone, because rounding decides on which
// side of the edge it is.
void patch_name_crossing(const struct pair *pair, vec3 normal, struct patch_corner *corner);

#endif
