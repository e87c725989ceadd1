#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/api/entry.h"
#include "engine/contact/shared.h"
#include "io/checkpoint/format.h"
#include "io/checkpoint/sealed.h"
#include "io/file/h5_shared.h"
#include "io/text/sha256.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

// Given by the build.
#ifndef GABION_COMMIT
#define GABION_COMMIT "unknown"
#endif
#ifndef GABION_COMPILER_FLAGS
#define GABION_COMPILER_FLAGS "unknown"
#endif

struct contents {
    const struct gabion_world *world;
    const struct checkpoint_note *note;
    uint64_t hash;        // of the state
    struct contacts *own; // where ranks write the file together, this rank's; else NULL
};

static bool write_texts(struct h5_file *file, const struct contents *contents,
                        struct gabion_error *error) {
    const struct checkpoint_note *note = contents->note;
    char version[32], hash[32], sha256[SHA256_TEXT_SIZE], host[256] = "", created[32] = "";
    snprintf(version, sizeof version, "%d.%d", CHECKPOINT_FORMAT_MAJOR, CHECKPOINT_FORMAT_MINOR);
    snprintf(hash, sizeof hash, "%016" PRIx64, contents->hash);
    sha256_text(note->case_text, strlen(note->case_text), sha256);
    gethostname(host, sizeof host - 1);
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    const struct {
        const char *name, *text;
    } texts[] = {
        {"format", CHECKPOINT_FORMAT},
        {"format_version", version},
        {"creator", "gabion"},
        {"program_version", GABION_VERSION},
        {"git_commit", GABION_COMMIT},
        {"compiler", __VERSION__},
        {"compiler_flags", GABION_COMPILER_FLAGS},
        {"case_sha256", sha256},
        {"hostname", host},
        {"created_utc", created},
        {"parent", note->parent},
        {"state_hash", hash},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (!h5_write_text(file, "/", texts[k].name, texts[k].text, error))
            return false;
    if (note->reference && note->reference[0] &&
        !h5_write_text(file, "/", CHECKPOINT_REFERENCE, note->reference, error))
        return false;
    if (note->rows && !h5_write_document(file, CHECKPOINT_ROWS, note->rows, error))
        return false;
    return h5_write_document(file, CHECKPOINT_CASE, note->case_text, error);
}

static bool write_note(struct h5_file *file, const struct gabion_world *world,
                       const struct checkpoint_note *note, struct gabion_error *error) {
    double time = world_time(world);
    int32_t threads = team_size(world->team);
    return h5_write_number(file, "/", "time", H5_TYPE_FLOAT64, &time, error) &&
           h5_write_number(file, "/", "wall_time", H5_TYPE_FLOAT64, &note->wall_time, error) &&
           h5_write_number(file, "/", "threads", H5_TYPE_INT32, &threads, error);
}

static bool write_names(struct h5_file *file, const char *name, const struct name_table *table,
                        struct gabion_error *error) {
    return h5_write_strings(file, name, table->name, (size_t)table->count, error);
}

static bool write_field(struct h5_file *file, const struct state *state,
                        const struct state_part *part, const struct state_field *field,
                        struct gabion_error *error) {
    struct h5_rows rows = checkpoint_view(state, part, field);
    if (field->flags & STATE_UNSTORED)
        return true;
    if (checkpoint_own_rows(state, part, &rows))
        return h5_write_shared_rows(file, &rows, error);
    return part->rows ? h5_write_rows(file, &rows, error)
                      : h5_write_number(file, part->group, rows.name, rows.type, rows.base, error);
}

static bool write_part(struct h5_file *file, const struct state *state,
                       const struct state_part *part, struct gabion_error *error) {
    if (!file->guest && strcmp(part->group, "/") != 0 && !h5_exists(file, part->group) &&
        !h5_write_group(file, part->group, error))
        return false;
    for (size_t k = 0; k < part->fields; k++)
        if (!write_field(file, state, part, &part->field[k], error))
            return false;
    return true;
}

static bool write_state(struct h5_file *file, const struct contents *contents,
                        struct gabion_error *error) {
    struct state state = {.world = (struct gabion_world *)contents->world,
                          .contacts = contents->own};
    bool written = true;
    if (!file->guest)
        flat_shapes_fill(&state);
    for (size_t k = 0; written && k < STATE_PARTS; k++)
        written = write_part(file, &state, state_parts[k], error);
    flat_shapes_free(&state.shapes);
    return written;
}

static bool write_contents(struct h5_file *file, const void *context, struct gabion_error *error) {
    const struct contents *contents = context;
    const struct gabion_world *world = contents->world;
    return h5_write_group(file, "groups", error) && h5_write_group(file, "materials", error) &&
           write_texts(file, contents, error) && write_note(file, world, contents->note, error) &&
           write_names(file, CHECKPOINT_GROUP_NAMES, &world->groups, error) &&
           write_names(file, CHECKPOINT_MATERIAL_NAMES, &world->materials, error) &&
           write_state(file, contents, error);
}

static void remove_step(const char *directory, int64_t step) {
    struct gabion_error ignored = {0};
    char path[4096];
    if (checkpoint_name(directory, step, path, sizeof path, &ignored))
        unlink(path);
}

// Files beyond the step just written are left from a run that was taken up again before them: they
// go first, then the oldest.
static void remove_old(const char *directory, int64_t written, size_t keep) {
    struct gabion_error ignored = {0};
    size_t count = 0;
    int64_t *steps = checkpoint_list(directory, &count, &ignored);
    if (!steps)
        return;
    size_t excess = count > keep ? count - keep : 0;
    for (; excess > 0 && steps[count - 1] > written; count--, excess--)
        remove_step(directory, steps[count - 1]);
    for (size_t k = 0; k < excess; k++)
        remove_step(directory, steps[k]);
    memory_free(steps);
}

bool checkpoint_write_as(const char *path, const char *temporary, const struct gabion_world *world,
                         const struct checkpoint_note *note, struct gabion_error *error) {
    if (!entry_readable(world, error)) // no file is better than one of half a step
        return false;
    struct contacts own;
    struct state state = {.world = (struct gabion_world *)world};
    struct contents contents = {.world = world, .note = note, .hash = gabion_state_hash(world)};
    bool shared = state_begin_sharing(&state, &own);
    if (shared)
        contents.own = &own;
    const struct sealed_file file = {.path = path,
                                     .temporary = temporary,
                                     .kind = &checkpoint_kind,
                                     .shared = shared,
                                     .lasting = true,
                                     .write = write_contents,
                                     .context = &contents};
    bool written = sealed_write(&file, error);
    if (shared)
        contacts_own_memory_free(&own);
    return written || error_context(error, "step %" PRId64 ": no checkpoint written", world->step);
}

bool checkpoint_write(const char *directory, const struct gabion_world *world,
                      const struct checkpoint_note *note, int keep, struct gabion_error *error) {
    char path[4096], temporary[4096];
    int length = snprintf(temporary, sizeof temporary, "%s/" CHECKPOINT_TEMPORARY, directory);
    if (!checkpoint_name(directory, world->step, path, sizeof path, error))
        return false;
    if (length < 0 || (size_t)length >= sizeof temporary)
        return error_set(error, GABION_ERROR_INPUT, "%s: folder name too long", directory);
    if (!checkpoint_write_as(path, temporary, world, note, error))
        return false;
    if (keep > 0 && ranks_me() == 0)
        remove_old(directory, world->step, (size_t)keep);
    return true;
}
