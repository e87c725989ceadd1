// The keys of walls made of triangles.
#include "io/case/sections.h"

static const struct key_range sides = {.low = 3, .high = 100000};
static const struct key_range arc = {.low = 0, .low_open = true, .high = 360};

#define AXIS_KEY(help_)                                                                            \
    { "axis", KEY_VECTOR, .size = 3, .initial = "0 0 1", .help = help_ ", any length" }
#define SIDES_KEY                                                                                  \
    {                                                                                              \
        "sides", KEY_INTEGER, .initial = "32", .range = &sides,                                    \
                              .help = "flat sides of the whole circle, corners on it"              \
    }

static const struct key plate_keys[] = {
    {"position", KEY_VECTOR, .required = true, .size = 3, .unit = "m",
     .help = "middle of the rectangle, origin of the polygon"},
    {"normal", KEY_VECTOR, .size = 3, .initial = "0 0 1", .help = "any length; both sides touch"},
    {"tangent", KEY_VECTOR, .size = 3,
     .help = "first side of the rectangle, x of the polygon; else x turned with the normal"},
    {"size", KEY_VECTOR, .one_of = true, .size = 2, .unit = "m", .range = &key_positive,
     .help = "a rectangle: its sides"},
    {"polygon", KEY_CORNERS, .one_of = true, .size = 2, .unit = "m",
     .help = "[[x, y], ...], convex, in either sense"},
};
const struct key_section plate_section = KEY_SECTION_OF(plate_keys);

static const struct key funnel_keys[] = {
    {"position", KEY_VECTOR, .required = true, .size = 3, .unit = "m",
     .help = "middle of the outlet"},
    AXIS_KEY("from the outlet to the mouth"),
    {"outlet", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "radius of the open lower end"},
    {"mouth", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "radius of the open upper end"},
    {"height", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "from the outlet to the mouth"},
    SIDES_KEY,
};
const struct key_section funnel_section = KEY_SECTION_OF(funnel_keys);

static const struct key cone_keys[] = {
    {"position", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "of the tip"},
    AXIS_KEY("from the tip to the open end"),
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the open end"},
    {"height", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "from the tip to the open end"},
    SIDES_KEY,
};
const struct key_section cone_wall_section = KEY_SECTION_OF(cone_keys);

static const struct key cylinder_keys[] = {
    {"position", KEY_VECTOR, .required = true, .size = 3, .unit = "m",
     .help = "middle of the first end"},
    AXIS_KEY("from the first end to the second"),
    {"tangent", KEY_VECTOR, .size = 3,
     .help = "where the arc begins; else at x turned with the axis"},
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "both ends are open"},
    {"length", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "between the ends"},
    {"arc", KEY_NUMBER, .initial = "360", .unit = "deg", .range = &arc,
     .help = "the part of the circle that exists, counter-clockwise about the axis"},
    {"sides", KEY_INTEGER, .initial = "32", .range = &sides,
     .help = "flat sides of the arc, corners on the circle"},
};
const struct key_section cylinder_wall_section = KEY_SECTION_OF(cylinder_keys);

static const struct key surface_keys[] = {
    {"file", KEY_TEXT, .required = true,
     .help = "OBJ or STL, open or closed, any shape; relative to this file"},
    {"scale", KEY_NUMBER, .initial = "1", .range = &key_positive,
     .help = "factor on the lengths of the file; 0.001 when it is in millimetres"},
    {"position", KEY_VECTOR, .size = 3, .unit = "m", .initial = "0 0 0",
     .help = "of the origin of the file"},
    {"orientation", KEY_VECTOR, .size = 4, .initial = "1 0 0 0",
     .help = "quaternion w, x, y, z; any length"},
};
const struct key_section surface_section = KEY_SECTION_OF(surface_keys);
