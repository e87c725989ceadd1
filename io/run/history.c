#include "io/run/history.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/world/world.h"
#include "io/file/file.h"
#include "parallel/memory.h"

enum column_kind {
    COLUMN_INT64,
    COLUMN_INT32,
    COLUMN_BOOL,
    COLUMN_REAL,
    COLUMN_TIME,
    COLUMN_WALL_TIME
};

struct column {
    const char *name;
    enum column_kind kind;
    size_t offset; // in struct gabion_world
};

#define STEP(name, kind, field)                                                                    \
    { name, kind, offsetof(struct gabion_world, field) }
#define REPORT(name, kind)                                                                         \
    { #name, kind, offsetof(struct gabion_world, report.name) }
#define LEDGER(name, field)                                                                        \
    { name, COLUMN_REAL, offsetof(struct gabion_world, ledger.field) }

// Header and rows come from this table. Scripts read columns by name: add at the end.
static const struct column columns[] = {
    STEP("step", COLUMN_INT64, step),
    {"time", COLUMN_TIME, 0},
    REPORT(bodies, COLUMN_INT32),
    REPORT(candidates, COLUMN_INT64),
    REPORT(contacts, COLUMN_INT64),
    REPORT(sweeps, COLUMN_INT32),
    REPORT(residual, COLUMN_REAL),
    REPORT(residual_fclib, COLUMN_REAL),
    REPORT(max_overlap, COLUMN_REAL),
    LEDGER("kinetic_energy", kinetic),
    LEDGER("potential_energy", potential),
    LEDGER("contact_work", contact_work),
    LEDGER("driver_work", driver_work),
    LEDGER("applied_work", applied_work),
    LEDGER("theta_work", theta_work),
    LEDGER("energy_error", energy_error),
    {"wall_time", COLUMN_WALL_TIME, 0},
    REPORT(max_overlap_relative, COLUMN_REAL),
    LEDGER("removed_energy", removed_energy),
    REPORT(colours, COLUMN_INT32),
    REPORT(converged, COLUMN_BOOL),
    REPORT(max_speed, COLUMN_REAL),
    LEDGER("projection_work", projection_work),
    REPORT(mean_overlap, COLUMN_REAL),
};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)

// Where there are joints these follow.
static const struct column joint_columns[] = {
    LEDGER("joint_work", joint_work),
    REPORT(joint_error, COLUMN_REAL),
};

static size_t joint_column_count(const struct gabion_world *world) {
    return world->joints.count > 0 ? sizeof joint_columns / sizeof *joint_columns : 0;
}

struct history {
    FILE *stream;
    char path[4096];
};

static bool history_fail(const char *path, int cause, struct gabion_error *error) {
    return error_set(error, GABION_ERROR_RUN, "%s: cannot write: %s%s", path, strerror(cause),
                     cause == ENOSPC || cause == EDQUOT || cause == EFBIG
                         ? " (disk full or file size limit; make room and resume)"
                         : "");
}

// A comma or a line break in a name would shift every column after it.
static void print_name(FILE *stream, const char *name) {
    for (; *name; name++)
        fputc(strchr(",\"\r\n", *name) ? '_' : *name, stream);
}

static void print_header(FILE *stream, const struct gabion_world *world) {
    for (size_t k = 0; k < COLUMN_COUNT; k++)
        fprintf(stream, "%s%s", k > 0 ? "," : "", columns[k].name);
    for (size_t k = 0; k < joint_column_count(world); k++)
        fprintf(stream, ",%s", joint_columns[k].name);
    for (int p = 0; p < world->probe_count; p++)
        for (const char *axis = "xyz"; *axis; axis++) {
            fputc(',', stream);
            print_name(stream, world->probes[p].name);
            fprintf(stream, ".%c", *axis);
        }
    fputc('\n', stream);
}

// Printf shows the sign of what is not a number, and that sign means nothing.
static void print_real(FILE *stream, double value) {
    fprintf(stream, "%.17g", isnan(value) ? fabs(value) : value);
}

static void print_value(FILE *stream, const struct column *column, const struct gabion_world *world,
                        double wall_time) {
    const void *value = (const char *)world + column->offset;
    switch (column->kind) {
    case COLUMN_INT64:
        fprintf(stream, "%" PRId64, *(const int64_t *)value);
        break;
    case COLUMN_INT32:
        fprintf(stream, "%" PRId32, *(const int32_t *)value);
        break;
    case COLUMN_BOOL:
        fprintf(stream, "%d", *(const bool *)value);
        break;
    case COLUMN_REAL:
        print_real(stream, *(const double *)value);
        break;
    case COLUMN_TIME:
        print_real(stream, world_time(world));
        break;
    case COLUMN_WALL_TIME:
        fprintf(stream, "%.6f", wall_time);
        break;
    }
}

