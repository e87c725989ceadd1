// The keys of drivers, tilt, forces, resets, removals and probes.
#include "io/case/sections.h"

#define SMOOTH_KEY                                                                                 \
    {                                                                                              \
        "smooth", KEY_NUMBER, .unit = "s", .initial = "0", .range = &key_not_negative,             \
                              .help = "length of the smooth run-in and run-out"                    \
    }
#define SINE_KEYS(unit_)                                                                           \
    {"amplitude", KEY_NUMBER, .required = true, .unit = unit_, .help = "largest value"},           \
        {"frequency",                                                                              \
         KEY_NUMBER,                                                                               \
         .required = true,                                                                         \
         .unit = "Hz",                                                                             \
         .range = &key_positive,                                                                   \
         .help = "oscillations per second"},                                                       \
        {"phase", KEY_NUMBER, .unit = "rad", .initial = "0", .help = "angle at start"}, SMOOTH_KEY

static const struct key driver_sine_keys[] = {SINE_KEYS("m, or deg with turn")};
static const struct key_section driver_sine_section = KEY_SECTION_OF(driver_sine_keys);
static const struct key force_sine_keys[] = {SINE_KEYS("N")};
static const struct key_section force_sine_section = KEY_SECTION_OF(force_sine_keys);

static const struct key driver_ramp_keys[] = {
    {"distance", KEY_NUMBER, .one_of = true, .unit = "m",
     .help = "travelled along direction from start to end"},
    {"angle", KEY_NUMBER, .one_of = true, .unit = "deg",
     .help = "turned through from start to end; needs turn"},
    SMOOTH_KEY,
};
static const struct key_section driver_ramp_section = KEY_SECTION_OF(driver_ramp_keys);
static const struct key force_ramp_keys[] = {
    {"force", KEY_NUMBER, .required = true, .unit = "N", .help = "reached at end, from 0 at start"},
    SMOOTH_KEY,
};
static const struct key_section force_ramp_section = KEY_SECTION_OF(force_ramp_keys);
static const struct key tilt_ramp_keys[] = {
    {"angle", KEY_NUMBER, .required = true, .unit = "deg",
     .help = "turned through from start to end"},
    SMOOTH_KEY,
};
static const struct key_section tilt_ramp_section = KEY_SECTION_OF(tilt_ramp_keys);

#define POINTS_KEYS                                                                                \
    {"file", KEY_TEXT, .one_of = true,                                                             \
     .help = "two-column CSV (time, value), header optional; relative to this file"},              \
        {"points", KEY_POINTS, .one_of = true,                                                     \
         .help = "[[time, value], ...], time increasing; two of the same time are a jump"},        \
    {                                                                                              \
        "scale", KEY_NUMBER, .initial = "1", .help = "factor on the values"                        \
    }

static const struct key table_keys[] = {POINTS_KEYS};
static const struct key_section table_section = KEY_SECTION_OF(table_keys);

static const struct key record_keys[] = {
    POINTS_KEYS,
    {"baseline", KEY_CHOICE, .initial = "keep", .words = "keep rest",
     .help = "keep: as recorded, the motion goes on at its last speed; rest: a straight line is "
             "added to the accelerations so that it ends at rest where it began"},
};
static const struct key_section record_section = KEY_SECTION_OF(record_keys);

static const struct key turn_keys[] = {
    {"axis", KEY_VECTOR, .required = true, .size = 3,
     .help = "by the right-hand rule; any length but 0"},
    {"pivot", KEY_VECTOR, .size = 3, .unit = "m", .initial = "0 0 0",
     .help = "a point of the axis, at the start"},
};
static const struct key_section turn_section = KEY_SECTION_OF(turn_keys);

#define TIMES_KEYS                                                                                 \
    {"start", KEY_NUMBER, .unit = "s", .initial = "0", .help = "the action begins at this time"},  \
    {                                                                                              \
        "end", KEY_NUMBER,                                                                         \
            .unit = "s", .initial = "inf", .words = "inf",                                         \
            .help = "the action ends at this time, and a ramp reaches its final value"             \
    }
// Exactly one of the two is given (io/case/rules.c).
#define GROUP_KEYS                                                                                 \
    {"group", KEY_NAME, .help = "a body name, or CONTAINER.WALL"}, {                               \
        "groups", KEY_NAMES, .help = "several of them, instead of group"                           \
    }

