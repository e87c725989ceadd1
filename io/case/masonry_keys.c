// The keys of block shapes and of the masonry generators.
#include "io/case/sections.h"

static const struct key_range straight = {0.0, 180.0, .low_open = true, .high_open = true};
static const struct key_range full_circle = {0.0, 360.0, .low_open = true, .high_open = true};
static const struct key_range lean = {0.0, 90.0, .low_open = true, .high_open = true};
static const struct key_range drum_sides = {.low = 3.0, .high = 64.0};
static const struct key_range latitude = {0.0, 90.0, .high_open = true};

// ---- shapes ----

static const struct key box_shape_keys[] = {
    {"size", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .range = &key_positive,
     .help = "lengths along x, y, z"},
};
const struct key_section box_shape_section = KEY_SECTION_OF(box_shape_keys);

static const struct key prism_keys[] = {
    {"polygon", KEY_CORNERS, .required = true, .size = 2, .unit = "m",
     .help = "[[x, y], ...], convex, in either sense"},
    {"height", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "along z, half of it on either side"},
};
const struct key_section prism_section = KEY_SECTION_OF(prism_keys);

// The keys of the ring that arches and voussoirs are cut from.
#define RING_KEYS                                                                                  \
    {"radius",                                                                                     \
     KEY_NUMBER,                                                                                   \
     .required = true,                                                                             \
     .unit = "m",                                                                                  \
     .range = &key_positive,                                                                       \
     .help = "of the circle through the middle"},                                                  \
        {"thickness",                                                                              \
         KEY_NUMBER,                                                                               \
         .required = true,                                                                         \
         .unit = "m",                                                                              \
         .range = &key_positive,                                                                   \
         .help = "radial; the corners lie half of it inside and outside of the radius"},           \
    {                                                                                              \
        "depth", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,                \
                             .help = "along y, half of it on either side"                          \
    }

static const struct key wedge_keys[] = {
    RING_KEYS,
    {"angle", KEY_NUMBER, .required = true, .unit = "deg", .range = &straight,
     .help = "between the two radial faces; its middle is along z"},
};
const struct key_section wedge_section = KEY_SECTION_OF(wedge_keys);

static const struct key hull_keys[] = {
    {"points", KEY_CORNERS, .required = true, .size = 3, .unit = "m",
     .help = "[[x, y, z], ...]; the body is their convex hull"},
};
const struct key_section hull_section = KEY_SECTION_OF(hull_keys);

static const struct key decompose_keys[] = {
    {"parts", KEY_INTEGER, .initial = "64", .range = &key_counting,
     .help = "convex parts of one piece, at most; more are an error"},
};
static const struct key_section decompose_section = KEY_SECTION_OF(decompose_keys);

static const struct key mesh_keys[] = {
    {"file", KEY_TEXT, .required = true,
     .help = "OBJ or STL, closed pieces; relative to this file"},
    {"scale", KEY_NUMBER, .initial = "1", .range = &key_positive,
     .help = "factor on the lengths of the file; 0.001 when it is in millimetres"},
    {"decompose", KEY_SECTION, .section = &decompose_section,
     .help = "cuts pieces that are not convex into convex parts, exactly; each piece is one body"},
    {"glue", KEY_BOOLEAN, .initial = "false", .help = "all pieces form one rigid body"},
};
const struct key_section mesh_section = KEY_SECTION_OF(mesh_keys);

static const struct key part_keys[] = {
    {"box", KEY_SECTION, .one_of = true, .section = &box_shape_section, .help = "a block"},
    {"prism", KEY_SECTION, .one_of = true, .section = &prism_section,
     .help = "a convex polygon of some height"},
    {"wedge", KEY_SECTION, .one_of = true, .section = &wedge_section, .help = "a voussoir"},
    {"hull", KEY_SECTION, .one_of = true, .section = &hull_section,
     .help = "the convex hull of points"},
    {"mesh", KEY_SECTION, .one_of = true, .section = &mesh_section,
     .help = "the pieces of a mesh, a part each"},
    {"position", KEY_VECTOR, .size = 3, .unit = "m", .initial = "0 0 0",
     .help = "of the part in the frame of the body"},
    {"orientation", KEY_VECTOR, .size = 4, .initial = "1 0 0 0",
     .help = "quaternion w, x, y, z; any length"},
    {"relative_density", KEY_NUMBER, .initial = "1", .range = &key_positive,
     .help = "density of the part by that of the body"},
};
static const struct key_section part_section = KEY_SECTION_OF(part_keys);

static const struct key compound_keys[] = {
    {"parts", KEY_ENTRIES, .required = true, .section = &part_section,
     .help = "convex parts, which may share faces or overlap; an overlap counts in the mass once "
             "for each part"},
};
const struct key_section compound_section = KEY_SECTION_OF(compound_keys);

// ---- generators ----

