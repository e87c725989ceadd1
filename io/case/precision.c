#include "io/case/precision.h"

#include <string.h>

#include "engine/world/world.h"

// Measured in docs/solvers.md, "What a tolerance leaves".
#define TOLERANCE_OF_FORCES 1e-6

static bool has_moving_blocks(const struct bodies *bodies) {
    for (int32_t i = 0; i < bodies->count; i++)
        if (bodies->mass[i] > 0 && bodies_shape(bodies, i)->block)
            return true;
    return false;
}

// Returns the first probe that reads forces; its node is NULL where there is none.
static struct fields find_force(struct fields file) {
    for (size_t i = 0; i < fields_count(file, "probes"); i++) {
        struct fields probe = fields_entry(file, "probes", i);
        const char *quantity = fields_text(probe, "quantity");
        if (strcmp(quantity, "force") == 0 || strcmp(quantity, "moment") == 0 ||
            strcmp(quantity, "reaction") == 0)
            return probe;
    }
    return (struct fields){0};
}

void case_note_precision(struct fields file, const struct gabion_world *world,
                         struct remarks *remarks) {
    struct fields probe = find_force(file);
    char place[400];
    if (!probe.node || !(world->settings.tolerance > TOLERANCE_OF_FORCES) ||
        fields_count(file, "drivers") == 0 || !has_moving_blocks(&world->bodies))
        return;
    yaml_print_position(place, sizeof place, probe.node->at);
    remarks_add(remarks, false,
                "%s: probe %s reads forces of driven blocks with solver.tolerance %g, which suits "
                "their motion: forces of single solved steps may be off by a tenth of the weight; "
                "take solver.tolerance: 1e-6 for those",
                place, fields_text(probe, "name"), world->settings.tolerance);
}
