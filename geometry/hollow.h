// Hollow containers: the inside of a sphere or of a cylinder (a drum), and where balls touch them.
//
// Both insides are convex, so a polyhedron touches them with its corners only; a corner is passed
// as a ball of radius 0.
#ifndef GEOMETRY_HOLLOW_H
#define GEOMETRY_HOLLOW_H

#include "geometry/vec.h"

struct hollow {
    vec3 axis; // of a drum: unit vector in own axes; of a sphere: zero
    double radius;
    double half_length; // of a drum; of a sphere: 0
    bool ends;          // the drum is closed by two flat discs
};

enum hollow_part { HOLLOW_WALL, HOLLOW_LOW_END, HOLLOW_HIGH_END, HOLLOW_PARTS };

static inline bool hollow_is_drum(const struct hollow *hollow) { return hollow->half_length > 0; }

// A hollow with its position in the world.
struct placed_hollow {
    const struct hollow *shape;
    vec3 x;    // centre
    vec3 axis; // of a drum: unit vector in world axes
};

struct touch {
    vec3 normal; // unit, pointing into the hollow
    double gap;  // negative: overlap
};

// Computes where a ball touches one part of the hollow. Returns false when that part does not face
// the ball. A drum without ends touches only balls whose centre is inside it.
bool hollow_touch(const struct placed_hollow *hollow, enum hollow_part part, vec3 centre,
                  double radius, struct touch *touch);

#endif
