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

// Masonry. Blocks are numbered from 1 in the order in which the generator lays them; block number k
// goes to the group of the mark that names it, if any, else to that of the template.
struct block_mark {
    int group;
    int64_t block;
};

struct block_marks {
    const struct block_mark *mark;
    size_t count;
};

// A wall in running bond along x, its lower left front corner at `origin`, thickness along y. Odd
// courses (the first is 1) are of whole blocks, even ones begin and end with a half block. Blocks
// are numbered course by course from the ground, along x.
struct wall_opening { // blocks that would reach into it are cut at its edges, or left out
    double x, z;      // lower left corner, from the origin of the wall
    double width, height;
};

struct wall_definition {
    struct gabion_body template;
    vec3 origin;
    vec3 block;  // length, depth, height
    int courses; // and whole blocks per course
    int length;
    double joint; // clear width of the vertical joints
    const struct wall_opening *opening;
    size_t openings;
    struct block_marks marks;
};
bool generate_wall(struct gabion_world *world, const struct wall_definition *definition,
                   struct error *error);

// Ground slabs side by side along x: fixed boxes in groups "<name>.1", "<name>.2" ...
struct slabs_definition {
    const char *name;
    int material;
    vec3 origin;         // of the upper left front edge
    const double *width; // along x, one per slab
    size_t count;
    double depth, thickness; // along y and down
};
bool generate_slabs(struct gabion_world *world, const struct slabs_definition *definition,
                    struct error *error);

// An arch in the plane x-z: equal wedges with straight edges between radial joints, numbered from
// the left springing. Abutments are two fixed blocks under its ends, groups "<name>.left" and
// "<name>.right".
struct arch_definition {
    struct gabion_body template;
    const char *name;
    vec3 origin;      // centre of the circle, middle of the depth
    double radius;    // of the centre line
    double thickness; // radial
    double depth;     // along y
    double angle;     // of embrace, rad: pi for a semicircle
    int voussoirs;
    bool abutments;
    struct block_marks marks;
};
bool generate_arch(struct gabion_world *world, const struct arch_definition *definition,
                   struct error *error);

// A ring of a dome: wedges between an inner and an outer cone about the z axis through `origin`,
// the lower edge of the ring at origin.z. Numbered counter-clockwise from the x axis. With
// `rings` > 1, further rings closing upwards on a sphere follow, each turned by half a block.
struct dome_definition {
    struct gabion_body template;
    vec3 origin;      // centre of the sphere
    double radius;    // of the middle surface
    double thickness; // radial
    double from, to;  // latitudes of the lowest and the highest joint, rad above the horizon
    int rings;
    int blocks; // per ring
    struct block_marks marks;
};
bool generate_dome(struct gabion_world *world, const struct dome_definition *definition,
                   struct error *error);

// A tower: square rings of blocks, four sides of `blocks` each, every second ring mirrored so that
// the joints at the corners overlap. Numbered ring by ring.
struct tower_definition {
    struct gabion_body template;
    vec3 origin; // middle of the footprint, at the ground
    vec3 block;  // length, thickness of the wall, height
    int blocks;  // per side
    int courses;
    struct block_marks marks;
};
bool generate_tower(struct gabion_world *world, const struct tower_definition *definition,
                    struct error *error);

// Equal boxes stacked along z, each shifted along x against the one below by `overhang` of its
// own: overhang[k] is that of block k + 2 (counted from below) over the one under it. A single
// number or none serves for all.
struct stack_definition {
    struct gabion_body template;
    vec3 origin; // middle of the lowest block's base
    vec3 block;  // length, depth, height
    int count;
    const double *overhang; // m
    size_t overhangs;       // 0, 1 or count - 1
    double harmonic; // > 0: overhangs of the harmonic stack times this instead, over a fixed edge
                     // at x = origin.x: the lowest block too sticks out
    struct block_marks marks;
};
bool generate_stack(struct gabion_world *world, const struct stack_definition *definition,
                    struct error *error);

#endif
