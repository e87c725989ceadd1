#include "io/case/case_file.h"

#include <string.h>

#include "io/case/check.h"
#include "parallel/memory.h"

static void read_settings(struct fields file, struct gabion_settings *settings) {
    struct fields time = fields_section(file, "time"), contact = fields_section(file, "contact");
    struct fields solver = fields_section(file, "solver");
    *settings = (struct gabion_settings){
        .step = fields_number(time, "step"),
        .end = fields_number(time, "end"),
        .theta = fields_number(time, "theta"),
        .gravity = fields_vector(file, "gravity"),
        .scheme = (enum gabion_scheme)fields_choice(time, "scheme"),
        // The words of the key table are in the order of the enums.
        .gap = (enum gabion_gap)fields_choice(contact, "gap"),
        .alert = fields_number(contact, "alert"),
        .restitution_cutoff = fields_number(contact, "restitution_cutoff"),
        .projection = (int)fields_integer(contact, "projection"),
        .gamma = fields_number(contact, "gamma"),
        .restitution_velocity =
            (enum gabion_restitution_velocity)fields_choice(contact, "restitution_velocity"),
        .joint_correction = fields_number(contact, "joint_correction"),
        .method = (enum gabion_method)fields_choice(solver, "method"),
        .local = (enum gabion_local)fields_choice(solver, "local"),
        .tolerance = fields_number(solver, "tolerance"),
        .measure = (enum gabion_measure)fields_choice(solver, "measure"),
        .max_sweeps = (int)fields_integer(solver, "max_sweeps"),
        .relaxation = fields_number(solver, "relaxation"),
        .momentum = fields_boolean(solver, "momentum"),
        .cone = {.sides = (int)fields_integer(solver, "cone_sides"),
                 .outer = fields_choice(solver, "cone") == 1,
                 .angle = fields_number(solver, "cone_angle") * M_PI / 180},
        .on_cap = (enum gabion_on_cap)fields_choice(solver, "on_cap"),
        .time_budget = fields_number(solver, "time_budget"),
    };
    double budget[3];
    fields_components(solver, "budget", budget);
    settings->budget = (struct gabion_budget){(int)budget[0], (int)budget[1], (int)budget[2]};
    if (fields_have(file, "gravity_ramp")) {
        struct fields ramp = fields_section(file, "gravity_ramp");
        settings->gravity_ramp_start = fields_number(ramp, "start");
        settings->gravity_ramp_end = fields_number(ramp, "end");
    }
    if (fields_have(file, "stop")) {
        struct fields stop = fields_section(file, "stop");
        settings->rest_speed = fields_number(stop, "rest_speed");
        settings->rest_duration = fields_number(stop, "rest_duration");
    }
}

static void read_output(struct fields output, struct output_settings *settings) {
    *settings = (struct output_settings){
        .vtk_every = (int)fields_integer(output, "vtk_every"),
        .blocks = (enum vtk_blocks)fields_choice(output, "blocks"),
        .checkpoint_every = (int)fields_integer(output, "checkpoint_every"),
        .history_every = (int)fields_integer(output, "history_every"),
        .frames_every = (int)fields_integer(output, "frames_every"),
        .checkpoint_keep = (int)fields_integer(output, "checkpoint_keep"),
    };
}

// The part that a case from files and one from a checkpoint have in common. Takes `file`.
static struct case_file *finish(struct case_file *file, struct gabion_error *error) {
    size_t size;
    if (!file->root || !case_check(file->root, error)) {
        case_free(file);
        return NULL;
    }
    file->text = yaml_emit(file->root, &size);
    if (size > YAML_SIZE_MAX) { // it could not be read back on resume
        error_set(error, GABION_ERROR_INPUT,
                  "the case with its included files and tables is larger than %zu MiB",
                  YAML_SIZE_MAX >> 20);
        case_free(file);
        return NULL;
    }
    read_settings(case_fields(file), &file->settings);
    read_output(fields_section(case_fields(file), "output"), &file->output);
    return file;
}

struct case_file *case_load(const char *path, const char *const *overrides, int override_count,
                            struct gabion_error *error) {
    struct case_file *file = memory_allocate(1, sizeof *file, "case");
    file->root = case_resolve(path, overrides, override_count, &file->origins, error);
    return finish(file, error);
}

static bool may_change(const char *override) {
    static const char *const allowed[] = {"solver.", "contact.", "output.", "stop.", "time.end="};
    for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
        if (strncmp(override, allowed[k], strlen(allowed[k])) == 0)
            return true;
    return false;
}

static bool override_resolved(struct case_file *file, const char *override,
                              struct gabion_error *error) {
    if (may_change(override))
        return case_override(file->root, override, &file->origins, error);
    return error_set(error, GABION_ERROR_INPUT,
                     "--set %s: a run that goes on can change solver, contact, output, stop and "
                     "time.end; for anything else start a new run",
                     override);
}

struct case_file *case_parse(const char *resolved_text, const char *origin,
                             const char *const *overrides, int override_count,
                             struct gabion_error *error) {
    struct case_file *file = memory_allocate(1, sizeof *file, "case");
    file->root = yaml_parse(resolved_text, strlen(resolved_text),
                            text_list_add(&file->origins, origin), error);
    bool good = file->root != NULL;
    for (int k = 0; good && k < override_count; k++)
        good = override_resolved(file, overrides[k], error);
    if (!good) {
        case_free(file);
        return NULL;
    }
    return finish(file, error);
}

void case_free(struct case_file *file) {
    if (!file)
        return;
    yaml_free(file->root);
    text_list_free(&file->origins);
    memory_free(file->text);
    memory_free(file);
}

const char *case_text(const struct case_file *file) { return file->text; }
const char *case_title(const struct case_file *file) {
    return fields_text(case_fields(file), "title");
}
const struct gabion_settings *case_settings(const struct case_file *file) {
    return &file->settings;
}
const struct output_settings *case_output(const struct case_file *file) { return &file->output; }

static bool define_law(struct fields fields, struct gabion_world *world,
                       struct gabion_error *error) {
    const struct yaml_node *pair = fields_node(fields, "between");
    struct gabion_law law = {
        .friction = fields_number(fields, "friction"),
        .restitution = fields_number(fields, "restitution"),
        .tangential_restitution = fields_number(fields, "tangential_restitution"),
    };
    if (pair->kind == YAML_SCALAR)
        return gabion_set_default_law(world, &law, error);
    return gabion_set_law(world, gabion_find_material(world, pair->item[0]->text),
                          gabion_find_material(world, pair->item[1]->text), &law, error);
}

bool case_define_materials(const struct case_file *file, struct gabion_world *world,
                           struct gabion_error *error) {
    struct fields top = case_fields(file);
    const struct yaml_node *materials = fields_node(top, "materials");
    for (size_t i = 0; i < materials->count; i++) {
        const struct yaml_node *material = materials->item[i];
        struct fields fields = {material, key_find(&case_keys, "materials")->section};
        double density = fields_have(fields, "density") ? fields_number(fields, "density") : 0.0;
        if (gabion_add_material(world, material->key, density, NULL) < 0)
            return yaml_error(error, material->key_at, "too many materials");
    }
    for (size_t i = 0; i < fields_count(top, "laws"); i++)
        if (!define_law(fields_entry(top, "laws", i), world, error))
            return false;
    return true;
}