static void print_row(FILE *stream, const struct gabion_world *world, double wall_time) {
    for (size_t k = 0; k < COLUMN_COUNT; k++) {
        if (k > 0)
            fputc(',', stream);
        print_value(stream, &columns[k], world, wall_time);
    }
    for (size_t k = 0; k < joint_column_count(world); k++) {
        fputc(',', stream);
        print_value(stream, &joint_columns[k], world, wall_time);
    }
    for (int p = 0; p < world->probe_count; p++) {
        vec3 value = vec3_zero();
        gabion_probe_value(world, p, &value, NULL);
        for (int k = 0; k < 3; k++) {
            fputc(',', stream);
            print_real(stream, vec3_get(value, k));
        }
    }
    fputc('\n', stream);
}

// The header of this run as a string; free() it.
static char *header_text(const struct gabion_world *world) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    print_header(stream, world);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static bool check_header(const char *path, const char *line, const struct gabion_world *world,
                         struct gabion_error *error) {
    char *expected = header_text(world);
    bool same = expected && strcmp(line, expected) == 0;
    free(expected);
    return same || error_set(error, GABION_ERROR_INPUT,
                             "%s:1: the columns are not those of this run (another version, or "
                             "other probes); move the file away, or resume into a new folder",
                             path);
}

// Copies the whole rows up to the world's step. A last line without its end was being written when
// the run was killed.
static bool copy_rows(FILE *old, const char *path, FILE *fresh, const struct gabion_world *world,
                      struct gabion_error *error) {
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    ssize_t length = getline(&line, &capacity, old);
    if (length > 0 && line[length - 1] == '\n')
        good = check_header(path, line, world, error);
    if (good)
        print_header(fresh, world);
    for (long number = 2; good && (length = getline(&line, &capacity, old)) > 0; number++) {
        if (line[length - 1] != '\n')
            break;
        char *end;
        long long step = strtoll(line, &end, 10);
        if (end == line || *end != ',')
            good = error_set(error, GABION_ERROR_INPUT,
                             "%s:%ld: a row should begin with a step number; move the file away, "
                             "or resume into a new folder",
                             path, number);
        else if (step <= world->step)
            fwrite(line, 1, (size_t)length, fresh);
    }
    if (good && ferror(old))
        good = error_set(error, GABION_ERROR_INPUT, "%s: %s", path, strerror(errno));
    free(line);
    return good;
}

// The file on disk, header and rows of the past, whole before a row is added to it.
static bool history_prepare(const char *path, const struct gabion_world *world, bool resume,
                            struct gabion_error *error) {
    FILE *old = resume ? fopen(path, "r") : NULL;
    if (resume && !old && errno != ENOENT)
        return error_set(error, GABION_ERROR_INPUT, "%s: %s", path, strerror(errno));
    struct safe_file file;
    bool good = safe_file_open(&file, path, error);
    if (good && old)
        good = copy_rows(old, path, file.stream, world, error);
    else if (good)
        print_header(file.stream, world);
    if (old)
        fclose(old);
    if (good)
        return safe_file_commit(&file, error);
    safe_file_abandon(&file);
    return false;
}

struct history *history_open(const char *directory, const struct gabion_world *world, bool resume,
                             struct gabion_error *error) {
    struct history *history = memory_allocate(1, sizeof *history, "the history");
    int length = snprintf(history->path, sizeof history->path, "%s/history.csv", directory);
    if (length < 0 || (size_t)length >= sizeof history->path)
        error_set(error, GABION_ERROR_INPUT, "%s: folder name too long", directory);
    else if (history_prepare(history->path, world, resume, error)) {
        history->stream = fopen(history->path, "a");
        if (history->stream)
            return history;
        history_fail(history->path, errno, error);
    }
    memory_free(history);
    return NULL;
}

bool history_write(struct history *history, const struct gabion_world *world, double wall_time,
                   struct gabion_error *error) {
    print_row(history->stream, world, wall_time);
    // Row by row: what was computed is in the file whatever happens to the process.
    if (fflush(history->stream) == 0 && !ferror(history->stream))
        return true;
    return history_fail(history->path, errno, error);
}

bool history_flush(struct history *history, struct gabion_error *error) {
    if (fflush(history->stream) == 0 && fsync(fileno(history->stream)) == 0)
        return true;
    return history_fail(history->path, errno, error);
}

bool history_close(struct history *history, struct gabion_error *error) {
    if (!history)
        return true;
    bool good = history_flush(history, error);
    if (fclose(history->stream) != 0 && good)
        good = history_fail(history->path, errno, error);
    memory_free(history);
    return good;
}
