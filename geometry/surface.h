// Turns a drawing (points and polygons as a user or a file gives them) into the closed surface of a
// polyhedron: welds equal points, pairs edges, merges coplanar neighbours into one face. Internal
// to geometry/ and the mesh readers.
#ifndef GEOMETRY_SURFACE_H
#define GEOMETRY_SURFACE_H

#include "geometry/polyhedron.h"

// Limits of the largest side of a body's bounding box, in metres. Moments of inertia grow with its
// fifth power and must stay within the range of doubles.
#define POLYHEDRON_SIZE_MIN 1e-30
#define POLYHEDRON_SIZE_MAX 1e30

#define SURFACE_MAX (1 << 24) // limit of the points, faces and corners of one drawing

// What the caller provides. Face f has the corners corner[start[f]] ... corner[start[f + 1] - 1].
struct drawing {
    const vec3 *point;
    int64_t points;
    const int64_t *start, *corner;
    int64_t faces;
    // For error messages; each may be NULL: the number that the file gives each corner (0: none),
    // the place of each face in the file, and what such a place is called, for example "line".
    const int64_t *name, *place;
    const char *place_noun;
    const char *if_hollow; // what the user may do where the body is not convex
    // How far (metres) points may be from where they should be; 0: only rounding. When the drawing
    // is rejected, ten times the tolerance is tried, and so on up to tolerance_most.
    double tolerance, tolerance_most;
    // The surface need not be closed (geometry/shell.h): faces keep their sense, and those without
    // area are rejected instead of left out.
    bool open;
};

struct surface {
    int32_t points, faces;
    vec3 *point;
    int32_t *start, *corner;
    int32_t *twin; // twin[k]: the half-edge opposite to the one that starts at corner[k]
    int32_t *point_number, *face_number; // indices in the drawing
    const struct drawing *drawing;       // for error messages; NULL: restored from a checkpoint
    double tolerance;
};

struct half_edge {
    int32_t low, high; // its two points
    int32_t index;     // of the corner where it starts
    int32_t face;
};

// Builds a polyhedron from a drawing. polyhedron_surface (geometry/polyhedron.h) calls it.
struct polyhedron *polyhedron_from_drawing(const struct drawing *drawing,
                                           struct gabion_error *error);

// Computes the bounding box of at least one point.
void surface_bounds(const vec3 *point, int64_t count, vec3 *low, vec3 *high);

// Computes the distance within which points count as equal or coplanar. Rejects points that are not
// finite and bodies outside POLYHEDRON_SIZE_MIN and _MAX.
bool drawing_tolerance(const struct drawing *drawing, double *tolerance,
                       struct gabion_error *error);

// Sets same[k] to k, or to a point at most `tolerance` away that replaces it.
void surface_weld(const vec3 *point, int32_t points, double tolerance, int32_t *same);

// Adds a face without the corners that were welded together. Returns false when nothing of it is
// left.
bool surface_add_face(struct surface *surface, const int64_t *corner, int64_t count,
                      const int32_t *same, int64_t number);

// Copies the drawing, welds equal points and orients the faces outwards.
bool surface_from_drawing(struct surface *surface, const struct drawing *drawing,
                          struct gabion_error *error);
// Returns all half-edges, those along the same edge next to each other. Release with memory_free.
struct half_edge *surface_half_edges(const struct surface *surface);
// Fills `twin`. The error names an edge that is not shared by exactly two faces in opposite
// directions.
bool surface_pair_edges(struct surface *surface, struct gabion_error *error);
// Merges adjacent faces that lie in one plane and removes corners inside a face or an edge.
bool surface_merge_faces(struct surface *surface, struct gabion_error *error);
void surface_free(struct surface *surface);

// Checks that the faces are flat and convex, that all corners lie behind every face and that the
// body is thicker than `thinnest`. Needs the planes, radius and volume of the body and sets its
// thickness. `surface` provides the tolerance and the names for messages.
bool polyhedron_check_convex(struct polyhedron *body, const struct surface *surface,
                             double thinnest, struct gabion_error *error);

// Names for messages as the drawing has them: "face 3 (line 12)", "corner 7 (0, 0.5, 1)".
#define SURFACE_NAME_SIZE 96
struct surface_name {
    char text[SURFACE_NAME_SIZE];
};
struct surface_name surface_face_name(const struct surface *surface, int32_t face);
// What the user may do where the body is not convex: "; ..." or "".
struct surface_name surface_remedy(const struct surface *surface);
struct surface_name surface_corner_name(const struct surface *surface, int32_t point);

// Returns twice the area of a polygon as a vector along its normal (Newell's method).
vec3 surface_area(const vec3 *point, const int32_t *corner, int32_t count);

// Returns the place in `corner` of the corner of this face that follows place k.
static inline int32_t surface_next(const int32_t *start, int32_t face, int32_t k) {
    return k + 1 < start[face + 1] ? k + 1 : start[face];
}

#endif
