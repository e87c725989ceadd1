// Regions of space: where a fill places bodies, and where bodies leave the run.
#ifndef GEOMETRY_REGION_H
#define GEOMETRY_REGION_H

#include <stdint.h>

#include "geometry/vec.h"
#include "parallel/error.h"

enum region_kind {
    REGION_BOX,        // low to high
    REGION_HALF_SPACE, // behind the plane through `position` whose normal is `axis`
    REGION_SPHERE,     // radius, about `position`; or the shell from `inner` to radius
    REGION_CYLINDER,   // radius and length about `axis`, `position` its middle; or the tube
    REGION_CONE,       // from `radius` at `position` to `end_radius` at the length along `axis`
    REGION_MESH,       // the inside of a closed surface of triangles
};

struct region {
    enum region_kind kind;
    bool outside; // everything but that
    vec3 low, high;
    vec3 position, axis; // axis: unit
    double radius, inner, end_radius, length;
    vec3 *corner; // of triangles, three each; owned
    int64_t triangles;
};

// Returns what is wrong with a region; NULL: nothing. Normalises the axis and finds low and high.
const char *region_prepare(struct region *region);

// Copies a region with its triangles, and frees what it owns.
struct region region_copy(const struct region *region);
void region_free(struct region *region);

// Returns how deep a point lies in the region: the distance to its boundary; negative: outside (the
// size then only says that it is).
double region_depth(const struct region *region, vec3 point);

// Returns whether the region is bounded, and then lies between `low` and `high`.
bool region_is_bounded(const struct region *region);

// Returns whether the line between any two points of the region lies in it.
bool region_is_convex(const struct region *region);

// Returns the volume of a bounded region, m3.
double region_volume(const struct region *region);

#endif
