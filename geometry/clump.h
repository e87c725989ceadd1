// Clumps: rigid bodies made of spheres that may overlap, of any sizes.
//
// A user describes a clump in any frame, the drawing frame. It is stored in its own frame: origin
// at the centre of mass, axes along the principal axes of inertia. `centre` and `axes` give the own
// frame in the drawing frame, as for a polyhedron.
#ifndef GEOMETRY_CLUMP_H
#define GEOMETRY_CLUMP_H

#include <stdint.h>

#include "geometry/vec.h"
#include "parallel/error.h"

#define CLUMP_SPHERES_MAX 32767 // a sphere's number is half of a contact's feature: 15 bits

// How overlapping spheres count in the mass.
enum clump_mass {
    CLUMP_SUM,  // the spheres one by one: an overlap counts once for each of them
    CLUMP_UNION // the solid that they form together: an overlap counts once
};

struct clump {
    int32_t count;
    vec3 *sphere; // centres
    double *sphere_radius;

    double volume;
    vec3 inertia;    // principal moments at density 1
    vec3 centre;     // centre of mass in the drawing frame
    quat axes;       // own axes in the drawing frame
    double radius;   // of the bounding sphere about the centre of mass
    double smallest; // radius of the smallest sphere
};

// Builders. Each returns a clump for clump_free, or NULL with an error. Lengths are in metres, in
// the drawing frame.
struct clump *clump_create(const vec3 *sphere, const double *radius, int64_t count,
                           enum clump_mass mass, struct gabion_error *error);

// Builds a row of equal spheres along x, centres `spacing` apart, the middle at the origin.
struct clump *clump_bar(int64_t count, double radius, double spacing, enum clump_mass mass,
                        struct gabion_error *error);

// Builds a ring of equal spheres: centres on a circle of radius `ring` about z, the first on x.
struct clump *clump_torus(int64_t count, double radius, double ring, enum clump_mass mass,
                          struct gabion_error *error);

// Restores a clump that a checkpoint holds in its own frame. Copies every value bit by bit.
struct clump *clump_restore(const vec3 *sphere, const double *radius, int32_t count, double volume,
                            vec3 inertia, vec3 centre, quat axes, struct gabion_error *error);

void clump_free(struct clump *clump);

#endif
