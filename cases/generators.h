// Generators: each adds many bodies to a world, reproducibly; what is random follows from a seed.
// All return false with an error when the definition is invalid or a body is rejected.
#ifndef CASES_GENERATORS_H
#define CASES_GENERATORS_H

#include "engine/gabion.h"
#include "geometry/region.h"
#include "geometry/vec.h"
#include "parallel/error.h"

// How sizes are distributed: radii of spheres and disks, factors on other shapes.
enum size_kind {
    SIZE_EQUAL,
    SIZE_UNIFORM,
    SIZE_NORMAL,
    SIZE_LOGNORMAL,
    SIZE_CLASSES,
    SIZE_POWER, // density of the number of bodies ~ radius^-exponent between low and high
    SIZE_SIEVE, // a grading curve: shares of the volume that are finer than each class_radius
};

struct size_distribution {
    enum size_kind kind;
    double radius;          // equal
    double low, high;       // uniform: bounds; others: radii outside are drawn again, if high > 0
    double mean, deviation; // normal: of the radius; lognormal: median, and sigma of the logarithm
    double exponent;        // power
    int classes;            // classes: number of them, with radius and share (by number) of each
    double *class_radius, *class_share; // sieve: radius, and share finer, both increasing
};

// What a lattice or a fill consists of.
enum grain_form {
    GRAIN_BALL,  // a sphere; its size is the radius
    GRAIN_DISK,  // likewise, with the mass and moment of a disk
    GRAIN_SHAPE, // the polyhedron, clump or compound of the template; its size is a factor on all
                 // lengths
    GRAIN_HULL,  // the hull of random points of an ellipsoid; its size times `aspect` are the
                 // semi-axes
};

struct grain_kind {
    struct gabion_body template; // everything but place and size
    enum grain_form form;
    struct size_distribution size;
    double thickness; // disk
    int points;       // hull
    vec3 aspect;      // hull
    bool turned;      // at random orientations
    double share;     // of a mixture, relative to the other kinds
};

enum share_by { SHARE_NUMBER, SHARE_VOLUME, SHARE_MASS };

// The kinds that a lattice or fill mixes. Shares are met as closely as whole bodies allow.
struct grain_mixture {
    const struct grain_kind *kind;
    size_t kinds;
    enum share_by by;
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

// Bodies on a lattice, each shifted at random by up to the jitter, with their centres of mass on
// the sites. Nothing is looked at: neighbours overlap where the spacing is too small.
struct lattice_definition {
    struct grain_mixture grains;
    vec3 origin; // position of the first site
    vec3 spacing;
    int count[3];  // sites along x, y, z; x runs fastest
    double jitter; // largest shift of a site along each axis, as a fraction of the spacing
    int64_t limit; // largest number of bodies; 0: all sites
    uint64_t seed;
};
bool generate_lattice(struct gabion_world *world, const struct lattice_definition *definition,
                      struct gabion_error *error);

// Bodies at random places without overlap, by random sequential addition, largest first. They keep
// clear of each other and of what exists already, by the shapes themselves: all bodies where the
// fill enters at the start; else those that are fixed or enter at the same time.
//
// With a rate the bodies enter one after the other in the order in which they are drawn. They keep
// clear of those before them as far as these fall freely (bounding spheres), and of fixed bodies.
//
// A region is full when a body finds no place. With `accept`, smaller bodies are tried after it.
struct fill_definition {
    const char *name; // for messages; may be NULL
    struct grain_mixture grains;
    struct region region; // holds all bodies; bounded and prepared
    int64_t count;        // number of bodies
    int attempts;         // positions tried for a body before it counts as full; 0: default
    bool accept;          // a full region is no error
    double rate;          // bodies per second; 0: all at once
    uint64_t seed;
    char *note; // of `note_size`: why fewer bodies than `count` were placed; NULL: not wanted
    size_t note_size;
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

// A house of cards in the plane x-z. A tent is two cards that lean on each other; each storey has
// one tent less than the one below and stands on cards that lie from apex to apex. Cards are
// numbered storey by storey: its tents along x, left card first, then the cards that lie on them.
struct cards_definition {
    struct gabion_body template;
    vec3 origin;  // middle of the house, at the ground
    vec3 card;    // length, width (along y), thickness
    double angle; // of a card from the vertical, rad
    int storeys;
    int tents;  // of the lowest storey
    double gap; // between the feet of neighbouring tents
    struct block_marks marks;
};
bool generate_cards(struct gabion_world *world, const struct cards_definition *definition,
                    struct gabion_error *error);

// A column of equally high drums over a regular polygon, numbered from below with plinth and
// capital.
struct drums_definition {
    struct gabion_body template;
    vec3 origin;               // middle of the base
    double radius, top_radius; // of the corners, at the lower end and at the upper one
    double height;             // of all drums
    int drums, sides;
    vec3 plinth, capital; // boxes below and above; zero: none
    struct block_marks marks;
};
bool generate_drums(struct gabion_world *world, const struct drums_definition *definition,
                    struct gabion_error *error);

// A barrel vault along y: courses of voussoirs in running bond. Every second course, from the
// second on, begins and ends with half a block. Blocks are numbered course by course from the left
// springing, along y. Its abutments are as those of an arch.
struct vault_definition {
    struct gabion_body template;
    const char *name; // NULL: no abutments
    vec3 origin;      // centre of the circle, middle of the length
    double radius, thickness;
    double length; // along y
    double angle;  // between the springings, rad
    int courses;
    int blocks; // whole blocks per course
    struct block_marks marks;
};
bool generate_vault(struct gabion_world *world, const struct vault_definition *definition,
                    struct gabion_error *error);

// A flight of steps that rises along x. Each course begins one tread behind the one below and
// reaches to the end of the flight; stones of two treads are then in running bond. Stones are
// numbered course by course from the ground, along x.
struct stairs_definition {
    struct gabion_body template;
    vec3 origin; // lower left front corner
    int steps;
    double tread, rise, width; // of a step: along x, z, y
    double stone;              // length of a stone
    struct block_marks marks;
};
bool generate_stairs(struct gabion_world *world, const struct stairs_definition *definition,
                     struct gabion_error *error);

#endif
