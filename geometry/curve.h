// Keys along a space-filling curve: sorted by them, bodies that are near in space are near in
// memory.
#ifndef GEOMETRY_CURVE_H
#define GEOMETRY_CURVE_H

#include <stdint.h>

#include "geometry/vec.h"

#define CURVE_BITS 20 // per axis

// Moves bit k of a to bit 3k.
static inline uint64_t curve_spread(uint64_t a) {
    a &= 0x1fffff;
    a = (a | a << 32) & 0x1f00000000ffffu;
    a = (a | a << 16) & 0x1f0000ff0000ffu;
    a = (a | a << 8) & 0x100f00f00f00f00fu;
    a = (a | a << 4) & 0x10c30c30c30c30c3u;
    a = (a | a << 2) & 0x1249249249249249u;
    return a;
}

// Returns the place on one axis. Lengths that are extreme make products that no integer holds;
// these are 0 or the last place.
static inline uint64_t curve_place(double offset, double scale) {
    double place = offset * scale;
    return !(place > 0) ? 0 : place < 1 << CURVE_BITS ? (uint64_t)place : (1 << CURVE_BITS) - 1;
}

// Returns the Morton key of x within the cube that starts at `low` and has the edge `size`.
static inline uint64_t curve_key(vec3 x, vec3 low, double size) {
    double scale = ((1 << CURVE_BITS) - 1) / size;
    return curve_spread(curve_place(x.x - low.x, scale)) |
           curve_spread(curve_place(x.y - low.y, scale)) << 1 |
           curve_spread(curve_place(x.z - low.z, scale)) << 2;
}

#endif
