#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checkpoint/format.h"
#include "io/file/file.h"
#include "parallel/memory.h"

static bool read_number(struct checkpoint *checkpoint, const struct state_part *part,
                        const struct state_field *field, struct gabion_error *error) {
    const struct h5_file *file = &checkpoint->file;
    char value[8];
    if (field->flags & STATE_LATER && !h5_has_attribute(file, part->group, field->name))
        return true;
    if (!h5_read_number(file, part->group, field->name, checkpoint_type(field->type), value, error))
        return false;
    // The only numbers of one byte are of type bool.
    if (field->type == STATE_UINT8 && value[0] != 0 && value[0] != 1)
        return error_set(error, GABION_ERROR_INPUT, "%s: damaged: attribute '%s' should be 0 or 1",
                         file->path, field->name);
    struct state state = {.world = &checkpoint->numbers};
    memcpy(state_address(part, field, &state), value, state_type_size(field->type));
    return true;
}

bool checkpoint_read_numbers(struct checkpoint *checkpoint, struct gabion_error *error) {
    const struct h5_file *file = &checkpoint->file;
    for (size_t k = 0; k < STATE_PARTS; k++)
        for (size_t f = 0; !state_parts[k]->rows && f < state_parts[k]->fields; f++) {
            const struct state_field *field = &state_parts[k]->field[f];
            if (!(field->flags & STATE_UNSTORED) && checkpoint_has(checkpoint, field) &&
                !read_number(checkpoint, state_parts[k], field, error))
                return false;
        }
    if (checkpoint->numbers.step < 0)
        return error_set(error, GABION_ERROR_INPUT, "%s: damaged: attribute 'step' is negative",
                         file->path);
    const struct pace *pace = &checkpoint->numbers.pace;
    if (pace->step < 0 || pace->step > checkpoint->numbers.step || !isfinite(pace->time) ||
        !isfinite(pace->before) || pace->before < 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: damaged: attributes 'pace_...' do not fit the step", file->path);
    return h5_read_number(file, "/", "time", H5_TYPE_FLOAT64, &checkpoint->time, error);
}

static bool read_contents(struct checkpoint *checkpoint, struct gabion_error *error) {
    char hash[32], *end;
    size_t count = 0, size = 0;
    if (!checkpoint_read_numbers(checkpoint, error) ||
        !h5_read_number(&checkpoint->file, "/", "wall_time", H5_TYPE_FLOAT64,
                        &checkpoint->wall_time, error) ||
        !h5_read_text(&checkpoint->file, "/", "state_hash", hash, sizeof hash, error))
        return false;
    checkpoint->state_hash = strtoull(hash, &end, 16);
    if (end == hash || *end)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: damaged: attribute 'state_hash' is no hash", checkpoint->file.path);
    checkpoint->case_text =
        h5_read_strings(&checkpoint->file, CHECKPOINT_CASE, &count, &size, error);
    if (checkpoint->case_text && count != 1)
        return error_set(error, GABION_ERROR_INPUT, "%s: damaged: dataset '%s' should be one text",
                         checkpoint->file.path, CHECKPOINT_CASE);
    return checkpoint->case_text != NULL;
}

struct opening {
    struct checkpoint *checkpoint;
    const char *path;
    struct gabion_error *error;
    bool opened, damaged;
};

static void open_file(void *context) {
    struct opening *opening = context;
    struct checkpoint *checkpoint = memory_allocate(1, sizeof *checkpoint, "a checkpoint");
    checkpoint->file.id = H5I_INVALID_HID;
    opening->checkpoint = checkpoint;
    opening->opened =
        seal_verify(opening->path, &checkpoint_kind, &opening->damaged, opening->error) &&
        h5_open(&checkpoint->file, opening->path, opening->error) &&
        read_contents(checkpoint, opening->error);
}

// The file is closed even when memory runs out on the way.
struct checkpoint *checkpoint_open_judged(const char *path, bool *damaged,
                                          struct gabion_error *error) {
    struct opening opening = {NULL, path, error, false, false};
    bool ended = memory_try(memory_account_current(), open_file, &opening, error);
    *damaged = opening.damaged;
    if (ended && opening.opened)
        return opening.checkpoint;
    checkpoint_close(opening.checkpoint);
    return NULL;
}

struct checkpoint *checkpoint_open(const char *path, struct gabion_error *error) {
    bool damaged;
    return checkpoint_open_judged(path, &damaged, error);
}

// People rename files. A checkpoint has a seal before the HDF5 part.
bool checkpoint_recognise(const char *path) {
    char start[8] = "";
    struct gabion_error ignored = {0};
    FILE *stream = file_open(path, &ignored);
    if (stream == NULL)
        return false;
    size_t got = fread(start, 1, sizeof start, stream);
    fclose(stream);
    const char *dot = strrchr(path, '.');
    return (dot != NULL && strcmp(dot, ".h5") == 0) ||
           (got == sizeof start &&
            (memcmp(start, "\211HDF\r\n\032\n", 8) == 0 || memcmp(start, "gabion-c", 8) == 0));
}

void checkpoint_close(struct checkpoint *checkpoint) {
    if (!checkpoint)
        return;
    h5_abandon(&checkpoint->file);
    memory_free(checkpoint->case_text);
    memory_free(checkpoint);
}

const char *checkpoint_path(const struct checkpoint *checkpoint) { return checkpoint->file.path; }

const char *checkpoint_case(const struct checkpoint *checkpoint) { return checkpoint->case_text; }

int64_t checkpoint_step(const struct checkpoint *checkpoint) { return checkpoint->numbers.step; }

double checkpoint_time(const struct checkpoint *checkpoint) { return checkpoint->time; }

double checkpoint_wall_time(const struct checkpoint *checkpoint) { return checkpoint->wall_time; }

void checkpoint_reference(const struct checkpoint *checkpoint, char *text, size_t size) {
    struct gabion_error absent = {0};
    text[0] = '\0';
    h5_read_text(&checkpoint->file, "/", CHECKPOINT_REFERENCE, text, size, &absent);
}

char *checkpoint_rows(const struct checkpoint *checkpoint) {
    struct gabion_error ignored = {0};
    size_t count = 0, size = 0;
    if (!h5_exists(&checkpoint->file, CHECKPOINT_ROWS))
        return NULL;
    return h5_read_strings(&checkpoint->file, CHECKPOINT_ROWS, &count, &size, &ignored);
}

static bool is_block(const struct shape_kind *shape) { return shape->block; }

static bool is_finite(const struct shape_kind *shape) { return !shape->wall; }

static int64_t count_shapes(const struct checkpoint *checkpoint,
                            bool (*counts)(const struct shape_kind *)) {
    struct gabion_error ignored = {0};
    struct h5_rows shape = {.name = "bodies/shape", .type = H5_TYPE_UINT8, .columns = 1};
    if (!h5_find_rows(&checkpoint->file, &shape, &ignored))
        return 0;
    int64_t count = 0;
    shape.stride = 1;
    shape.base = memory_allocate(shape.count, 1, "shapes");
    if (h5_read_rows(&checkpoint->file, &shape, NULL, NULL, &ignored))
        for (size_t i = 0; i < shape.count; i++)
            count += (unsigned char)shape.base[i] < GABION_SHAPE_COUNT &&
                     counts(&shape_kinds[(unsigned char)shape.base[i]]);
    memory_free(shape.base);
    return count;
}

// Walls excluded, as in the report of a step; before the first step there is none.
static int64_t body_count(const struct checkpoint *checkpoint) {
    return checkpoint->numbers.run.steps > 0 ? checkpoint->numbers.report.bodies
                                             : count_shapes(checkpoint, is_finite);
}

void checkpoint_describe(const struct checkpoint *checkpoint, char *text, size_t size) {
    static const struct {
        const char *key, *attribute;
    } texts[] = {
        {"format-version", "format_version"},
        {"program-version", "program_version"},
        {"git-commit", "git_commit"},
        {"case-sha256", "case_sha256"},
        {"created", "created_utc"},
        {"host", "hostname"},
        {"parent", "parent"},
    };
    const struct gabion_world *numbers = &checkpoint->numbers;
    int used = snprintf(
        text, size,
        "file: %s\nkind: checkpoint\nstep: %" PRId64 "\ntime: %.17g\n"
        "bodies: %" PRId64 "\nblocks: %" PRId64 "\nmoving-bodies: %" PRId32 "\ncontacts: %" PRId64
        "\nresidual: %.6g\nunconverged-steps: %" PRId64 "\nkinetic-energy: %.17g\n"
        "energy-error: %.6g\nwall-time: %.3f\nstate-hash: %016" PRIx64 "\n",
        checkpoint->file.path, numbers->step, checkpoint->time, body_count(checkpoint),
        count_shapes(checkpoint, is_block), numbers->bodies.moving, numbers->report.contacts,
        numbers->report.residual, numbers->run.unconverged_steps, numbers->ledger.kinetic,
        numbers->ledger.energy_error, checkpoint->wall_time, checkpoint->state_hash);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char value[256] = "";
        struct gabion_error ignored = {0};
        h5_read_text(&checkpoint->file, "/", texts[k].attribute, value, sizeof value, &ignored);
        if (used >= 0 && (size_t)used < size && value[0])
            used += snprintf(text + used, size - (size_t)used, "%s: %s\n", texts[k].key, value);
    }
}
