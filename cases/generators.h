// Generators: each adds many bodies to a world, reproducibly; what is random follows from a seed.
// All return false with an error when the definition is invalid or a body is rejected.
#ifndef CASES_GENERATORS_H
#define CASES_GENERATORS_H

#include "engine/gabion.h"
#include "geometry/vec.h"
#include "parallel/error.h"

// How sphere radii are distributed.
enum size_kind { SIZE_EQUAL, SIZE_UNIFORM, SIZE_NORMAL, SIZE_LOGNORMAL, SIZE_CLASSES };

struct size_distribution {
    enum size_kind kind;
    double radius;          // equal
    double low, high;       // uniform: bounds; others: radii outside are drawn again, if high > 0
    double mean, deviation; // normal: of the radius; lognormal: median, and sigma of the logarithm
    int classes;            // classes: number of them, with radius and share (by number) of each
    double *class_radius, *class_share;
};

// A container: the inside of the box [low, high]. Each wall is one fixed half-space in a group of
// its own, "<name>.xmin" ... "<name>.zmax". `walls` is a bit mask: xmin 1, xmax 2, ymin 4, ymax 8,
// zmin 16, zmax 32.
struct container_definition {
    const char *name;
    int material;
    vec3 low, high;
    unsigned walls;
};
bool generate_container(struct gabion_world *world, const struct container_definition *definition,
                        struct gabion_error *error);

// Walls of triangles (GABION_SURFACE), drawn in a frame of their own that `body` places: it gives
// everything but the shape. Bodies touch both of their sides.

// A flat plate in the plane x-y: a convex polygon whose corners (x, y) are given in either sense.
struct plate_definition {
    struct gabion_body body;
    const double (*polygon)[2];
    size_t corners;
};
bool generate_plate(struct gabion_world *world, const struct plate_definition *definition,
                    struct gabion_error *error);

// The mantle of a cone that is cut off, about z from z = 0 to z = height, or the part of it within
// `arc` (rad) of the x axis towards y. Its edges have their ends on the circles of the two radii,
// of which one may be 0, a tip.
struct mantle_definition {
    struct gabion_body body;
    double lower, upper, height;
    double arc;
    int sides;
};
bool generate_mantle(struct gabion_world *world, const struct mantle_definition *definition,
                     struct gabion_error *error);

// Spheres on a lattice, each shifted at random by up to the jitter. `template` gives everything but
// position and radius. When the template is a clump, clumps are placed instead, and `size` is the
// radius of the clump's bounding sphere.
struct lattice_definition {
    struct gabion_body template;
    struct size_distribution size;
    vec3 origin; // position of the first site
    vec3 spacing;
    int count[3];  // sites along x, y, z; x runs fastest
    double jitter; // largest shift of a site along each axis, as a fraction of the spacing
    int64_t limit; // largest number of bodies; 0: all sites
    uint64_t seed;
    bool turned; // clumps have random orientations
    vec3 centre; // centre of mass of the clump, in its drawing frame
};
bool generate_lattice(struct gabion_world *world, const struct lattice_definition *definition,
                      struct gabion_error *error);

// Spheres at random positions without overlap, by random sequential addition, largest first. When
// the template is a clump, clumps are placed instead, as on a lattice.
struct fill_definition {
    struct gabion_body template;
    struct size_distribution size;
    vec3 low, high; // box that holds all spheres
    int64_t count;  // number of bodies
    int attempts;   // positions tried for a body before the generator fails; 0: default
    uint64_t seed;
    bool turned;
    vec3 centre;
};
bool generate_fill(struct gabion_world *world, const struct fill_definition *definition,
                   struct gabion_error *error);

// Masonry. Blocks are numbered from 1 in the order in which the generator lays them. A mark puts
// the block with its number into a group; all others are in the group of the template. Neighbouring
// blocks share their faces up to rounding. Supports (slabs, abutments, a base) are fixed and have
// no number.
struct block_mark {
    int group;
    int64_t block;
};

struct block_marks {
    const struct block_mark *mark;
    size_t count;
};

