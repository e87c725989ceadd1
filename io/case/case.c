#include "io/case/case_file.h"

#include <string.h>

#include "engine/api/settings.h"
#include "engine/world/world.h"
#include "io/case/check.h"
#include "parallel/memory.h"

struct gabion_settings case_read_settings(const struct yaml_node *root) {
    struct gabion_settings settings = gabion_default_settings();
    fields_store((struct fields){root, &settings_keys}, &settings);
    return settings;
}

static struct output_settings read_output(const struct yaml_node *root) {
    struct output_settings output = {0};
    key_store_defaults(&case_output_keys, &output);
    fields_store((struct fields){yaml_find(root, "output"), &case_output_keys}, &output);
    return output;
}

// Checks the document and reads the settings, for cases from files and from checkpoints. Frees
// `file` on an error.
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
    file->settings = case_read_settings(file->root);
    file->output = read_output(file->root);
    return file;
}

struct case_file *case_load(const char *path, const char *const *overrides, int override_count,
                            struct gabion_error *error) {
    struct case_file *file = memory_allocate(1, sizeof *file, "case");
    file->root = case_resolve(path, overrides, override_count, &file->origins, error);
    return finish(file, error);
}

static bool may_change(const char *override) {
    static const char *const allowed[] = {"solver.", "contact.", "output.",
                                          "stop.",   "watch.",   "time.end="};
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
                     "--set %s: a resumed run can change only solver, contact, output, stop, "
                     "watch and time.end; start a new run to change anything else",
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
        struct gabion_error cause = {0};
        if (gabion_add_material(world, material->key, density, &cause) < 0)
            return cause.status == GABION_ERROR_INPUT
                       ? yaml_error(error, material->key_at, "%s", cause.text)
                       : error_set(error, cause.status, "%s", cause.text);
    }
    for (size_t i = 0; i < fields_count(top, "laws"); i++)
        if (!define_law(fields_entry(top, "laws", i), world, error))
            return false;
    return true;
}

struct building {
    const struct case_file *file;
    struct gabion_world *world;
    struct gabion_error *error;
    bool good;
};

static void build(void *context) {
    struct building *building = context;
    building->good = case_define_materials(building->file, building->world, building->error) &&
                     case_add_bodies(building->file, building->world, building->error) &&
                     case_add_actions(building->file, building->world, building->error);
}

bool case_build(const struct case_file *file, struct gabion_world *world,
                struct gabion_error *error) {
    struct building building = {file, world, error, false};
    return memory_try(world->account, build, &building, error) && building.good;
}