static const struct key mark_keys[] = {
    {"name", KEY_NAME, .required = true, .help = "group of these blocks"},
    {"blocks", KEY_INTEGERS, .required = true, .range = &key_counting,
     .help = "their numbers, from 1"},
};
static const struct key_section mark_section = KEY_SECTION_OF(mark_keys);

#define ORIGIN_KEY(help_)                                                                          \
    { "origin", KEY_VECTOR, .size = 3, .unit = "m", .initial = "0 0 0", .help = help_ }
#define BLOCK_KEY(help_)                                                                           \
    {                                                                                              \
        "block", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .range = &key_positive,     \
                             .help = help_                                                         \
    }
#define MARK_KEY(help_)                                                                            \
    { "mark", KEY_ENTRIES, .section = &mark_section, .help = "blocks with another name; " help_ }

static const struct key opening_keys[] = {
    {"x", KEY_NUMBER, .required = true, .unit = "m", .range = &key_not_negative,
     .help = "left edge, from the left end of the wall"},
    {"width", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "blocks are cut at its edges"},
    {"course", KEY_INTEGER, .initial = "1", .range = &key_counting,
     .help = "lowest course that is open; the first is 1"},
    {"courses", KEY_INTEGER, .required = true, .range = &key_counting, .help = "that are open"},
    {"lintel", KEY_NUMBER, .unit = "m", .initial = "0", .range = &key_not_negative,
     .help = "one long block above that bears this far on either side; 0: none"},
};
static const struct key_section opening_section = KEY_SECTION_OF(opening_keys);

static const struct key wall_keys[] = {
    ORIGIN_KEY("lower left front corner; the wall goes along x"),
    BLOCK_KEY("length, depth, height"),
    {"courses", KEY_INTEGER, .required = true, .range = &key_counting,
     .help = "even ones begin and end with a half block"},
    {"blocks", KEY_INTEGER, .required = true, .range = &key_counting,
     .help = "whole ones per course"},
    {"interface_width", KEY_NUMBER, .formerly = "joint", .unit = "m", .initial = "0",
     .range = &key_not_negative, .help = "clear width of the vertical interfaces"},
    {"openings", KEY_ENTRIES, .section = &opening_section, .help = "doors and windows"},
    MARK_KEY("they are numbered course by course from the ground, along x"),
};
const struct key_section wall_section = KEY_SECTION_OF(wall_keys);

static const struct key slabs_keys[] = {
    ORIGIN_KEY("upper left front edge; the slabs lie side by side along x"),
    {"widths", KEY_VECTOR, .required = true, .unit = "m", .range = &key_positive,
     .help = "one per slab, along x; they are the groups NAME.1, NAME.2 ..."},
    {"depth", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive, .help = "along y"},
    {"thickness", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "down"},
};
const struct key_section slabs_section = KEY_SECTION_OF(slabs_keys);

static const struct key arch_keys[] = {
    ORIGIN_KEY("centre of the circle; the arch spans along x"),
    RING_KEYS,
    {"angle", KEY_NUMBER, .unit = "deg", .initial = "180", .range = &full_circle,
     .help = "between the two springings; 180 is a semicircle"},
    {"voussoirs", KEY_INTEGER, .required = true, .range = &key_counting, .help = "equal blocks"},
    {"abutments", KEY_BOOLEAN, .initial = "true",
     .help = "fixed blocks under the ends, groups NAME.left and NAME.right"},
    MARK_KEY("they are numbered from the left springing"),
};
const struct key_section arch_section = KEY_SECTION_OF(arch_keys);

static const struct key dome_keys[] = {
    ORIGIN_KEY("centre of the sphere"),
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the sphere through the middle"},
    {"thickness", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "radial; the corners lie half of it inside and outside of the radius"},
    {"from", KEY_NUMBER, .unit = "deg", .initial = "0", .range = &latitude,
     .help = "latitude of the lowest interface"},
    {"to", KEY_NUMBER, .required = true, .unit = "deg", .range = &latitude,
     .help = "latitude of the highest interface, the rim of the eye"},
    {"rings", KEY_INTEGER, .initial = "1", .range = &key_counting, .help = "of equal angle"},
    {"blocks", KEY_INTEGER, .required = true, .range = &key_counting,
     .help = "per ring, 3 or more"},
    {"base", KEY_BOOLEAN, .initial = "false",
     .help = "one more ring below that is fixed, group NAME.base"},
    MARK_KEY("they are numbered ring by ring from below, counter-clockwise from the x axis"),
};
const struct key_section dome_section = KEY_SECTION_OF(dome_keys);

static const struct key tower_keys[] = {
    ORIGIN_KEY("middle of the footprint, at the ground"),
    BLOCK_KEY("length, thickness of the wall, height"),
    {"blocks", KEY_INTEGER, .required = true, .range = &key_counting, .help = "per side"},
    {"courses", KEY_INTEGER, .required = true, .range = &key_counting,
     .help = "every second one is mirrored"},
    MARK_KEY("they are numbered course by course, from the front left corner"),
};
const struct key_section tower_section = KEY_SECTION_OF(tower_keys);

