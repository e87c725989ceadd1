#include "io/case/case_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
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

static struct case_file *create(void) {
    struct case_file *file = memory_allocate(1, sizeof *file, "case");
    file->remarks = memory_allocate(1, sizeof *file->remarks, "remarks");
    file->remarks->account = memory_account_current(); // bodies are added in that of the world
    return file;
}

struct case_file *case_load(const char *path, const char *const *overrides, int override_count,
                            struct gabion_error *error) {
    struct case_file *file = create();
    file->root =
        case_resolve(path, overrides, override_count, &file->origins, file->remarks, error);
    return finish(file, error);
}

// Returns why a run that goes on cannot change what an override names; NULL: it can.
static const char *change_defect(const char *override) {
    const struct key_section *section = &case_keys;
    char part[64];
    for (const char *rest = override; section && *rest != '\0' && *rest != '=';) {
        size_t length = strcspn(rest, ".[]=");
        snprintf(part, sizeof part, "%.*s", (int)length, rest);
        rest += length;
        rest += strspn(rest, ".[]");
        const struct key *key = key_find(section, part);
        if (key && key->state)
            return key->state;
        if (key)
            section = key->section;
        else if (!isdigit((unsigned char)part[0])) // an entry of a list
            return NULL;                           // the check of the case reports it
    }
    return NULL;
}

// Returns whether an override changes how a step is computed or what is written, and nothing that
// the mechanics depend on.
static bool is_technical(const char *override) {
    static const char *const technical[] = {"solver", "contact", "output",   "stop",
                                            "watch",  "title",   "time.end="};
    for (size_t k = 0; k < sizeof technical / sizeof *technical; k++)
        if (strncmp(override, technical[k], strlen(technical[k])) == 0)
            return true;
    return false;
}

// Applies an override, and notes it where it makes a difference.
static bool override_resolved(struct case_file *file, const char *override,
                              struct gabion_error *error) {
    const char *defect = change_defect(override);
    if (defect)
        return error_set(error, GABION_ERROR_INPUT,
                         "--set %s: a run that goes on cannot change this: %s. Start a new run, "
                         "with run --from where it should begin with the state of this one",
                         override, defect);
    size_t size;
    char *before = yaml_emit(file->root, &size);
    bool good = case_override(file->root, override, &file->origins, error);
    char *after = yaml_emit(file->root, &size);
    if (good && strcmp(before, after) != 0) {
        text_list_add(&file->changes, override);
        file->varied |= !is_technical(override);
    }
    memory_free(before);
    memory_free(after);
    return good;
}

static bool override_all(struct case_file *file, const char *const *overrides, int override_count,
                         struct gabion_error *error) {
    for (int k = 0; k < override_count; k++)
        if (!override_resolved(file, overrides[k], error))
            return false;
    return override_count == 0 || case_inline_tables(file->root, "", &file->origins, error);
}

struct case_file *case_parse(const char *resolved_text, const char *origin,
                             const char *const *overrides, int override_count,
                             struct gabion_error *error) {
    struct case_file *file = create();
    file->root = yaml_parse(resolved_text, strlen(resolved_text),
                            text_list_add(&file->origins, origin), error);
    bool good = file->root && case_check(file->root, error);
    if (good)
        file->before = case_read_settings(file->root);
    if (!good || !override_all(file, overrides, override_count, error)) {
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
    text_list_free(&file->changes);
    remarks_free(file->remarks);
    memory_free(file->remarks);
    memory_free(file->text);
    memory_free(file);
}

bool case_varied(const struct case_file *file, struct gabion_settings *before) {
    *before = file->before;
    return file->varied;
}

int case_note_changes(struct case_file *file, int64_t step, double time) {
    struct yaml_node *list = yaml_find(file->root, "changes");
    struct yaml_position at = {"", 0, 0};
    if (file->changes.count > 0 && !list) {
        list = yaml_create(YAML_LIST, at);
        yaml_put(file->root, "changes", list);
    }
    for (size_t k = 0; k < file->changes.count; k++) {
        char number[32];
        struct yaml_node *change = yaml_create(YAML_MAPPING, at);
        snprintf(number, sizeof number, "%" PRId64, step);
        yaml_put(change, "step", yaml_create_scalar(number, at));
        snprintf(number, sizeof number, "%.17g", time);
        yaml_put(change, "time", yaml_create_scalar(number, at));
        yaml_put(change, "set", yaml_create_scalar(file->changes.text[k], at));
        yaml_append(list, change);
    }
    if (file->changes.count > 0) {
        size_t size;
        memory_free(file->text);
        file->text = yaml_emit(file->root, &size);
        text_list_free(&file->changes);
    }
    return list ? (int)list->count : 0;
}

const struct remarks *case_remarks(const struct case_file *file) { return file->remarks; }
const char *case_text(const struct case_file *file) { return file->text; }
const char *case_source(const struct case_file *file) {
    struct fields from = fields_section(case_fields(file), "from");
    return from.node ? fields_text(from, "file") : "";
}
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
