// Exact mass properties of a solid of density 1 bounded by flat faces.
#ifndef GEOMETRY_SOLID_H
#define GEOMETRY_SOLID_H

#include <stdint.h>

#include "geometry/vec.h"

struct solid {
    double volume;
    vec3 centre;  // of mass, from the reference point
    sym3 inertia; // about the reference point
};

// A reference point inside the solid keeps all terms of one sign: nothing cancels, wherever the
// solid is.
struct solid solid_integrate(const vec3 *point, const int32_t *start, const int32_t *corner,
                             int32_t faces, vec3 reference);

// The rotation from the principal axes to those of the tensor: of all choices of order and sense
// the smallest turn. Axes that are principal already are kept exactly.
quat solid_principal_axes(sym3 inertia);

#endif