static const struct key stack_keys[] = {
    ORIGIN_KEY("middle of the lowest block's base, or edge of the table of a harmonic stack"),
    BLOCK_KEY("length, depth, height"),
    {"count", KEY_INTEGER, .required = true, .range = &key_counting, .help = "blocks"},
    {"overhang", KEY_VECTOR, .unit = "m",
     .help = "of each block along x over the one below, from the second on; one number for all"},
    {"harmonic", KEY_NUMBER, .initial = "0", .range = &key_not_negative,
     .help = "times the overhangs of the harmonic stack, length / 2k of the k-th block from the "
             "top, the lowest one over the edge of a table; 1 is the limit"},
    MARK_KEY("they are numbered from below"),
};
const struct key_section stack_section = KEY_SECTION_OF(stack_keys);

static const struct key cards_keys[] = {
    ORIGIN_KEY("middle of the house, at the ground; its storeys go along x"),
    {"card", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .range = &key_positive,
     .help = "length, width, thickness"},
    {"angle", KEY_NUMBER, .unit = "deg", .initial = "20", .range = &lean,
     .help = "of a leaning card from the vertical"},
    {"storeys", KEY_INTEGER, .required = true, .range = &key_counting,
     .help = "each has one tent of two cards less than the one below"},
    {"tents", KEY_INTEGER, .initial = "auto", .words = "auto", .range = &key_counting,
     .help = "of the lowest storey; auto: as many as storeys, one on top"},
    {"gap", KEY_NUMBER, .unit = "m", .initial = "auto", .words = "auto", .range = &key_not_negative,
     .help = "between the feet of neighbouring tents; auto: a tenth of a card"},
    MARK_KEY("they are numbered storey by storey, first those that lean, along x, then those that "
             "lie on them"),
};
const struct key_section cards_section = KEY_SECTION_OF(cards_keys);

static const struct key drums_keys[] = {
    ORIGIN_KEY("middle of the base"),
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the corners of the lowest drum's base"},
    {"top_radius", KEY_NUMBER, .unit = "m", .initial = "auto", .words = "auto",
     .range = &key_positive, .help = "at the upper end; auto: the same"},
    {"height", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of all drums"},
    {"count", KEY_INTEGER, .required = true, .range = &key_counting, .help = "drums"},
    {"sides", KEY_INTEGER, .initial = "24", .range = &drum_sides, .help = "of the polygon"},
    {"plinth", KEY_VECTOR, .size = 3, .unit = "m", .initial = "0 0 0", .range = &key_not_negative,
     .help = "lengths of a block below; 0: none"},
    {"capital", KEY_VECTOR, .size = 3, .unit = "m", .initial = "0 0 0", .range = &key_not_negative,
     .help = "lengths of a block above; 0: none"},
    MARK_KEY("they are numbered from below, with plinth and capital"),
};
const struct key_section drums_section = KEY_SECTION_OF(drums_keys);

static const struct key vault_keys[] = {
    ORIGIN_KEY("centre of the circle, middle of the length; the vault spans along x"),
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the circle through the middle"},
    {"thickness", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "radial; the corners lie half of it inside and outside of the radius"},
    {"length", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "along y, half of it on either side"},
    {"angle", KEY_NUMBER, .unit = "deg", .initial = "180", .range = &full_circle,
     .help = "between the two springings; 180 is a semicircle"},
    {"courses", KEY_INTEGER, .required = true, .range = &key_counting,
     .help = "from springing to springing; every second one begins and ends with half a block"},
    {"blocks", KEY_INTEGER, .required = true, .range = &key_counting,
     .help = "whole ones per course"},
    {"abutments", KEY_BOOLEAN, .initial = "true",
     .help = "fixed blocks under the ends, groups NAME.left and NAME.right"},
    MARK_KEY("they are numbered course by course from the left springing, along y"),
};
const struct key_section vault_section = KEY_SECTION_OF(vault_keys);

static const struct key stairs_keys[] = {
    ORIGIN_KEY("lower left front corner; the flight rises along x"),
    {"steps", KEY_INTEGER, .required = true, .range = &key_counting, .help = "courses of stones"},
    {"tread", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of a step, along x"},
    {"rise", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of a step, along z"},
    {"width", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the flight, along y"},
    {"stone", KEY_NUMBER, .unit = "m", .initial = "auto", .words = "auto", .range = &key_positive,
     .help = "length of a stone; auto: two treads, which makes a running bond"},
    MARK_KEY("they are numbered course by course from the ground, along x"),
};
const struct key_section stairs_section = KEY_SECTION_OF(stairs_keys);
