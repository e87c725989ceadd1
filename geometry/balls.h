// Mass properties of several balls of density 1, about the origin.
#ifndef GEOMETRY_BALLS_H
#define GEOMETRY_BALLS_H

#include <stdint.h>

#include "geometry/solid.h"

// One by one: where they overlap they count twice.
struct solid balls_sum(const vec3 *centre, const double *radius, int32_t count);

// The solid that they make together, by integrals over its surface. The relative error is below
// 1e-8, and 1e-12 for bars (tests/unit/test_clump.c has closed forms).
struct solid balls_union(const vec3 *centre, const double *radius, int32_t count);

#endif
