// Hollow containers: the inside of a sphere or of a cylinder (a drum), and where balls touch it.
//
// Both insides are convex, so a polyhedron touches them with its corners alone: balls of radius 0.
#ifndef GEOMETRY_HOLLOW_H
#define GEOMETRY_HOLLOW_H

#include "geometry/vec.h"

struct hollow {
    vec3 axis; // of a drum, unit, own axes; zero: a sphere
    double radius;
    double half_length; // of a drum
    bool ends;          // a drum closed by two flat discs
};

enum hollow_part { HOLLOW_WALL, HOLLOW_LOW_END, HOLLOW_HIGH_END, HOLLOW_PARTS };

static inline bool hollow_is_drum(const struct hollow *hollow) { return hollow->half_length > 0; }

// A hollow somewhere in the world.
struct placed_hollow {
    const struct hollow *shape;
    vec3 x;    // centre
    vec3 axis; // of a drum, world
};

struct touch {
    vec3 normal; // unit, into the hollow
    double gap;  // negative: overlap
};

// False: this part does not face the ball. A drum without ends holds nothing that has left it: the
// centre of the ball must be inside.
bool hollow_touch(const struct placed_hollow *hollow, enum hollow_part part, vec3 centre,
                  double radius, struct touch *touch);

#endif
