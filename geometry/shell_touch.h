// Where balls and convex polyhedra touch a surface of triangles (geometry/shell.h), which has no
// inside: each of its parts pushes to the side on which the body is.
//
// A part of the surface touches where it is nearer than all of its surroundings, so that a body
// that slides over a flat part, or from one part to the next, never meets an edge that is not there
// for it. For a face that is the space above it. For an edge or a vertex it is its normal cone: the
// directions that lead away from all faces that meet there (the region of Voronoi of that feature).
#ifndef GEOMETRY_SHELL_TOUCH_H
#define GEOMETRY_SHELL_TOUCH_H

#include "geometry/manifold.h"
#include "geometry/shell.h"

// A surface with its position in the world.
struct placed_shell {
    const struct shell *shape;
    vec3 x;    // origin of its own frame
    mat3 axes; // own frame to world
};

struct shell_point {
    vec3 normal;   // unit, from the surface to the body, world
    vec3 position; // halfway between both, world
    double gap;
    uint32_t own;  // half of the feature of the polyhedron (geometry/clip.h); 0 for a ball
    uint32_t part; // of the surface: a group, an edge or a vertex
};

// Sees the points one after the other, always in the same order.
typedef void (*shell_function)(void *context, const struct shell_point *point);

// Call see(context, point) for every point where the body touches or is within `reach`. A ball and
// a part of the surface have one point; the same corner of a polyhedron may be seen twice on one
// part, with the same `own` and `part`.
void shell_touch_ball(const struct placed_shell *shell, vec3 centre, double radius, double reach,
                      shell_function see, void *context);
void shell_touch_block(const struct placed_shell *shell, const struct placed *block, double reach,
                       shell_function see, void *context);

// Call see(context, point) for every face within reach instead, with a point along the axis on
// which it is furthest from the body: the smallest gap bounds the distance from below.
void shell_nearest_ball(const struct placed_shell *shell, vec3 centre, double radius, double reach,
                        shell_function see, void *context);
void shell_nearest_block(const struct placed_shell *shell, const struct placed *block, double reach,
                         shell_function see, void *context);

// Returns whether a ball about p, in the frame of the surface, reaches its bounding box.
static inline bool shell_is_near(const struct shell *shell, vec3 p, double radius) {
    return p.x >= shell->low.x - radius && p.x <= shell->high.x + radius &&
           p.y >= shell->low.y - radius && p.y <= shell->high.y + radius &&
           p.z >= shell->low.z - radius && p.z <= shell->high.z + radius;
}

// Returns the distance of a ball's surface from the group that `part` is or lies in, or from the
// edge or vertex `part`, compared by shell_part_name; INFINITY where it is further than `reach`.
double shell_gap_ball(const struct placed_shell *shell, vec3 centre, double radius, double reach,
                      uint32_t name);

// Returns 16 bits by which a contact finds its part again in the next step. Parts that have the
// same name are far apart in the file.
static inline uint32_t shell_part_name(uint32_t part) { return part % 65521u; }

#endif
