// The table of shapes: what the engine must know about a shape, in one row.
//
// Which pairs of shapes touch, and how, is in engine/contact/pairs.h.
#ifndef ENGINE_WORLD_SHAPES_H
#define ENGINE_WORLD_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/gabion.h"
#include "geometry/vec.h"

struct bodies;

// The balls that a body touches others with, in its own axes: spheres, or corners of radius 0.
struct shape_balls {
    int32_t count;
    const vec3 *centre;  // NULL: the one at the centre of the body
    const double *radii; // NULL: all of them
    double radius;       // have this one
};

struct shape_kind {
    const char *name;
    bool wall;       // no sphere holds it: it is fixed, and all moving bodies may be near
    bool ball;       // one ball about the centre of the body
    bool block;      // part of masonry: its displacement from where it entered is kept
    bool spin_reach; // turning brings parts of it nearer to others, at many points
    bool axes;       // its contacts need the axes of bodies

    // Returns what is wrong with a body of this shape; NULL: nothing.
    const char *(*defect)(const struct bodies *, const struct gabion_body *);

    // Finds the centre of mass, the principal axes and the radius of the sphere about them, from
    // the position and orientation that were given.
    void (*place)(const struct bodies *, const struct gabion_body *, vec3 *x, quat *q,
                  double *radius);
    // Finds the volume and the principal moments of inertia per unit of mass; NULL: it has none.
    void (*weigh)(const struct bodies *, const struct gabion_body *, double *volume, vec3 *moment);

    // The list that bodies.shape_index points into; NULL: there is none. Bodies of some shapes name
    // an entry that exists (`shared`), those of others bring their own (`add`).
    size_t (*count)(const struct bodies *);
    int32_t (*shared)(const struct gabion_body *);
    int32_t (*add)(struct bodies *, const struct gabion_body *);
    // Returns whether an entry is of this shape, where a list holds several; NULL: it always is.
    bool (*fits)(const struct bodies *, int32_t index);

    // Returns what an overlap is measured against: a radius, half a thickness. NULL: it has no
    // size.
    double (*size)(const struct bodies *, int32_t i);
    // Returns the balls that it touches with; NULL: there are none.
    struct shape_balls (*balls)(const struct bodies *, int32_t i);
    // Returns the radius of the largest sphere that has room in it; NULL: it is no container.
    double (*room)(const struct bodies *, int32_t i);
};

extern const struct shape_kind shape_kinds[GABION_SHAPE_COUNT];

#endif
