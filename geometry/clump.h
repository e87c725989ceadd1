// Clumps: rigid bodies made of spheres that may overlap, of any sizes.
//
// Like a polyhedron a clump is described in any frame (its drawing frame) and kept in its own:
// origin in the centre of mass, axes along the principal axes of inertia. `centre` and `axes` lead
// back.
#ifndef GEOMETRY_CLUMP_H
#define GEOMETRY_CLUMP_H

#include <stdint.h>

#include "geometry/vec.h"
#include "parallel/error.h"

#define CLUMP_SPHERES_MAX 32767 // a sphere is half of a contact's feature

// What the mass is spread over.
enum clump_mass {
    CLUMP_SUM,  // the spheres one by one: where they overlap it counts twice
    CLUMP_UNION // the solid that they make together
};

struct clump {
    int32_t count;
    vec3 *sphere; // centres
    double *sphere_radius;

    double volume;
    vec3 inertia;    // principal moments of the body of density 1
    vec3 centre;     // of mass, in the drawing frame
    quat axes;       // own axes in the drawing frame
    double radius;   // of the sphere about the centre of mass that holds all
    double smallest; // sphere
};

// Builders. NULL with an error that says what is wrong; lengths in metres, drawing frame.
struct clump *clump_create(const vec3 *sphere, const double *radius, int64_t count,
                           enum clump_mass mass, struct gabion_error *error);

// Equal spheres along x, their centres `spacing` apart, about the origin.
struct clump *clump_bar(int64_t count, double radius, double spacing, enum clump_mass mass,
                        struct gabion_error *error);

// Equal spheres with their centres on a circle of radius `ring` about z, the first one on x.
struct clump *clump_torus(int64_t count, double radius, double ring, enum clump_mass mass,
                          struct gabion_error *error);

// One already in its own frame, as a checkpoint holds it: taken over bit by bit.
struct clump *clump_restore(const vec3 *sphere, const double *radius, int32_t count, double volume,
                            vec3 inertia, vec3 centre, quat axes, struct gabion_error *error);

void clump_free(struct clump *clump);

#endif
