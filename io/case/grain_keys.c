// The keys of clumps, disks and hollow containers.
#include "io/case/sections.h"

#define INERTIA_KEY                                                                                \
    {                                                                                              \
        "inertia_of", KEY_CHOICE, .initial = "sum", .words = "sum union",                          \
                                  .help = "what carries the mass: the spheres one by one, "        \
                                          "overlaps twice, or the solid that they make together"   \
    }

static const struct key clump_keys[] = {
    {"spheres", KEY_CORNERS, .required = true, .size = 4, .unit = "m",
     .help = "[[x, y, z, radius], ...], counted from position"},
    INERTIA_KEY,
};
const struct key_section clump_section = KEY_SECTION_OF(clump_keys);

static const struct key bar_keys[] = {
    {"count", KEY_INTEGER, .required = true, .range = &key_counting, .help = "spheres"},
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of each"},
    {"spacing", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "between their centres, along x; position is the middle"},
    INERTIA_KEY,
};
const struct key_section bar_section = KEY_SECTION_OF(bar_keys);

static const struct key torus_keys[] = {
    {"count", KEY_INTEGER, .required = true, .range = &key_counting, .help = "spheres"},
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of each"},
    {"ring", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "radius of the circle of their centres, about z"},
    INERTIA_KEY,
};
const struct key_section torus_section = KEY_SECTION_OF(torus_keys);

static const struct key disk_keys[] = {
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the disk"},
    {"thickness", KEY_NUMBER, .initial = "1", .unit = "m", .range = &key_positive,
     .help = "across the plane, for its mass"},
};
const struct key_section disk_section = KEY_SECTION_OF(disk_keys);

static const struct key hollow_sphere_keys[] = {
    {"centre", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "of the sphere"},
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the inside"},
};
const struct key_section hollow_sphere_section = KEY_SECTION_OF(hollow_sphere_keys);

static const struct key drum_keys[] = {
    {"centre", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "of the drum"},
    {"axis", KEY_VECTOR, .required = true, .size = 3, .help = "any length"},
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the inside"},
    {"length", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "between the ends"},
    {"ends", KEY_BOOLEAN, .initial = "true",
     .help = "closed by two flat discs; false: bodies may leave"},
};
const struct key_section drum_section = KEY_SECTION_OF(drum_keys);
