// The ring that arches and vaults are cut from, and the abutments that it rests on.
#ifndef CASES_RING_H
#define CASES_RING_H

#include "cases/mason.h"

struct ring {
    const char *name; // NULL: no abutments
    vec3 origin;      // centre of the circle, middle of the depth
    double radius;    // of the centre line
    double thickness; // radial
    double depth;     // along y
    double angle;     // between the springings, rad
};

// Returns the rotation about y that moves the crown by `angle` to the right.
quat ring_turn(double angle);

// Adds both abutments, fixed blocks in the groups "<name>.left" and "<name>.right".
bool ring_abutments(struct mason *mason, const struct ring *ring, struct gabion_error *error);

#endif
