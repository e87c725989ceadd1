#include "io/checkpoint/format.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/contact/shared.h"
#include "parallel/memory.h"

const struct seal_kind checkpoint_kind = {CHECKPOINT_FORMAT, "checkpoint", CHECKPOINT_FORMAT_MAJOR,
                                          CHECKPOINT_FORMAT_MINOR};

enum h5_type checkpoint_type(enum state_type type) {
    static const enum h5_type types[] = {
        [STATE_UINT8] = H5_TYPE_UINT8, [STATE_UINT16] = H5_TYPE_UINT16,
        [STATE_INT32] = H5_TYPE_INT32, [STATE_UINT32] = H5_TYPE_UINT32,
        [STATE_INT64] = H5_TYPE_INT64, [STATE_FLOAT64] = H5_TYPE_FLOAT64,
    };
    return types[type];
}

struct h5_rows checkpoint_view(const struct state *state, const struct state_part *part,
                               const struct state_field *field) {
    return (struct h5_rows){
        .name = field->name,
        .unit = field->unit,
        .type = checkpoint_type(field->type),
        .columns = field->columns,
        .count = state_rows(part, state),
        .base = state_address(part, field, state),
        .stride = field->stride,
    };
}

bool checkpoint_own_rows(const struct state *state, const struct state_part *part,
                         struct h5_rows *rows) {
    if (state->contacts && part == &state_bodies) {
        const struct bodies *bodies = &state->world->bodies;
        struct own_bodies own = contacts_own_bodies(state->contacts, bodies->count);
        rows->base += (size_t)own.begin * rows->stride;
        rows->count = (size_t)(own.end - own.begin);
        return true;
    }
    return state_is_shared(part, state);
}

// Files are PREFIX<step>.h5, the step with 9 digits or more.
#define CHECKPOINT_PREFIX "checkpoint-"
#define FRAME_PREFIX      "frame-"

static bool make_name(const char *directory, const char *prefix, int64_t step, char *path,
                      size_t size, struct gabion_error *error) {
    int length = snprintf(path, size, "%s/%s%09" PRId64 ".h5", directory, prefix, step);
    if (length < 0 || (size_t)length >= size)
        return error_set(error, GABION_ERROR_INPUT, "%s: folder name too long", directory);
    return true;
}

bool checkpoint_name(const char *directory, int64_t step, char *path, size_t size,
                     struct gabion_error *error) {
    return make_name(directory, CHECKPOINT_PREFIX, step, path, size, error);
}

bool frame_name(const char *directory, int64_t step, char *path, size_t size,
                struct gabion_error *error) {
    return make_name(directory, FRAME_PREFIX, step, path, size, error);
}

// -1: not the name that make_name gives to a step.
static int64_t name_step(const char *name, const char *prefix) {
    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return -1;
    const char *digits = name + strlen(prefix);
    size_t length = strspn(digits, "0123456789");
    if (length < 9 || length > 18 || strcmp(digits + length, ".h5") != 0)
        return -1;
    return length > 9 && digits[0] == '0' ? -1 : strtoll(digits, NULL, 10);
}

static int compare_steps(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

struct listing {
    const char *prefix;
    DIR *folder;
    int64_t *steps;
    size_t count, capacity;
    int cause; // why the listing broke off; 0: it is complete
};

static void list_steps(void *context) {
    struct listing *listing = context;
    for (struct dirent *entry; (errno = 0, entry = readdir(listing->folder)) != NULL;) {
        int64_t step = name_step(entry->d_name, listing->prefix);
        if (step < 0)
            continue;
        listing->steps = memory_reserve(listing->steps, &listing->capacity, listing->count + 1,
                                        sizeof *listing->steps, "names of files");
        listing->steps[listing->count++] = step;
    }
    listing->cause = errno;
}

// The folder is closed even when memory runs out on the way. A listing that breaks off is an error:
// the newest may be among those that were not listed.
static int64_t *list_files(const char *directory, const char *prefix, size_t *count,
                           struct gabion_error *error) {
    struct listing listing = {.prefix = prefix};
    listing.steps =
        memory_reserve(NULL, &listing.capacity, 16, sizeof *listing.steps, "names of files");
    listing.folder = opendir(directory);
    listing.cause = listing.folder ? 0 : errno;
    bool listed = true;
    if (listing.folder) {
        listed = memory_try(memory_account_current(), list_steps, &listing, error);
        closedir(listing.folder);
    }
    if (listed && listing.cause == 0) {
        *count = listing.count;
        qsort(listing.steps, listing.count, sizeof *listing.steps, compare_steps);
        return listing.steps;
    }
    if (listed)
        error_set(error, GABION_ERROR_INPUT, "%s: %s", directory, strerror(listing.cause));
    memory_free(listing.steps);
    return NULL;
}

int64_t *checkpoint_list(const char *directory, size_t *count, struct gabion_error *error) {
    return list_files(directory, CHECKPOINT_PREFIX, count, error);
}

int64_t *frame_list(const char *directory, size_t *count, struct gabion_error *error) {
    return list_files(directory, FRAME_PREFIX, count, error);
}
