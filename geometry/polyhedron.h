// Convex polyhedra: corners, faces, edges and exact mass properties.
//
// A polyhedron is described in any frame (its drawing frame) and kept in its own: origin in the
// centre of mass, axes along the principal axes of inertia. `centre` and `axes` lead back: a corner
// p of the drawing frame is axes^-1 (p - centre) here. Shapes whose drawing axes are principal
// already (a box) keep them, exactly.
#ifndef GEOMETRY_POLYHEDRON_H
#define GEOMETRY_POLYHEDRON_H

#include <stdint.h>

#include "geometry/vec.h"
#include "parallel/error.h"

#define POLYHEDRON_CORNERS_MAX 32767 // corners, and edges: they are halves of a contact's feature
#define POLYHEDRON_FACE_MAX    64    // corners of one face

struct polyhedron_edge {
    int32_t tail, head;  // corners, tail < head
    int32_t left, right; // faces; seen from outside the left one runs from tail to head
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
    vec3 inertia;     // principal moments of the body of density 1
    vec3 centre;      // of mass, in the drawing frame
    quat axes;        // own axes in the drawing frame
    double radius;    // of the sphere about the centre of mass that holds all corners
    double thickness; // smallest width between a face and the corner furthest from it
    vec3 low, high;   // bounding box in own axes
};

// Builders. NULL with an error that says what is wrong; lengths in metres, drawing frame.

// Corners (-x, -y, -z) to (x, y, z).
struct polyhedron *polyhedron_box(vec3 half, struct gabion_error *error);

// The polygon (x, y)[k], convex and in either sense, from z = low to z = high.
struct polyhedron *polyhedron_prism(const double (*polygon)[2], int count, double low, double high,
                                    struct gabion_error *error);

// Convex hull of points; coplanar triangles are merged into faces.
struct polyhedron *polyhedron_hull(const vec3 *point, int64_t count, struct gabion_error *error);

// A closed surface of polygons, corners counter-clockwise seen from outside (or all of them
// clockwise, which is turned round): face f has corners corner[start[f]] ... corner[start[f+1]-1].
// Equal points may appear as several corners (as they do in STL files). Errors name the face or
// edge that is open, not flat or not convex, counting from 1.
struct polyhedron *polyhedron_surface(const vec3 *point, int64_t points, const int64_t *start,
                                      const int64_t *corner, int64_t faces,
                                      struct gabion_error *error);

// One already in its own frame, as a checkpoint holds it: the values are taken over bit by bit and
// what is derived (edges, planes, mass, box) is computed anew. NULL when it is not a convex body.
struct polyhedron *polyhedron_restore(const vec3 *corner, int32_t corners,
                                      const int32_t *face_start, const int32_t *face_corner,
                                      int32_t faces, vec3 centre, quat axes,
                                      struct gabion_error *error);

void polyhedron_free(struct polyhedron *polyhedron);

#endif
