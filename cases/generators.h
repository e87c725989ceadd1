// Scenes made of many bodies: each generator adds bodies to a world, seeded and reproducible.
#ifndef CASES_GENERATORS_H
#define CASES_GENERATORS_H

#include "engine/gabion.h"
#include "geometry/vec.h"
#include "parallel/error.h"

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
                        struct gabion_error *error);

// Spheres on a cubic lattice, shaken: `template` gives everything but position and radius. Or
// clumps, where the template is one: `size` is then that of the sphere that holds it.
struct lattice_definition {
    struct gabion_body template;
    struct size_distribution size;
    vec3 origin; // of the first site
    vec3 spacing;
    int count[3];  // sites along x, y, z; x runs fastest
    double jitter; // largest shift of a site along each axis, as a fraction of the spacing
    int64_t limit; // bodies; 0: all sites
    uint64_t seed;
    bool turned; // clumps at random orientations
    vec3 centre; // of mass of a clump, in its drawing frame
};
bool generate_lattice(struct gabion_world *world, const struct lattice_definition *definition,
                      struct gabion_error *error);

// Spheres at random places without overlap (random sequential addition, largest first); or clumps,
// as on a lattice.
struct fill_definition {
    struct gabion_body template;
    struct size_distribution size;
    vec3 low, high; // spheres lie wholly inside
    int64_t count;  // bodies wanted
    int attempts;   // per body before giving up with an error
    uint64_t seed;
    bool turned;
    vec3 centre;
};
bool generate_fill(struct gabion_world *world, const struct fill_definition *definition,
                   struct gabion_error *error);

// Masonry. Blocks are numbered from 1 in the order in which the generator lays them; block number k
// goes to the group of the mark that names it, if any, else to that of the template. Neighbours
// share their faces, to rounding. Supports (slabs, abutments, a base) are fixed and have no number.
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
//
// Openings are as many courses high as they say; blocks that would reach into one are cut at its
// edges, or left out. The blocks above it rest on what is beside it: where it is wider than they
// bear on both sides they fall, unless a lintel spans it. That is one long block in the course
// above the opening, in place of the blocks there.
struct wall_opening {
    double x, width;     // m, from the left end of the wall
    int course, courses; // lowest open course, and how many are open
    double bearing;      // m of the lintel on either side; 0: no lintel
};

struct wall_definition {
    struct gabion_body template;
    vec3 origin;
    vec3 block; // length, depth, height
    int courses;
    int blocks;             // whole ones per course
    double interface_width; // clear width of the vertical interfaces
    const struct wall_opening *opening;
    size_t openings;
    struct block_marks marks;
};
bool generate_wall(struct gabion_world *world, const struct wall_definition *definition,
                   struct gabion_error *error);

// Ground slabs side by side along x: boxes in groups "<name>.1", "<name>.2" ...
struct slabs_definition {
    struct gabion_body template; // but for group and fixed
    const char *name;
    vec3 origin;         // of the upper left front edge
    const double *width; // along x, one per slab
    size_t count;
    double depth, thickness; // along y and down
};
bool generate_slabs(struct gabion_world *world, const struct slabs_definition *definition,
                    struct gabion_error *error);

// A voussoir: the piece of a circle's ring between two radial planes `angle` (rad) apart, with
// straight edges whose ends lie at radius +- thickness / 2 on those planes. Drawn with the centre
// of the circle in the origin, its middle along z, its depth along y.
struct polyhedron *generate_voussoir(double radius, double thickness, double depth, double angle,
                                     struct gabion_error *error);

// An arch in the plane x-z: equal voussoirs, numbered from the left springing. Abutments are two
// blocks that bear its ends, groups "<name>.left" and "<name>.right".
struct arch_definition {
    struct gabion_body template;
    const char *name; // NULL: no abutments
    vec3 origin;      // centre of the circle, middle of the depth
    double radius;    // of the centre line
    double thickness; // radial, along the interfaces
    double depth;     // along y
    double angle;     // of embrace, rad: pi for a semicircle
    int voussoirs;
    struct block_marks marks;
};
bool generate_arch(struct gabion_world *world, const struct arch_definition *definition,
                   struct gabion_error *error);

// Rings of a dome: blocks between two meridian planes and two bed interfaces that point to the
// centre, their corners at radius +- thickness / 2. All faces are flat: the corners of a bed
// interface lie on two rays from the centre, those of the inner and the outer face on two chords
// that are parallel. The meridian interfaces run through from ring to ring: turned against each
// other, the flat beds of two rings would cut into one another. Numbered ring by ring from below,
// counter-clockwise from the x axis. The base is one more ring below, group "<name>.base".
struct dome_definition {
    struct gabion_body template;
    const char *name; // NULL: no base
    vec3 origin;      // centre of the sphere
    double radius;    // of the middle surface
    double thickness; // radial
    double from, to;  // latitudes of the lowest and the highest interface, rad above the horizon
    int rings;
    int blocks; // per ring
    struct block_marks marks;
};
bool generate_dome(struct gabion_world *world, const struct dome_definition *definition,
                   struct gabion_error *error);

// A tower: square rings of four sides of `blocks` each. A side begins at a corner and ends against
// the next one, so that the tower is blocks * length + thickness wide; every second ring is
// mirrored and its interfaces lie a wall thickness further on. Numbered ring by ring.
struct tower_definition {
    struct gabion_body template;
    vec3 origin; // middle of the footprint, at the ground
    vec3 block;  // length, thickness of the wall, height
    int blocks;  // per side
    int courses;
    struct block_marks marks;
};
bool generate_tower(struct gabion_world *world, const struct tower_definition *definition,
                    struct gabion_error *error);

// Equal boxes stacked along z, numbered from below, each shifted along x against the one below:
// overhang[k] is that of block k + 2. A single number or none serves for all.
struct stack_definition {
    struct gabion_body template;
    vec3 origin; // middle of the lowest block's base
    vec3 block;  // length, depth, height
    int count;
    const double *overhang; // m
    size_t overhangs;       // 0, 1 or count - 1
    double harmonic; // > 0: instead, the k-th block from the top sticks out by this times length /
                     // 2k, the lowest one over the edge of a table at x = origin.x
    struct block_marks marks;
};
bool generate_stack(struct gabion_world *world, const struct stack_definition *definition,
                    struct gabion_error *error);

#endif
