#include "engine/probe/quantities.h"

#include <stdio.h>

#define ROW(id, name, needs, takes, sources, components)                                           \
    [GABION_##id] = {#name, needs, takes, sources, components, probe_##name},

const struct quantity probe_quantities[GABION_QUANTITY_COUNT] = {PROBE_QUANTITIES(ROW)};

const char *probe_part_name(enum probe_part part) {
    switch (part) {
    case PROBE_GROUP:
        return "group";
    case PROBE_REGION:
        return "region";
    case PROBE_AGAINST:
        return "against";
    case PROBE_AXIS:
        return "axis";
    case PROBE_PLANE:
        return "plane";
    case PROBE_WINDOW:
        return "window";
    case PROBE_KINETIC:
        return "kinetic";
    case PROBE_BINS:
        return "bins";
    case PROBE_COLUMN:
        return "column";
    case PROBE_PLACE:
        return "group or region";
    }
    return "";
}

unsigned probe_parts_defect(enum gabion_quantity quantity, unsigned given, char *text,
                            size_t size) {
    const struct quantity *row = &probe_quantities[quantity];
    if (given & (PROBE_GROUP | PROBE_REGION))
        given |= PROBE_PLACE;
    unsigned allowed = row->needs | row->takes | PROBE_PLACE;
    for (unsigned part = 1; part <= PROBE_PLACE; part *= 2) {
        const char *name = probe_part_name((enum probe_part)part);
        if (row->needs & part && !(given & part)) {
            snprintf(text, size, "quantity %s needs the key %s", row->name, name);
            return part;
        }
        if (given & part && !(allowed & part)) {
            snprintf(text, size, "quantity %s takes no %s; remove this key", row->name, name);
            return part;
        }
    }
    if (given & PROBE_AGAINST && !(given & PROBE_GROUP)) {
        snprintf(text, size, "the key against needs the key group beside it");
        return PROBE_AGAINST;
    }
    return 0;
}
