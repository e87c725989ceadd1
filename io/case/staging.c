// What a case takes over from earlier runs: `from`, and frames and checkpoints under `imports`.
#include "engine/contact/adopt.h"
#include "engine/world/world.h"
#include "io/bulk/bulk.h"
#include "io/case/case_file.h"
#include "io/checkpoint/donor.h"
#include "parallel/memory.h"

// Frames and checkpoints ------------------------------------------------------------------------

static struct donor_choice read_choice(struct fields import, const struct gabion_body *template) {
    double q[4];
    fields_components(import, "orientation", q);
    unsigned keep = fields_choices(import, "keep");
    return (struct donor_choice){
        .template = *template,
        .fixed_given = fields_have(import, "fixed"),
        .joints = fields_boolean(import, "joints"),
        .keep_materials = keep & 1,
        .keep_groups = keep >> 1 & 1,
        .position = fields_vector(import, "position"),
        .orientation = quat_normalize((quat){q[0], q[1], q[2], q[3]}),
    };
}

static char **list_names(const struct yaml_node *node, size_t *count) {
    *count = node->kind == YAML_LIST ? node->count : 1;
    char **names = memory_allocate(*count, sizeof *names, "names");
    for (size_t k = 0; k < *count; k++)
        names[k] = node->kind == YAML_LIST ? node->item[k]->text : node->text;
    return names;
}

static bool import_donor(const struct donor_transfer *transfer, struct fields import,
                         const struct gabion_body *template, struct gabion_error *error) {
    struct donor_choice choice = read_choice(import, template);
    char **groups = NULL;
    double *ids = NULL;
    if (fields_have(import, "groups"))
        groups = list_names(fields_node(import, "groups"), &choice.group_count);
    if (fields_have(import, "ids"))
        ids = fields_numbers(import, "ids", &choice.id_count);
    choice.groups = groups;
    choice.ids = ids;
    bool good = donor_import(transfer, &choice, error);
    memory_free(groups);
    memory_free(ids);
    return good;
}

// Other files -----------------------------------------------------------------------------------

static bool import_bulk(const struct case_file *file, struct fields import,
                        const struct gabion_body *template, struct gabion_world *world,
                        struct gabion_error *error) {
    static const char *const own[] = {"groups", "ids", "keep", "joints", "position", "orientation"};
    const char *path = fields_text(import, "file");
    int64_t skipped = 0;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (fields_have(import, own[k]))
            return yaml_error(error, fields_node(import, own[k])->key_at,
                              "%s needs a frame or a checkpoint of Gabion; %s is neither, or is a "
                              "frame of version 0.1",
                              own[k], path);
    if (!bulk_add_bodies(world, path, template, &skipped, error))
        return false;
    if (skipped > 0)
        remarks_add(file->remarks, true,
                    "import of %s: bodies that are no spheres, left out (a frame of version 0.1 "
                    "has no shapes that can be trusted; make it anew): %lld",
                    path, (long long)skipped);
    return true;
}

bool case_import(const struct case_file *file, struct fields import,
                 const struct gabion_body *template, struct gabion_world *world,
                 struct kept_contacts *kept, struct gabion_error *error) {
    bool ours = false;
    const char *path = fields_text(import, "file");
    if (!donor_recognise(path, &ours, error))
        return false;
    if (!ours)
        return import_bulk(file, import, template, world, error);
    struct donor *donor = donor_open(path, file->remarks, error);
    struct donor_transfer transfer = {donor, world, kept, file->remarks};
    bool good = donor && import_donor(&transfer, import, template, error);
    donor_close(donor);
    return good;
}

// The state of the bodies of the case -------------------------------------------------------------

static bool take(const struct case_file *file, struct fields from, struct gabion_world *world,
                 struct kept_contacts *kept, struct gabion_error *error) {
    struct donor *donor = donor_open(fields_text(from, "file"), file->remarks, error);
    struct donor_transfer transfer = {donor, world, kept, file->remarks};
    bool good = donor && donor_take(&transfer, (enum donor_match)fields_choice(from, "match"),
                                    fields_choice(from, "joints") == 1, error);
    donor_close(donor);
    return good || yaml_error_context(error, from.node->at);
}

bool case_take_state(const struct case_file *file, struct gabion_world *world,
                     struct kept_contacts *kept, struct gabion_error *error) {
    struct fields top = case_fields(file);
    if (fields_have(top, "from") && !take(file, fields_section(top, "from"), world, kept, error))
        return false;
    if (kept->count == 0)
        return true;
    struct memory_account *before = memory_account_use(world->account);
    contacts_adopt(world, kept);
    memory_account_use(before);
    return true;
}