// A wall in running bond along x with its lower left front corner at `origin` and its thickness
// along y. Odd courses (the lowest is 1) consist of whole blocks; even ones begin and end with a
// half block. Blocks are numbered course by course from the ground, along x.
//
// Blocks that would reach into an opening are cut at its edges or left out. Blocks above an opening
// fall when they are not supported on both sides of it, unless a lintel spans it: one long block in
// the course above the opening that replaces the blocks there.
struct wall_opening {
    double x, width;     // m, from the left end of the wall
    int course, courses; // lowest open course, and how many are open
    double bearing;      // m, length of the lintel that rests on either side; 0: no lintel
};

struct wall_definition {
    struct gabion_body template;
    vec3 origin;
    vec3 block; // length, depth, height
    int courses;
    int blocks;             // whole blocks per odd course
    double interface_width; // width of the gap between neighbours in a course
    const struct wall_opening *opening;
    size_t openings;
    struct block_marks marks;
};
bool generate_wall(struct gabion_world *world, const struct wall_definition *definition,
                   struct gabion_error *error);

// Ground slabs side by side along x: fixed boxes in the groups "<name>.1", "<name>.2" ...
struct slabs_definition {
    struct gabion_body template; // its group and `fixed` are not used
    const char *name;
    vec3 origin;         // upper left front corner of the first slab
    const double *width; // along x, one per slab
    size_t count;
    double depth, thickness; // along y, and downwards
};
bool generate_slabs(struct gabion_world *world, const struct slabs_definition *definition,
                    struct gabion_error *error);

// Builds a voussoir: the piece of a ring between two radial planes `angle` (rad) apart, with
// straight edges whose ends lie at radius +- thickness / 2 on those planes. In its drawing frame
// the centre of the circle is the origin, the middle of the voussoir lies on z and its depth is
// along y. Returns NULL with an error.
struct polyhedron *generate_voussoir(double radius, double thickness, double depth, double angle,
                                     struct gabion_error *error);

// An arch in the plane x-z of equal voussoirs, numbered from the left springing. Its ends rest on
// two abutments, fixed blocks in the groups "<name>.left" and "<name>.right".
struct arch_definition {
    struct gabion_body template;
    const char *name; // NULL: no abutments
    vec3 origin;      // centre of the circle, middle of the depth
    double radius;    // of the centre line
    double thickness; // radial
    double depth;     // along y
    double angle;     // between the springings, rad: pi for a semicircle
    int voussoirs;
    struct block_marks marks;
};
bool generate_arch(struct gabion_world *world, const struct arch_definition *definition,
                   struct gabion_error *error);

// The rings of a dome. A block lies between two meridian planes and two beds that point to the
// centre of the sphere; its corners are at radius +- thickness / 2. All its faces are flat: the
// corners of a bed lie on two rays from the centre, those of the inner and of the outer face on two
// parallel chords. Meridian interfaces of all rings are aligned, because the flat beds of two rings
// that are turned against each other would intersect. Blocks are numbered ring by ring from below,
// counter-clockwise from the x axis. The base is one more, fixed ring below, in the group
// "<name>.base".
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

// A square tower. Each course is a ring of four sides with `blocks` blocks each. A side begins at a
// corner and ends against the next side, so that the tower is blocks * length + thickness wide.
// Every second course is mirrored, which shifts its interfaces by the thickness of the wall. Blocks
// are numbered course by course.
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

// Equal boxes stacked along z and numbered from below, each shifted along x relative to the one
// below: block k + 2 by overhang[k]. A single number applies to all blocks; none means no shift.
struct stack_definition {
    struct gabion_body template;
    vec3 origin; // middle of the lowest block's base
    vec3 block;  // length, depth, height
    int count;
    const double *overhang; // m
    size_t overhangs;       // 0, 1 or count - 1
    double harmonic; // > 0: used instead. The k-th block from the top overhangs by this times
                     // length / 2k, the lowest one over the edge of a table at x = origin.x
    struct block_marks marks;
};
bool generate_stack(struct gabion_world *world, const struct stack_definition *definition,
                    struct gabion_error *error);

#endif
