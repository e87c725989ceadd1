// The keys of lattices and fills: what they consist of, which sizes, where.
#include "io/case/sections.h"

static const struct key_range hull_points = {.low = 4.0, .high = 1000.0};
static const struct key_range exponents = {.low = -20.0, .high = 20.0};

// ---- sizes ----

#define CUT_KEYS                                                                                   \
    {"low",                                                                                        \
     KEY_NUMBER,                                                                                   \
     .unit = "m",                                                                                  \
     .initial = "0",                                                                               \
     .range = &key_not_negative,                                                                   \
     .help = "smaller radii are drawn again"},                                                     \
    {                                                                                              \
        "high", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,                 \
                            .help = "larger radii are drawn again"                                 \
    }

static const struct key normal_keys[] = {
    {"mean", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the radius"},
    {"deviation", KEY_NUMBER, .required = true, .unit = "m", .range = &key_not_negative,
     .help = "standard deviation of the radius"},
    CUT_KEYS,
};
static const struct key_section normal_section = KEY_SECTION_OF(normal_keys);

static const struct key lognormal_keys[] = {
    {"median", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the radius"},
    {"sigma", KEY_NUMBER, .required = true, .range = &key_not_negative,
     .help = "standard deviation of the logarithm of the radius"},
    CUT_KEYS,
};
static const struct key_section lognormal_section = KEY_SECTION_OF(lognormal_keys);

static const struct key power_keys[] = {
    {"exponent", KEY_NUMBER, .required = true, .range = &exponents,
     .help = "n of the number of bodies per length of radius, ~ radius^-n; a fractal dimension is "
             "n - 1"},
    {"low", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "smallest radius"},
    {"high", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "largest radius"},
};
static const struct key_section power_section = KEY_SECTION_OF(power_keys);

static const struct key class_keys[] = {
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the class"},
    {"share", KEY_NUMBER, .required = true, .range = &key_positive,
     .help = "by number, relative to the other classes"},
};
static const struct key_section class_section = KEY_SECTION_OF(class_keys);

static const struct key size_keys[] = {
    {"uniform", KEY_VECTOR, .one_of = true, .size = 2, .unit = "m", .range = &key_positive,
     .help = "[low, high], evenly by number"},
    {"normal", KEY_SECTION, .one_of = true, .section = &normal_section, .help = "normal, cut"},
    {"lognormal", KEY_SECTION, .one_of = true, .section = &lognormal_section,
     .help = "log-normal, cut"},
    {"power", KEY_SECTION, .one_of = true, .section = &power_section, .help = "a power law"},
    {"sieve", KEY_CORNERS, .one_of = true, .size = 2,
     .help = "a grading curve: [[radius, share of the volume that is finer], ...], from a share of "
             "0 on, linear over the logarithm of the radius"},
    {"classes", KEY_ENTRIES, .one_of = true, .section = &class_section, .help = "a few sizes"},
};
static const struct key_section size_section = KEY_SECTION_OF(size_keys);

// ---- what is placed ----

static const struct key disks_keys[] = {
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .section = &size_section, .help = "of the disks, or its distribution"},
    {"thickness", KEY_NUMBER, .initial = "1", .unit = "m", .range = &key_positive,
     .help = "across the plane, for their mass"},
};
static const struct key_section disks_section = KEY_SECTION_OF(disks_keys);

static const struct key random_hull_keys[] = {
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .section = &size_section,
     .help = "of the sphere that aspect makes an ellipsoid of, or its "
             "distribution"},
    {"aspect", KEY_VECTOR, .size = 3, .initial = "1 1 1", .range = &key_positive,
     .help = "semi-axes of the ellipsoid, times the radius"},
    {"points", KEY_INTEGER, .initial = "16", .range = &hull_points,
     .help = "drawn evenly over the sphere; few give angular bodies"},
};
static const struct key_section random_hull_section = KEY_SECTION_OF(random_hull_keys);

