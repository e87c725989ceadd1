// Impulses (n, s, t) brought back into Coulomb's cone along the tangents.
#ifndef ENGINE_SOLVERS_LOCAL_CONE_H
#define ENGINE_SOLVERS_LOCAL_CONE_H

#include "geometry/vec.h"

static inline double cone_tangential(vec3 r) { return sqrt(r.y * r.y + r.z * r.z); }

// The nearest with |r_t| <= limit; that may be infinite.
static inline vec3 cone_clip(vec3 r, double limit) {
    double length = cone_tangential(r), shrink = length > limit ? limit / length : 1;
    return vec3_make(r.x, shrink * r.y, shrink * r.z);
}

// The same with limit = mu r_n, r_n >= 0. Infinite friction knows no limit even where r_n is zero:
// a contact that sticks without being pressed is what large mu tend to.
static inline vec3 cone_clamp(vec3 r, double mu) {
    r.x = fmax(r.x, 0);
    return cone_clip(r, mu * r.x);
}

#endif
