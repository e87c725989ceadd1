// Compounds: rigid bodies made of convex polyhedra, the parts, which may share faces or overlap.
//
// A user describes a compound in any frame, the drawing frame. It is stored in its own frame:
// origin at the centre of mass, axes along the principal axes of inertia. `centre` and `axes` give
// the own frame in the drawing frame, as for a polyhedron. Mass is that of the parts one by one: a
// region that belongs to several parts counts once for each of them.
#ifndef GEOMETRY_COMPOUND_H
#define GEOMETRY_COMPOUND_H

#include "geometry/polyhedron.h"

#define COMPOUND_PARTS_MAX 4096

// A part as it is given: a polyhedron whose drawing frame has this position and these axes.
struct compound_source {
    int32_t polyhedron; // number that the owner of the polyhedra knows it by; only kept
    const struct polyhedron *shape;
    vec3 position;
    quat orientation;
    double density; // relative to that of the body
};

// A part as it is kept: the own frame of the polyhedron in that of the compound.
struct compound_part {
    int32_t polyhedron;
    const struct polyhedron *shape;
    vec3 x;
    quat q;
    double density;
    // What follows is derived.
    mat3 axes;
    vec3 low, high;                // bounding box in the axes of the compound
    int32_t first_corner;          // numbers of its corners and edges among those of all parts
    int32_t first_edge;            //
    int32_t neighbour, neighbours; // parts whose boxes it touches: place in compound.neighbour
};

struct compound {
    int32_t count;
    struct compound_part *part;
    int32_t *neighbour;
    int32_t corner_count, edge_count; // of all parts

    // The convex hull of all parts: against a plane or inside a convex room the body behaves as it.
    struct polyhedron *hull;
    mat3 hull_axes;    // of its own frame; hull->centre is the place of that frame
    vec3 *hull_corner; // in own axes

    double volume;    // of the parts one by one
    double mass;      // at density 1: volumes times relative densities
    vec3 inertia;     // principal moments at density 1
    vec3 centre;      // centre of mass in the drawing frame
    quat axes;        // own axes in the drawing frame
    double radius;    // of the bounding sphere about the centre of mass
    double thickness; // of the thinnest part
    double glue;      // parts this near to each other touch
};

// Builds a compound. Returns one for compound_free, or NULL with an error that names the part,
// counted from 1. The polyhedra must outlive it.
struct compound *compound_create(const struct compound_source *part, int64_t count,
                                 struct gabion_error *error);

// Restores a compound that a checkpoint holds in its own frame (polyhedron, shape, x, q and density
// of each part). Copies the given values bit by bit and computes the rest as compound_create does.
struct compound *compound_restore(const struct compound_part *part, int64_t count, vec3 centre,
                                  quat axes, struct gabion_error *error);

void compound_free(struct compound *compound);

// A compound with its position in the world.
struct placed_compound {
    const struct compound *shape;
    vec3 x;
    mat3 axes;
};

// Returns whether a point on the surface of a part is no place where the compound can touch
// something along `outward`: another part holds the point and stands out beyond the plane through
// it. Faces and edges between glued parts are such places, and the edge where two parts have one
// flat face together, for all directions but that of the face.
bool compound_buries(const struct placed_compound *compound, int32_t part, vec3 point,
                     vec3 outward);

#endif
