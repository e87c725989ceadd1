#include <string.h>

#include "engine/world/world.h"
#include "io/case/case_file.h"
#include "io/case/region.h"
#include "io/text/number.h"
#include "parallel/memory.h"

bool case_find_group(const struct yaml_node *name, const struct gabion_world *world, int *group,
                     struct gabion_error *error) {
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

static void read_points(struct fields table, struct gabion_signal *signal) {
    const struct yaml_node *points = fields_node(table, "points");
    signal->amplitude = fields_number(table, "scale");
    signal->points = (int)points->count;
    double *time = memory_allocate(points->count, sizeof *time, "table");
    double *value = memory_allocate(points->count, sizeof *value, "table");
    for (size_t i = 0; i < points->count; i++) {
        number_parse(points->item[i]->item[0]->text, &time[i]);
        number_parse(points->item[i]->item[1]->text, &value[i]);
    }
    signal->table_time = time;
    signal->table_value = value;
}

static bool read_plain(struct fields fields, struct gabion_signal *signal) {
    static const struct {
        const char *key;
        enum gabion_signal_kind kind;
    } plain[] = {{"constant", GABION_SIGNAL_CONSTANT},
                 {"velocity", GABION_SIGNAL_LINEAR},
                 {"rate", GABION_SIGNAL_LINEAR}};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (fields_have(fields, plain[k].key)) {
            signal->kind = plain[k].kind;
            signal->amplitude = fields_number(fields, plain[k].key);
            return true;
        }
    return false;
}

static void read_sine(struct fields sine, struct gabion_signal *signal) {
    signal->kind = GABION_SIGNAL_SINE;
    signal->amplitude = fields_number(sine, "amplitude");
    signal->frequency = fields_number(sine, "frequency");
    signal->phase = fields_number(sine, "phase");
    signal->smooth = fields_number(sine, "smooth");
}

static void read_ramp(struct fields ramp, struct gabion_signal *signal) {
    const char *size = fields_have(ramp, "distance") ? "distance"
                       : fields_have(ramp, "angle")  ? "angle"
                                                     : "force";
    signal->kind = GABION_SIGNAL_RAMP;
    signal->amplitude = fields_number(ramp, size);
    signal->smooth = fields_number(ramp, "smooth");
}

// Reads the signal of a driver, a tilt or a force, in the units of the file. The caller frees its
// tables.
static struct gabion_signal read_signal(struct fields fields) {
    struct gabion_signal signal = {
        .start = fields_number(fields, "start"),
        .end = fields_number(fields, "end"),
    };
    if (read_plain(fields, &signal))
        return signal;
    if (fields_have(fields, "sine")) {
        read_sine(fields_section(fields, "sine"), &signal);
    } else if (fields_have(fields, "ramp")) {
        read_ramp(fields_section(fields, "ramp"), &signal);
    } else if (fields_have(fields, "record")) {
        struct fields record = fields_section(fields, "record");
        signal.kind = GABION_SIGNAL_RECORD;
        signal.returns = strcmp(fields_text(record, "baseline"), "rest") == 0;
        read_points(record, &signal);
    } else {
        signal.kind = GABION_SIGNAL_TABLE;
        read_points(fields_section(fields, "table"), &signal);
    }
    return signal;
}

static void free_signal(struct gabion_signal *signal) {
    memory_free((double *)signal->table_time);
    memory_free((double *)signal->table_value);
}

static vec3 unit(vec3 a) { return vec3_scale(1.0 / vec3_length(a), a); }

#define DEGREE 0.01745329251994329577 // rad

static bool add_driver(struct fields fields, int group, struct gabion_world *world,
                       struct gabion_error *error) {
    struct gabion_signal signal = read_signal(fields);
    bool good;
    if (fields_have(fields, "turn")) {
        struct fields turn = fields_section(fields, "turn");
        signal.amplitude *= DEGREE;
        good = gabion_add_rotation(world, group, fields_vector(turn, "pivot"),
                                   fields_vector(turn, "axis"), &signal, error);
    } else {
        good = gabion_add_driver(world, group, unit(fields_vector(fields, "direction")), &signal,
                                 error);
    }
    free_signal(&signal);
    return good;
}

static bool set_tilt(struct fields tilt, struct gabion_world *world, struct gabion_error *error) {
    struct gabion_signal signal = read_signal(tilt);
    signal.amplitude *= DEGREE;
    bool good = gabion_set_tilt(world, fields_vector(tilt, "axis"), &signal, error);
    free_signal(&signal);
    return good || yaml_error_context(error, tilt.node->at);
}

static bool add_force(struct fields fields, int group, struct gabion_world *world,
                      struct gabion_error *error) {
    struct gabion_signal signal = read_signal(fields);
    bool good =
        gabion_add_force(world, group, unit(fields_vector(fields, "direction")), &signal, error);
    free_signal(&signal);
    return good;
}

static bool add_reset(struct fields fields, int group, struct gabion_world *world,
                      struct gabion_error *error) {
    return gabion_add_reset(world, group, fields_number(fields, "time"),
                            fields_vector(fields, "velocity"), fields_vector(fields, "spin"),
                            error);
}

static bool add_region_removal(struct fields fields, int group, struct gabion_world *world,
                               struct gabion_error *error) {
    bool once = fields_have(fields, "time");
    double from = fields_number(fields, once ? "time" : "from");
    struct region region;
    bool good = case_read_region(fields_section(fields, "region"), &region, error);
    // The kinds of regions are in the same order inside and outside of the engine.
    struct gabion_region given = {
        .kind = (enum gabion_region_kind)region.kind,
        .outside = region.outside,
        .low = region.low,
        .high = region.high,
        .position = region.position,
        .axis = region.axis,
        .radius = region.radius,
        .inner = region.inner,
        .end_radius = region.end_radius,
        .length = region.length,
        .corner = region.corner,
        .triangles = region.triangles,
    };
    good = good && gabion_add_region_removal(world, group, &given, from,
                                             once ? from : fields_number(fields, "until"), error);
    region_free(&region);
    return good;
}

static bool add_removal(struct fields fields, int group, struct gabion_world *world,
                        struct gabion_error *error) {
    if (fields_have(fields, "region"))
        return add_region_removal(fields, group, world, error);
    return gabion_add_removal(world, group, fields_number(fields, "time"), error);
}

static bool add_probe(struct fields fields, int group, struct gabion_world *world,
                      struct gabion_error *error) {
    // The words of the key table are in the order of enum gabion_quantity.
    return gabion_add_probe(world, fields_text(fields, "name"), group,
                            (enum gabion_quantity)fields_choice(fields, "quantity"), error) >= 0;
}

static bool watch_fall(struct fields stop, struct gabion_world *world, struct gabion_error *error) {
    int group;
    return !fields_have(stop, "fall_group") ||
           (case_find_group(fields_node(stop, "fall_group"), world, &group, error) &&
            gabion_watch_fall(world, group, error));
}

typedef bool action_adder(struct fields, int, struct gabion_world *, struct gabion_error *);

static bool add_to_group(struct fields entry, const struct yaml_node *name, action_adder *add,
                         struct gabion_world *world, struct gabion_error *error) {
    int group;
    if (!case_find_group(name, world, &group, error))
        return false;
    return add(entry, group, world, error) || yaml_error_context(error, entry.node->at);
}

// Adds an action for each group that it names.
static bool add_action(struct fields entry, action_adder *add, struct gabion_world *world,
                       struct gabion_error *error) {
    const struct yaml_node *group = fields_node(entry, "group");
    const struct yaml_node *groups = yaml_find(entry.node, "groups");
    if (groups && groups->kind == YAML_SCALAR) // one name needs no list
        return add_to_group(entry, groups, add, world, error);
    for (size_t k = 0; groups && k < groups->count; k++)
        if (!add_to_group(entry, groups->item[k], add, world, error))
            return false;
    if (groups)
        return true;
    if (group)
        return add_to_group(entry, group, add, world, error);
    return add(entry, -1, world, error) || yaml_error_context(error, entry.node->at);
}

bool case_displacement_group(const struct case_file *file, const struct gabion_world *world,
                             int *group, struct gabion_error *error) {
    struct fields top = case_fields(file);
    *group = -1;
    if (!fields_have(top, "output"))
        return true;
    struct fields output = fields_section(top, "output");
    return !fields_have(output, "displacement_of") ||
           case_find_group(fields_node(output, "displacement_of"), world, group, error);
}

// Before a run takes a folder: a group that is not there must not cost the results of another run.
static bool check_reference(const struct case_file *file, const struct gabion_world *world,
                            struct gabion_error *error) {
    struct vtk_reference reference;
    int group;
    return case_displacement_group(file, world, &group, error) &&
           (gabion_step_number(world) > 0 || vtk_reference_begin(&reference, world, group, error));
}

bool case_add_actions(const struct case_file *file, struct gabion_world *world,
                      struct gabion_error *error) {
    static const struct {
        const char *list;
        action_adder *add;
    } sources[] = {{"drivers", add_driver},
                   {"forces", add_force},
                   {"resets", add_reset},
                   {"removals", add_removal},
                   {"probes", add_probe}};
    struct fields top = case_fields(file);
    if (!check_reference(file, world, error))
        return false;
    if (fields_have(top, "tilt") && !set_tilt(fields_section(top, "tilt"), world, error))
        return false;
    if (fields_have(top, "stop") && !watch_fall(fields_section(top, "stop"), world, error))
        return false;
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
        for (size_t i = 0; i < fields_count(top, sources[k].list); i++) {
            struct fields entry = fields_entry(top, sources[k].list, i);
            if (!add_action(entry, sources[k].add, world, error))
                return false;
        }
    return true;
}