static const struct key driver_keys[] = {
    GROUP_KEYS,
    {"direction", KEY_VECTOR, .either = true, .size = 3,
     .help = "the bodies move along it, in metres; any length but 0"},
    {"turn", KEY_SECTION, .either = true, .section = &turn_section,
     .help = "the bodies turn about an axis, in degrees"},
    TIMES_KEYS,
    {"velocity", KEY_NUMBER, .one_of = true, .unit = "m/s",
     .help = "constant speed along direction"},
    {"rate", KEY_NUMBER, .one_of = true, .unit = "deg/s", .help = "constant speed of a turn"},
    {"sine", KEY_SECTION, .one_of = true, .section = &driver_sine_section,
     .help = "amplitude sin(2 pi frequency (t - start) + phase)"},
    {"ramp", KEY_SECTION, .one_of = true, .section = &driver_ramp_section,
     .help = "a distance or an angle between start and end, at constant speed except during the "
             "smooth run-in and run-out"},
    {"table", KEY_SECTION, .one_of = true, .section = &table_section,
     .help = "displacement along direction in m, or angle of a turn in deg, interpolated linearly "
             "between points of (time of the simulation, value) times scale; counted from the "
             "value at start, held after the last point"},
    {"record", KEY_SECTION, .one_of = true, .section = &record_section,
     .help = "accelerogram: acceleration in m/s2 (deg/s2 of a turn), linear between points of "
             "(time since start, value) times scale, integrated exactly from rest"},
};
const struct key_section driver_section = KEY_SECTION_OF(driver_keys);

static const struct key tilt_keys[] = {
    {"axis", KEY_VECTOR, .required = true, .size = 3,
     .help = "gravity turns about it by the right-hand rule; any length but 0"},
    TIMES_KEYS,
    {"rate", KEY_NUMBER, .one_of = true, .unit = "deg/s", .help = "constant speed"},
    {"ramp", KEY_SECTION, .one_of = true, .section = &tilt_ramp_section,
     .help = "an angle between start and end"},
    {"table", KEY_SECTION, .one_of = true, .section = &table_section,
     .help = "angle in deg, interpolated linearly between points of (time of the simulation, "
             "value) times scale; counted from the value at start, held after the last point"},
};
const struct key_section tilt_section = KEY_SECTION_OF(tilt_keys);

static const struct key force_keys[] = {
    GROUP_KEYS,
    {"direction", KEY_VECTOR, .required = true, .size = 3, .help = "any length but 0"},
    TIMES_KEYS,
    {"constant", KEY_NUMBER, .one_of = true, .unit = "N", .help = "on every body of the group"},
    {"sine", KEY_SECTION, .one_of = true, .section = &force_sine_section,
     .help = "amplitude sin(2 pi frequency (t - start) + phase)"},
    {"ramp", KEY_SECTION, .one_of = true, .section = &force_ramp_section,
     .help = "from 0 at start to a force at end"},
    {"table", KEY_SECTION, .one_of = true, .section = &table_section,
     .help = "force along direction in N, interpolated linearly between points of (time of the "
             "simulation, value) times scale; held after the last point"},
};
const struct key_section force_section = KEY_SECTION_OF(force_keys);

static const struct key reset_keys[] = {
    GROUP_KEYS,
    {"time", KEY_NUMBER, .required = true, .unit = "s", .range = &key_not_negative, .help = "when"},
    {"velocity", KEY_VECTOR, .size = 3, .unit = "m/s", .initial = "0 0 0", .help = "from then on"},
    {"spin", KEY_VECTOR, .size = 3, .unit = "rad/s", .initial = "0 0 0", .help = "from then on"},
};
const struct key_section reset_section = KEY_SECTION_OF(reset_keys);

static const struct key removal_keys[] = {
    {"group", KEY_NAME,
     .help = "a body name, or CONTAINER.WALL; with region it may be left out: all moving bodies"},
    {"groups", KEY_NAMES, .help = "several of them, instead of group"},
    {"region", KEY_SECTION, .section = &region_section,
     .help = "only bodies whose centre of mass is in it"},
    {"time", KEY_NUMBER, .one_of = true, .unit = "s", .range = &key_not_negative, .help = "when"},
    {"from", KEY_NUMBER, .one_of = true, .unit = "s", .range = &key_not_negative,
     .help = "bodies leave whenever they are in the region, from this time on"},
    {"until", KEY_NUMBER, .unit = "s", .initial = "inf", .words = "inf",
     .help = "and up to this time"},
};
const struct key_section removal_section = KEY_SECTION_OF(removal_keys);

static const struct key probe_keys[] = {
    {"name", KEY_NAME, .required = true, .help = "column in history.csv"},
    {"group", KEY_NAME, .required = true, .help = "a body name, or CONTAINER.WALL"},
    {"quantity", KEY_CHOICE, .required = true, .words = "position velocity spin force moment",
     .help = "mean over the group; force, moment: sum of the forces of contacts and joints on it, "
             "and of their moments about its mean position, N and N m"},
};
const struct key_section probe_section = KEY_SECTION_OF(probe_keys);
