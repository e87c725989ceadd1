// The checkpoints of a folder: which of them is the newest good one, and what becomes of those that
// are damaged.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/checkpoint/format.h"
#include "io/file/file.h"
#include "parallel/memory.h"

static void remark(char *remarks, size_t size, const char *text) {
    size_t used = strlen(remarks);
    if (used < size)
        snprintf(remarks + used, size - used, "%spassed over %s", used ? "\n" : "", text);
}

// The checkpoints that are tried, from the newest to the oldest.
struct search {
    const char *directory;
    char *remarks;
    size_t size;
    struct gabion_error newest; // why the first one was not taken
};

// Returns false with an error where the file may be a good checkpoint and cannot be read: to go on
// from an older one would replace it in time. A file that is gone was removed by the run itself.
static bool pass_over(struct search *search, const char *path, bool damaged,
                      const struct gabion_error *cause, struct gabion_error *error) {
    if (!damaged && file_exists(path))
        return error_set(
            error, cause->status,
            "%s: the newest checkpoint is not damaged, but cannot be used: %s. Nothing "
            "was changed; to go on from an earlier one all the same, name it and give "
            "a new folder with -o",
            search->directory, cause->text);
    remark(search->remarks, search->size, cause->text);
    if (search->newest.status == GABION_OK)
        search->newest = *cause;
    return true;
}

static struct checkpoint *open_first_good(struct search *search, const int64_t *steps, size_t count,
                                          struct gabion_error *error) {
    for (size_t k = count; k-- > 0;) {
        char path[4096];
        bool damaged;
        struct gabion_error cause = {0};
        if (!checkpoint_name(search->directory, steps[k], path, sizeof path, error))
            return NULL;
        struct checkpoint *checkpoint = checkpoint_open_judged(path, &damaged, &cause);
        if (checkpoint)
            return checkpoint;
        if (!pass_over(search, path, damaged, &cause, error))
            return NULL;
    }
    error_set(error, GABION_ERROR_INPUT, "%s: none of %zu checkpoints can be used; the newest: %s",
              search->directory, count, search->newest.text);
    return NULL;
}

static struct checkpoint *open_among(struct search *search, int64_t last, const int64_t *steps,
                                     size_t all, struct gabion_error *error) {
    size_t count = all;
    while (count > 0 && steps[count - 1] > last)
        count--;
    if (count > 0)
        return open_first_good(search, steps, count, error);
    if (all > 0)
        error_set(error, GABION_ERROR_INPUT,
                  "%s: no checkpoint of step %" PRId64 " or before; the oldest is of step %" PRId64,
                  search->directory, last, steps[0]);
    else
        error_set(error, GABION_ERROR_INPUT,
                  "%s: no checkpoint here (files checkpoint-<step>.h5); nothing to go on from",
                  search->directory);
    return NULL;
}

struct checkpoint *checkpoint_open_before(const char *directory, int64_t last, char *remarks,
                                          size_t size, struct gabion_error *error) {
    struct search search = {.directory = directory, .remarks = remarks, .size = size};
    if (size > 0)
        remarks[0] = '\0';
    size_t count = 0;
    int64_t *steps = checkpoint_list(directory, &count, error);
    if (!steps)
        return NULL;
    struct checkpoint *checkpoint = open_among(&search, last, steps, count, error);
    memory_free(steps);
    return checkpoint;
}

struct checkpoint *checkpoint_open_newest(const char *directory, char *remarks, size_t size,
                                          struct gabion_error *error) {
    return checkpoint_open_before(directory, INT64_MAX, remarks, size, error);
}

// Setting aside ---------------------------------------------------------------------------------

#define MOST_OF_ONE_NAME 1000

// Returns the first of .damaged, .damaged-2, ... that is free.
static bool find_name(const char *path, char *name, size_t size, struct gabion_error *error) {
    for (int k = 1; k <= MOST_OF_ONE_NAME; k++) {
        char number[16] = "";
        if (k > 1)
            snprintf(number, sizeof number, "-%d", k);
        if (snprintf(name, size, "%s.damaged%s", path, number) >= (int)size)
            return error_set(error, GABION_ERROR_INPUT, "%s: file name too long", path);
        if (!file_exists(name))
            return true;
    }
    return error_set(error, GABION_ERROR_INPUT,
                     "%s: there are %d damaged files of this name already; remove some", path,
                     MOST_OF_ONE_NAME);
}

// Only a file that is damaged is renamed: whatever else is found there was not there when the run
// looked for its newest checkpoint.
static bool set_aside(const char *path, struct gabion_error *error) {
    char name[4096 + 32];
    bool damaged;
    struct gabion_error cause = {0};
    if (seal_verify(path, &checkpoint_kind, &damaged, &cause) || !damaged)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s appeared while this run was reading its folder; go on with: gabion "
                         "resume",
                         path);
    if (!find_name(path, name, sizeof name, error))
        return false;
    return rename(path, name) == 0 ||
           error_set(error, GABION_ERROR_RUN, "cannot rename the damaged %s: %s", path,
                     strerror(errno));
}

bool checkpoint_set_aside(const char *directory, int64_t step, struct gabion_error *error) {
    size_t count = 0;
    int64_t *steps = checkpoint_list(directory, &count, error);
    bool done = steps != NULL;
    for (size_t k = 0; done && k < count; k++) {
        char path[4096];
        if (steps[k] > step)
            done = checkpoint_name(directory, steps[k], path, sizeof path, error) &&
                   set_aside(path, error);
    }
    memory_free(steps);
    return done;
}
