// Convex polyhedra: corners, faces, edges and exact mass properties.
//
// A user describes a polyhedron in any frame, the drawing frame. It is stored in its own frame:
// origin at the centre of mass, axes along the principal axes of inertia. `centre` and `axes` give
// the own frame in the drawing frame: a point p of the drawing frame is axes^-1 (p - centre) in the
// own frame. A shape whose drawing axes are already principal, such as a box, keeps them exactly.
#ifndef GEOMETRY_POLYHEDRON_H
#define GEOMETRY_POLYHEDRON_H

#include <stdint.h>

#include "geometry/vec.h"
#include "parallel/error.h"

// The number of a corner or an edge is half of a contact's feature: 15 bits and a flag.
#define POLYHEDRON_CORNERS_MAX 32767 // corners, and edges
#define POLYHEDRON_FACE_MAX    64    // corners of one face

struct polyhedron_edge {
    int32_t tail, head;  // corners, tail < head
    int32_t left, right; // faces; seen from outside, the left one passes the edge from tail to head
};

struct polyhedron {
    int32_t corner_count, face_count, edge_count;
    vec3 *corner;
    // Face f is the plane normal.x = offset with the corners face_corner[face_start[f]] ... up to
    // face_start[f + 1], counter-clockwise seen from outside. face_edge[k] is the edge from
    // face_corner[k] to the next corner of its face.
    int32_t *face_start, *face_corner, *face_edge;
    vec3 *normal;
    double *offset;
    struct polyhedron_edge *edge;

    double volume;
    vec3 inertia;     // principal moments at density 1
    vec3 centre;      // centre of mass in the drawing frame
    quat axes;        // own axes in the drawing frame
    double radius;    // of the bounding sphere about the centre of mass
    double thickness; // smallest distance between a face and the corner furthest from it
    vec3 low, high;   // bounding box in own axes
};

// Builders. Each returns a polyhedron for polyhedron_free, or NULL with an error. Lengths are in
// metres, in the drawing frame.

// Builds the box from (-x, -y, -z) to (x, y, z), where (x, y, z) is `half`.
struct polyhedron *polyhedron_box(vec3 half, struct gabion_error *error);

// Builds a prism from z = low to z = high over a convex polygon, whose corners (x, y) are given
// clockwise or counter-clockwise.
struct polyhedron *polyhedron_prism(const double (*polygon)[2], int count, double low, double high,
                                    struct gabion_error *error);

// Builds the convex hull of points; coplanar triangles are merged into faces.
struct polyhedron *polyhedron_hull(const vec3 *point, int64_t count, struct gabion_error *error);

// Builds a polyhedron from a closed surface of polygons: face f has the corners corner[start[f]]
// ... corner[start[f + 1] - 1], all faces counter-clockwise seen from outside, or all clockwise.
// Equal points may appear several times, as they do in STL files. Errors name the face or edge that
// is open, not flat or not convex, counted from 1.
struct polyhedron *polyhedron_surface(const vec3 *point, int64_t points, const int64_t *start,
                                      const int64_t *corner, int64_t faces,
                                      struct gabion_error *error);

// Restores a polyhedron that a checkpoint holds in its own frame. Copies the given values bit by
// bit and computes edges, planes, mass and box from them. Returns NULL when it is not a convex
// body.
struct polyhedron *polyhedron_restore(const vec3 *corner, int32_t corners,
                                      const int32_t *face_start, const int32_t *face_corner,
                                      int32_t faces, vec3 centre, quat axes,
                                      struct gabion_error *error);

void polyhedron_free(struct polyhedron *polyhedron);

#endif
