// Surfaces of triangles, open or closed, without thickness and with two sides: plates, funnels,
// drawings of machines. They are walls; spheres, clumps and convex polyhedra touch them
// (geometry/shell_touch.h).
//
// What a body touches must not depend on how a flat part was cut into triangles. Neighbours that
// lie in one plane therefore make one group, which has one plane. Contacts see groups, the sharp
// edges between or around them, and the points where sharp edges meet or bend. Every group is cut
// anew into convex faces, as few as a greedy search finds: one where its outline is convex.
#ifndef GEOMETRY_SHELL_H
#define GEOMETRY_SHELL_H

#include "geometry/box_tree.h"
#include "geometry/surface.h"

#define SHELL_FACE_MAX POLYHEDRON_FACE_MAX // corners of a face

// What shell.point_edge says of a point that lies on no sharp edge, or where such edges meet.
enum { SHELL_FLAT = -1, SHELL_VERTEX = -2 };

// A straight sharp edge. Each wing is the direction in which one of its groups begins there.
struct shell_edge {
    vec3 wing[2];
    int32_t wings; // 1: the rim of the surface
};

struct shell {
    // As given, but for equal points: these are welded. The rest follows from it.
    int32_t point_count, triangle_count;
    vec3 *point;
    int32_t *triangle; // three points each
    double tolerance;  // m, within which points are equal or in one plane

    int32_t group_count, edge_count, face_count;
    vec3 *normal;   // by group: the plane normal.x = offset
    double *offset; // likewise
    struct shell_edge *edge;
    // Face f has the corners face_corner[face_start[f]] ... up to face_start[f + 1],
    // counter-clockwise about the normal of its group. face_edge[k] is the sharp edge on which the
    // side from face_corner[k] to the next corner lies, or SHELL_FLAT.
    int32_t *face_start, *face_corner, *face_edge, *face_group;
    int32_t *point_edge;          // by point: its sharp edge, SHELL_FLAT or SHELL_VERTEX
    int32_t *spoke_start, *spoke; // by point: the points that edges of triangles lead to
    struct box_tree *tree;        // of the faces
    vec3 low, high;               // bounding box
};

// Builds a surface from a drawing that may be open. Polygons must be flat enough and convex.
// Returns NULL with an error that names the face without area, the two equal faces, or the edge
// with more than two faces.
struct shell *shell_from_drawing(const struct drawing *drawing, struct gabion_error *error);

// Restores a surface from the values that another one was made of; nothing of them is believed.
struct shell *shell_restore(const vec3 *point, int32_t points, const int32_t *triangle,
                            int32_t triangles, double tolerance, struct gabion_error *error);

void shell_free(struct shell *shell);

// Internal to geometry/: a surface in the making. A half-edge h is the side of triangle h / 3 from
// its corner h % 3 to the next.
struct shell_draft {
    struct shell *shell;
    const struct surface *names; // for messages; NULL: restored
    int32_t *face;               // of `names`, by triangle
    int32_t *origin;             // in `names`, by point
    int32_t *twin;               // the half-edge along the same edge; -1: none
    vec3 *area;                  // by triangle: twice its area, along its normal
    int32_t *group;              // by triangle
    bool *turned;                // by triangle: it is clockwise about the normal of its group
    int32_t *edge;               // by half-edge: its sharp edge, or SHELL_FLAT
};

static inline int32_t shell_next(int32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }

// Finds groups, sharp edges and faces (geometry/shell_faces.c). Needs twin and area.
void shell_find_groups(struct shell_draft *draft);
void shell_find_edges(struct shell_draft *draft);
void shell_find_faces(struct shell_draft *draft);

#endif