#define GRAIN_KEYS                                                                                 \
    {"radius",                                                                                     \
     KEY_NUMBER,                                                                                   \
     .one_of = true,                                                                               \
     .unit = "m",                                                                                  \
     .range = &key_positive,                                                                       \
     .section = &size_section,                                                                     \
     .help = "spheres: their radius, or its distribution"},                                        \
        {"clump", KEY_SECTION, .one_of = true, .section = &clump_section,                          \
         .help = "rigid bodies made of spheres"},                                                  \
        {"bar", KEY_SECTION, .one_of = true, .section = &bar_section, .help = "clumps in a row"},  \
        {"torus", KEY_SECTION, .one_of = true, .section = &torus_section, .help = "rings"},        \
        {"disk", KEY_SECTION, .one_of = true, .section = &disks_section,                           \
         .help = "disks in a plane"},                                                              \
        {"box", KEY_SECTION, .one_of = true, .section = &box_shape_section, .help = "blocks"},     \
        {"prism", KEY_SECTION, .one_of = true, .section = &prism_section,                          \
         .help = "convex polygons of some height"},                                                \
        {"hull", KEY_SECTION, .one_of = true, .section = &hull_section,                            \
         .help = "convex hulls of points"},                                                        \
        {"mesh", KEY_SECTION, .one_of = true, .section = &mesh_section,                            \
         .help = "one body: a mesh of one piece, or glued"},                                       \
        {"compound", KEY_SECTION, .one_of = true, .section = &compound_section,                    \
         .help = "rigid bodies made of convex parts"},                                             \
        {"random_hull", KEY_SECTION, .one_of = true, .section = &random_hull_section,              \
         .help = "hulls of random points of an ellipsoid, each another one"},                      \
        {"scale",                                                                                  \
         KEY_NUMBER,                                                                               \
         .initial = "1",                                                                           \
         .range = &key_positive,                                                                   \
         .section = &size_section,                                                                 \
         .help = "factor on all lengths of a clump, box, prism, hull, mesh or compound, or its "   \
                 "distribution"},                                                                  \
    {                                                                                              \
        "turned", KEY_BOOLEAN, .initial = "false", .help = "at random orientations"                \
    }

static const struct key kind_keys[] = {
    {"share", KEY_NUMBER, .required = true, .range = &key_positive,
     .help = "relative to the other kinds"},
    GRAIN_KEYS,
    {"name", KEY_NAME, .help = "group of these bodies, instead of the generator's"},
    {"material", KEY_MATERIAL, .help = "instead of the generator's"},
    {"density", KEY_NUMBER, .unit = "kg/m3", .range = &key_positive,
     .help = "instead of the generator's or the material's"},
};
static const struct key_section kind_section = KEY_SECTION_OF(kind_keys);

#define MIXTURE_KEYS                                                                               \
    GRAIN_KEYS,                                                                                    \
        {"mixture", KEY_ENTRIES, .one_of = true, .section = &kind_section,                         \
         .help = "several kinds of bodies"},                                                       \
        {"shares", KEY_CHOICE, .initial = "number", .words = "number volume mass",                 \
         .help = "what the shares of a mixture count"},                                            \
    {                                                                                              \
        "seed", KEY_INTEGER, .initial = "1", .range = &key_exact,                                  \
                             .help = "of the random numbers: equal seeds give equal bodies"        \
    }

// ---- generators ----

static const struct key lattice_keys[] = {
    {"origin", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "first site"},
    {"spacing", KEY_NUMBER, .required = true, .size = 3, .unit = "m", .range = &key_positive,
     .help = "between sites, one number or one per axis"},
    {"count", KEY_INTEGERS, .required = true, .size = 3, .range = &key_counting,
     .help = "sites along x, y, z; x runs fastest"},
    {"jitter", KEY_NUMBER, .initial = "0", .range = &key_not_negative,
     .help = "largest shift along each axis, as a fraction of the spacing"},
    {"limit", KEY_INTEGER, .initial = "0", .range = &key_exact,
     .help = "bodies; 0: one on every site"},
    MIXTURE_KEYS,
};
const struct key_section lattice_section = KEY_SECTION_OF(lattice_keys);

static const struct key fill_keys[] = {
    {"min", KEY_VECTOR, .size = 3, .unit = "m",
     .help = "lower corner of a box; with max, instead of region"},
    {"max", KEY_VECTOR, .size = 3, .unit = "m", .help = "upper corner; bodies lie wholly inside"},
    {"region", KEY_SECTION, .section = &region_section,
     .help = "that bodies lie in wholly; instead of min and max"},
    {"count", KEY_INTEGER, .required = true, .range = &key_counting, .help = "bodies"},
    {"attempts", KEY_INTEGER, .initial = "1000", .range = &key_counting,
     .help = "random places tried per body before the region counts as full"},
    {"if_full", KEY_CHOICE, .initial = "reject", .words = "reject accept",
     .help = "fewer bodies than count: an error, or a warning"},
    {"rate", KEY_NUMBER, .unit = "1/s", .initial = "0", .range = &key_not_negative,
     .help = "bodies enter one after the other from insert_time on, so many per second; 0: all at "
             "once"},
    MIXTURE_KEYS,
};
const struct key_section fill_section = KEY_SECTION_OF(fill_keys);
