// Mass and moments of inertia of a sphere, about its centre.
#ifndef GEOMETRY_MASS_H
#define GEOMETRY_MASS_H

#include "geometry/vec.h"

static inline double sphere_mass(double radius, double density) {
    return 4.0 / 3.0 * 3.14159265358979323846 * radius * radius * radius * density;
}

static inline vec3 sphere_inertia(double radius, double mass) {
    double moment = 0.4 * mass * radius * radius;
    return vec3_make(moment, moment, moment);
}

#endif
