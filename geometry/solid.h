// Exact mass properties of a solid of density 1 bounded by flat faces.
#ifndef GEOMETRY_SOLID_H
#define GEOMETRY_SOLID_H

#include <stdint.h>

#include "geometry/vec.h"

struct solid {
    double volume;
    vec3 centre;  // centre of mass, from the reference point
    sym3 inertia; // about the reference point
};

// Integrates over the solid whose face f has the corners corner[start[f]] ... corner[start[f + 1] -
// 1], indices of `point`. With a reference point inside the solid all terms have one sign, so that
// nothing cancels, wherever the solid is.
struct solid solid_integrate(const vec3 *point, const int32_t *start, const int32_t *corner,
                             int32_t faces, vec3 reference);

// Returns the rotation from the principal axes to the axes of the tensor. Order and signs of the
// principal axes are chosen such that the rotation is smallest; axes that are already principal
// give exactly the identity.
quat solid_principal_axes(sym3 inertia);

#endif
