// The table of the quantities that probes measure.
#ifndef ENGINE_PROBE_QUANTITIES_H
#define ENGINE_PROBE_QUANTITIES_H

#include "engine/probe/probe.h"

// Parts of the definition of a probe.
enum probe_part {
    PROBE_GROUP = 1,
    PROBE_REGION = 2,
    PROBE_AGAINST = 4,
    PROBE_AXIS = 8,
    PROBE_PLANE = 16,
    PROBE_WINDOW = 32,
    PROBE_KINETIC = 64,
    PROBE_BINS = 128,
    PROBE_COLUMN = 256,
    PROBE_PLACE = 512, // a group or a region
};

// What a quantity is computed from, beside the bodies.
enum probe_source {
    PROBE_CONTACTS = 1,   // of the last step
    PROBE_INTERFACES = 2, // of masonry
    PROBE_COUNTS = 4,     // what every step counts
};

// The only list of quantities, in the order of enum gabion_quantity: EACH(enum name, name in files,
// parts that it needs, further parts that it takes, enum probe_source bits, components).
#define PROBE_QUANTITIES(EACH)                                                                     \
    EACH(POSITION, position, PROBE_PLACE, PROBE_GROUP | PROBE_REGION, 0, "x y z")                  \
    EACH(VELOCITY, velocity, PROBE_PLACE, PROBE_GROUP | PROBE_REGION, 0, "x y z")                  \
    EACH(SPIN, spin, PROBE_PLACE, PROBE_GROUP | PROBE_REGION, 0, "x y z")                          \
    EACH(FORCE, force, PROBE_GROUP, 0, PROBE_CONTACTS, "x y z")                                    \
    EACH(MOMENT, moment, PROBE_GROUP, 0, PROBE_CONTACTS, "x y z")                                  \
    EACH(ORIENTATION, orientation, PROBE_GROUP, 0, 0, "w x y z")                                   \
    EACH(ANGLE, angle, PROBE_GROUP | PROBE_AXIS, 0, PROBE_COUNTS, "")                              \
    EACH(DISPLACEMENT, displacement, PROBE_PLACE, PROBE_GROUP | PROBE_REGION | PROBE_AGAINST, 0,   \
         "x y z length")                                                                           \
    EACH(OPENING, opening, 0, PROBE_GROUP | PROBE_AGAINST, PROBE_INTERFACES, "max body_a body_b")  \
    EACH(SLIDING, sliding, 0, PROBE_GROUP | PROBE_AGAINST, PROBE_INTERFACES, "max body_a body_b")  \
    EACH(MASS, mass, 0, PROBE_GROUP | PROBE_REGION, 0, "")                                         \
    EACH(BODY_COUNT, count, 0, PROBE_GROUP | PROBE_REGION, 0, "")                                  \
    EACH(FLOW, flow, PROBE_PLANE, PROBE_GROUP | PROBE_WINDOW, PROBE_COUNTS,                        \
         "rate mass count back_mass back_count")                                                   \
    EACH(STRESS, stress, PROBE_REGION, PROBE_GROUP | PROBE_KINETIC, PROBE_CONTACTS,                \
         "xx xy xz yx yy yz zx zy zz p q")                                                         \
    EACH(FABRIC, fabric, 0, PROBE_GROUP | PROBE_REGION, PROBE_CONTACTS,                            \
         "xx xy xz yy yz zz contacts")                                                             \
    EACH(COORDINATION, coordination, 0, PROBE_GROUP | PROBE_REGION, PROBE_CONTACTS,                \
         "z z_mechanical bodies rattlers")                                                         \
    EACH(REACTION, reaction, PROBE_GROUP, PROBE_PLANE, PROBE_CONTACTS, "x y z px py pz")           \
    EACH(NETWORK, network, 0, PROBE_GROUP | PROBE_REGION | PROBE_BINS, PROBE_CONTACTS,             \
         "contacts mean max above gini participation mobilised sliding")                           \
    EACH(FREE_SURFACE, surface, PROBE_COLUMN, PROBE_GROUP | PROBE_REGION | PROBE_PLANE, 0,         \
         "mean max volume slope repose columns")

// "position velocity ... surface", as in case files.
#define PROBE_WORD(id, name, needs, takes, sources, components) #name " "
#define PROBE_WORDS                                             PROBE_QUANTITIES(PROBE_WORD)

struct quantity {
    const char *name;
    unsigned needs, takes; // enum probe_part bits
    unsigned sources;
    const char *components; // separated by blanks
    void (*measure)(const struct gabion_world *world, const struct probe *probe, double *values);
};
extern const struct quantity probe_quantities[GABION_QUANTITY_COUNT];

// Returns the name of a part as it is in case files.
const char *probe_part_name(enum probe_part part);

// Writes what is wrong with the parts that are given (enum probe_part bits) for a quantity. Returns
// the part that is missing or too much; 0: nothing is wrong.
unsigned probe_parts_defect(enum gabion_quantity quantity, unsigned given, char *text, size_t size);

// One function for each quantity: probe_position, probe_velocity and so on.
#define PROBE_DECLARE(id, name, needs, takes, sources, components)                                 \
    void probe_##name(const struct gabion_world *world, const struct probe *probe, double *values);
PROBE_QUANTITIES(PROBE_DECLARE)
#undef PROBE_DECLARE

#endif
