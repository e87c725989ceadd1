// Mass properties of a set of balls of density 1, about the origin.
#ifndef GEOMETRY_BALLS_H
#define GEOMETRY_BALLS_H

#include <stdint.h>

#include "geometry/solid.h"

// Sums the balls one by one; where they overlap, the mass counts once for each of them.
struct solid balls_sum(const vec3 *centre, const double *radius, int32_t count);

// Integrates over the union of the balls, in which overlaps count once, by integrals over its
// surface. The relative error is below 1e-8, and below 1e-12 for bars; tests/unit/test_clump.c
// compares with closed forms.
struct solid balls_union(const vec3 *centre, const double *radius, int32_t count);

#endif
