#include "engine/world.h"
#include "io/case_file.h"
#include "io/number.h"
#include "parallel/memory.h"

static bool find_group(struct fields fields, const struct gabion_world *world, int *group,
                       struct error *error) {
    const struct yaml_node *name = fields_node(fields, "group");
    *group = gabion_find_group(world, name->text);
    if (*group >= 0)
        return true;
    char hint[128];
    struct suggestion suggestion = suggestion_start(name->text);
    for (int i = 0; i < world->groups.count; i++)
        suggestion_consider(&suggestion, world->groups.name[i]);
    return yaml_error(error, name->at,
                      "no group \"%s\"; a group is the name of a body, generator or import, or "
                      "CONTAINER.WALL%s",
                      name->text, suggestion_print(&suggestion, hint, sizeof hint));
}

static void read_table(struct fields table, struct gabion_signal *signal) {
    const struct yaml_node *points = fields_node(table, "points");
    signal->kind = GABION_SIGNAL_TABLE;
    signal->amplitude = fields_number(table, "scale");
    signal->points = (int)points->count;
    signal->table_time = memory_allocate(points->count, sizeof(double), "table");
    signal->table_value = memory_allocate(points->count, sizeof(double), "table");
    for (size_t i = 0; i < points->count; i++) {
        number_parse(points->item[i]->item[0]->text, &signal->table_time[i]);
        number_parse(points->item[i]->item[1]->text, &signal->table_value[i]);
    }
}

// A driver gives a velocity or a ramp of a distance where a force gives a constant or a ramp of a
// force. The tables of the signal belong to the caller.
static void read_signal(struct fields fields, bool driver, struct gabion_signal *signal) {
    *signal = (struct gabion_signal){
        .start = fields_number(fields, "start"),
        .end = fields_number(fields, "end"),
    };
    const char *plain = driver ? "velocity" : "constant";
    if (fields_have(fields, plain)) {
        signal->kind = driver ? GABION_SIGNAL_LINEAR : GABION_SIGNAL_CONSTANT;
        signal->amplitude = fields_number(fields, plain);
    } else if (fields_have(fields, "sine")) {
        struct fields sine = fields_section(fields, "sine");
        signal->kind = GABION_SIGNAL_SINE;
        signal->amplitude = fields_number(sine, "amplitude");
        signal->frequency = fields_number(sine, "frequency");
        signal->phase = fields_number(sine, "phase");
        signal->smooth = fields_number(sine, "smooth");
    } else if (fields_have(fields, "ramp")) {
        struct fields ramp = fields_section(fields, "ramp");
        signal->kind = GABION_SIGNAL_RAMP;
        signal->amplitude = fields_number(ramp, driver ? "distance" : "force");
        signal->smooth = fields_number(ramp, "smooth");
    } else {
        read_table(fields_section(fields, "table"), signal);
    }
}

static bool add_signal(struct fields fields, int group, bool driver, struct gabion_world *world,
                       struct error *error) {
    struct gabion_signal signal;
    vec3 direction = fields_vector(fields, "direction");
    direction = vec3_scale(1.0 / vec3_length(direction), direction);
    read_signal(fields, driver, &signal);
    bool good = driver ? gabion_add_driver(world, group, direction, &signal, error)
                       : gabion_add_force(world, group, direction, &signal, error);
    memory_free(signal.table_time);
    memory_free(signal.table_value);
    return good;
}

static bool add_driver(struct fields fields, int group, struct gabion_world *world,
                       struct error *error) {
    return add_signal(fields, group, true, world, error);
}

static bool add_force(struct fields fields, int group, struct gabion_world *world,
                      struct error *error) {
    return add_signal(fields, group, false, world, error);
}

static bool add_reset(struct fields fields, int group, struct gabion_world *world,
                      struct error *error) {
    return gabion_add_reset(world, group, fields_number(fields, "time"),
                            fields_vector(fields, "velocity"), fields_vector(fields, "spin"),
                            error);
}

static bool add_removal(struct fields fields, int group, struct gabion_world *world,
                        struct error *error) {
    return gabion_add_removal(world, group, fields_number(fields, "time"), error);
}

static bool add_probe(struct fields fields, int group, struct gabion_world *world,
                      struct error *error) {
    // The words of the key table are in the order of enum gabion_quantity.
    return gabion_add_probe(world, fields_text(fields, "name"), group,
                            (enum gabion_quantity)fields_choice(fields, "quantity"), error) >= 0;
}

bool case_add_actions(const struct case_file *file, struct gabion_world *world,
                      struct error *error) {
    static const struct {
        const char *list;
        bool (*add)(struct fields, int, struct gabion_world *, struct error *);
    } sources[] = {{"drivers", add_driver},
                   {"forces", add_force},
                   {"resets", add_reset},
                   {"removals", add_removal},
                   {"probes", add_probe}};
    struct fields top = case_fields(file);
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
        for (size_t i = 0; i < fields_count(top, sources[k].list); i++) {
            struct fields entry = fields_entry(top, sources[k].list, i);
            int group;
            if (!find_group(entry, world, &group, error))
                return false;
            if (!sources[k].add(entry, group, world, error))
                return yaml_error_context(error, entry.node->at);
        }
    return true;
}
