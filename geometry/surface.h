// Closed surfaces of polygons on the way to a polyhedron: equal points made one, edges paired,
// coplanar neighbours merged into one face. Inside geometry/, and for the mesh readers.
#ifndef GEOMETRY_SURFACE_H
#define GEOMETRY_SURFACE_H

#include "geometry/polyhedron.h"

// Largest side of the box around a body, in metres: moments of inertia are fifth powers of it.
#define POLYHEDRON_SIZE_MIN 1e-30
#define POLYHEDRON_SIZE_MAX 1e30

#define SURFACE_MAX (1 << 24) // points, faces and corners of one drawing

// As the caller has it. Face f has corners corner[start[f]] ... corner[start[f + 1] - 1].
struct drawing {
    const vec3 *point;
    int64_t points;
    const int64_t *start, *corner;
    int64_t faces;
    // For messages, and may be NULL: what the file calls the corners (0: nothing), where in the
    // file each face is, and whether that is a line or what.
    const int64_t *name, *place;
    const char *place_noun;
    // How far off (metres) its points may be drawn; 0: rounded doubles. Where that leaves faces
    // that are half in one plane and half not, ten times more is tried, up to the second value.
    double tolerance, tolerance_most;
};

struct surface {
    int32_t points, faces;
    vec3 *point;
    int32_t *start, *corner;
    int32_t *twin; // of the half-edge that starts at corner[k]: the one that runs back along it
    int32_t *point_number, *face_number; // in the drawing, from 0
    const struct drawing *drawing;       // for messages; NULL: from a checkpoint
    double tolerance;
};

struct half_edge {
    int32_t low, high; // its two points
    int32_t index;     // in `corner`, where it starts
    int32_t face;
};

// Like polyhedron_surface, which calls it.
struct polyhedron *polyhedron_from_drawing(const struct drawing *drawing,
                                           struct gabion_error *error);

// The box around points, at least one.
void surface_bounds(const vec3 *point, int64_t count, vec3 *low, vec3 *high);

// How near points are to be the same, or in one plane. Refuses points that are not finite, and
// bodies too large or too small to compute with.
bool drawing_tolerance(const struct drawing *drawing, double *tolerance,
                       struct gabion_error *error);

// same[k] is k, or the point that stands for k because it is at most `tolerance` away.
void surface_weld(const vec3 *point, int32_t points, double tolerance, int32_t *same);

// Takes a face over without corners that fell together; false: nothing is left of it.
bool surface_add_face(struct surface *surface, const int64_t *corner, int64_t count,
                      const int32_t *same, int64_t number);

// Copied, equal points made one, faces turned to the outside.
bool surface_from_drawing(struct surface *surface, const struct drawing *drawing,
                          struct gabion_error *error);
// All of them, the two (or more) along one edge next to each other; for memory_free.
struct half_edge *surface_half_edges(const struct surface *surface);
// Fills `twin`; the error names the edge that is not shared by two faces in opposite sense.
bool surface_pair_edges(struct surface *surface, struct gabion_error *error);
// Faces that lie in one plane become one; corners inside a face or an edge disappear.
bool surface_merge_faces(struct surface *surface, struct gabion_error *error);
void surface_free(struct surface *surface);

// Flat convex faces with all corners behind them, and a body of more than `thinnest`. Needs planes,
// radius and volume, and finds the thickness. `surface` has the tolerance, and the names for
// messages.
bool polyhedron_check_convex(struct polyhedron *body, const struct surface *surface,
                             double thinnest, struct gabion_error *error);

// "face 3 (line 12)" and "corner 7 (0, 0.5, 1)", as the drawing has them.
#define SURFACE_NAME_SIZE 96
struct surface_name {
    char text[SURFACE_NAME_SIZE];
};
struct surface_name surface_face_name(const struct surface *surface, int32_t face);
struct surface_name surface_corner_name(const struct surface *surface, int32_t point);

// Twice the area of a polygon as a vector along its normal (Newell).
vec3 surface_area(const vec3 *point, const int32_t *corner, int32_t count);

static inline int32_t surface_next(const int32_t *start, int32_t face, int32_t k) {
    return k + 1 < start[face + 1] ? k + 1 : start[face];
}

#endif
