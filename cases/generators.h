// Scenes made of many bodies: each generator adds bodies to a world, seeded and reproducible.
#ifndef CASES_GENERATORS_H
#define CASES_GENERATORS_H

#include "engine/gabion.h"

// Sphere radii.
enum size_kind { SIZE_EQUAL, SIZE_UNIFORM, SIZE_NORMAL, SIZE_LOGNORMAL, SIZE_CLASSES };

struct size_distribution {
    enum size_kind kind;
    double radius;          // equal
    double low, high;       // uniform bounds; the others are cut to these when high > 0
    double mean, deviation; // normal: of the radius; lognormal: of its logarithm's median/sigma
    int classes;            // classes: radius and share (by number) of each
    double *class_radius, *class_share;
};

// Boxes [low, high] whose inside holds the bodies: one fixed half-space per wall, in groups
// "<name>.xmin" ... "<name>.zmax". walls: bit mask xmin=1 xmax=2 ymin=4 ymax=8 zmin=16 zmax=32.
struct container_definition {
    const char *name;
    int material;
    vec3 low, high;
    unsigned walls;
};
bool generate_container(struct gabion_world *world, const struct container_definition *definition,
                        struct error *error);

// Spheres on a cubic lattice, shaken: `template` gives everything but position and radius.
struct lattice_definition {
    struct gabion_body template;
    struct size_distribution size;
    vec3 origin; // of the first site
    vec3 spacing;
    int count[3];  // sites along x, y, z; x runs fastest
    double jitter; // largest shift of a site along each axis, as a fraction of the spacing
    int64_t limit; // bodies; 0: all sites
    uint64_t seed;
};
bool generate_lattice(struct gabion_world *world, const struct lattice_definition *definition,
                      struct error *error);

// Spheres at random places without overlap (random sequential addition, largest first).
struct fill_definition {
    struct gabion_body template;
    struct size_distribution size;
    vec3 low, high; // spheres lie wholly inside
    int64_t count;  // bodies wanted
    int attempts;   // per body before giving up with an error
    uint64_t seed;
};
bool generate_fill(struct gabion_world *world, const struct fill_definition *definition,
                   struct error *error);

#endif
