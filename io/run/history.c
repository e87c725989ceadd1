#include "io/run/history.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/run/columns.h"
#include "io/text/digits.h"
#include "parallel/memory.h"

// The numbers of one row, but for the probes.
struct row {
    int64_t step;
    double time, wall_time;
    int32_t changes;
    struct gabion_step_report report;
    struct gabion_energies energies;
};

struct column {
    const char *name;
    void (*print)(FILE *stream, const void *value);
    size_t offset; // of the value in struct row
};

static void print_integer(FILE *stream, int64_t integer) {
    char text[DIGITS_SIZE];
    int length = digits_integer(integer, text);
    fwrite(text, 1, (size_t)length, stream);
}

static void print_int64(FILE *stream, const void *value) {
    print_integer(stream, *(const int64_t *)value);
}

static void print_int32(FILE *stream, const void *value) {
    print_integer(stream, *(const int32_t *)value);
}

static void print_flag(FILE *stream, const void *value) {
    print_integer(stream, *(const bool *)value);
}

static void print_real(FILE *stream, const void *value) {
    columns_print_real(stream, *(const double *)value);
}

static void print_seconds(FILE *stream, const void *value) {
    fprintf(stream, "%.6f", *(const double *)value);
}

static void print_method(FILE *stream, const void *value) {
    fputs(gabion_method_name(*(const enum gabion_method *)value), stream);
}

#define COLUMN(name, print, field)                                                                 \
    { name, print, offsetof(struct row, field) }

// Header and rows come from this table. Scripts read columns by name: add new ones at the end. The
// iterations that each method spent follow.
static const struct column columns[] = {
    COLUMN("step", print_int64, step),
    COLUMN("time", print_real, time),
    COLUMN("bodies", print_int32, report.bodies),
    COLUMN("candidates", print_int64, report.candidates),
    COLUMN("contacts", print_int64, report.contacts),
    COLUMN("sweeps", print_int32, report.sweeps),
    COLUMN("residual", print_real, report.residual),
    COLUMN("residual_fclib", print_real, report.residual_fclib),
    COLUMN("max_overlap", print_real, report.max_overlap),
    COLUMN("kinetic_energy", print_real, energies.kinetic),
    COLUMN("potential_energy", print_real, energies.potential),
    COLUMN("contact_work", print_real, energies.contact_work),
    COLUMN("driver_work", print_real, energies.driver_work),
    COLUMN("applied_work", print_real, energies.applied_work),
    COLUMN("theta_work", print_real, energies.theta_work),
    COLUMN("energy_error", print_real, energies.energy_error),
    COLUMN("wall_time", print_seconds, wall_time),
    COLUMN("max_overlap_relative", print_real, report.max_overlap_relative),
    COLUMN("removed_energy", print_real, energies.removed_energy),
    COLUMN("colours", print_int32, report.colours),
    COLUMN("converged", print_flag, report.converged),
    COLUMN("max_speed", print_real, report.max_speed),
    COLUMN("projection_work", print_real, energies.projection_work),
    COLUMN("mean_overlap", print_real, report.mean_overlap),
    COLUMN("overlap_body_a", print_int32, report.overlap_body_a),
    COLUMN("overlap_body_b", print_int32, report.overlap_body_b),
    COLUMN("method", print_method, report.finished_by),
    COLUMN("residual_worst", print_real, report.residual_worst),
    COLUMN("contact_gain", print_real, energies.contact_gain),
    COLUMN("impact_gain", print_real, energies.impact_gain),
    COLUMN("changes", print_int32, changes),
};

// These follow if the case has joints.
static const struct column joint_columns[] = {
    COLUMN("joint_work", print_real, energies.joint_work),
    COLUMN("joint_error", print_real, report.joint_error),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct history {
    FILE *stream;
    int joints;
    int32_t changes; // that resume --set has made
    bool remapped;   // the rows before had other probes
    off_t
        resumed; // where the row of the step at which the run was resumed begins; 0: there is none
    char path[4096];
};

static bool history_fail(const char *path, int cause, struct gabion_error *error) {
    return error_set(error, GABION_ERROR_RUN, "%s: cannot write: %s%s", path, strerror(cause),
                     cause == ENOSPC || cause == EDQUOT || cause == EFBIG
                         ? " (disk full or file size limit; make room and resume)"
                         : "");
}

static void print_header(FILE *stream, const struct history *history,
                         const struct gabion_world *world) {
    for (size_t k = 0; k < COUNT(columns); k++)
        fprintf(stream, "%s%s", k > 0 ? "," : "", columns[k].name);
    for (int method = 0; method < GABION_METHOD_COUNT; method++)
        fprintf(stream, ",spent_%s", gabion_method_name((enum gabion_method)method));
    for (size_t k = 0; history->joints > 0 && k < COUNT(joint_columns); k++)
        fprintf(stream, ",%s", joint_columns[k].name);
    columns_print_names(stream, world);
    fputc('\n', stream);
}

static void print_column(FILE *stream, const struct column *column, const struct row *row) {
    column->print(stream, (const char *)row + column->offset);
}

static bool print_row(const struct history *history, const struct gabion_world *world,
                      const struct row *row, struct gabion_error *error) {
    FILE *stream = history->stream;
    for (size_t k = 0; k < COUNT(columns); k++) {
        if (k > 0)
            fputc(',', stream);
        print_column(stream, &columns[k], row);
    }
    for (int method = 0; method < GABION_METHOD_COUNT; method++) {
        fputc(',', stream);
        print_integer(stream, row->report.spent[method]);
    }
    for (size_t k = 0; history->joints > 0 && k < COUNT(joint_columns); k++) {
        fputc(',', stream);
        print_column(stream, &joint_columns[k], row);
    }
    if (!columns_print_values(stream, world, error))
        return false;
    fputc('\n', stream);
    return true;
}

// Returns the header of this run; the caller frees it with free().
static char *header_text(const struct history *history, const struct gabion_world *world) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    print_header(stream, history, world);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

// Columns of a file whose probes were others.
struct remap {
    int *old; // by column: its place in the file; -1: the file does not have it
    int count;
};

// Returns the field at a place of a line and its length; NULL: the line has fewer.
static const char *find_field(const char *line, int place, size_t *length) {
    for (; place > 0 && line; place--)
        line = (line = strchr(line, ',')) ? line + 1 : NULL;
    *length = line ? strcspn(line, ",\n") : 0;
    return line;
}

static int find_column(const char *header, const char *name, size_t length) {
    size_t other;
    const char *field;
    for (int place = 0; (field = find_field(header, place, &other)) != NULL; place++)
        if (other == length && strncmp(field, name, length) == 0)
            return place;
    return -1;
}

static void make_remap(struct remap *remap, const char *header, const char *fresh) {
    size_t length;
    const char *name;
    while ((name = find_field(fresh, remap->count, &length)) != NULL) {
        remap->old = memory_resize(remap->old, (size_t)remap->count + 1, sizeof *remap->old,
                                   "columns of the history");
        remap->old[remap->count++] = find_column(header, name, length);
    }
}

static void write_remapped(const struct remap *remap, const char *line, FILE *stream) {
    for (int k = 0; k < remap->count; k++) {
        size_t length = 0;
        const char *field = remap->old[k] < 0 ? NULL : find_field(line, remap->old[k], &length);
        fprintf(stream, "%s%.*s", k > 0 ? "," : "", field ? (int)length : 3, field ? field : "nan");
    }
    fputc('\n', stream);
}

// Keeps the file with the columns of before under another name.
static bool keep_old(const struct history *history, int64_t step, struct gabion_error *error) {
    char path[sizeof history->path + 32];
    size_t stem = strlen(history->path) - strlen(".csv");
    snprintf(path, sizeof path, "%.*s-%09" PRId64 ".csv", (int)stem, history->path, step);
    unlink(path);
    if (link(history->path, path) == 0 || rename(history->path, path) == 0)
        return true;
    return error_set(error, GABION_ERROR_RUN, "%s: cannot be kept as %s: %s", history->path, path,
                     strerror(errno));
}

// Returns how many columns there are before the probes.
static int count_steady(const struct history *history) {
    return (int)COUNT(columns) + GABION_METHOD_COUNT +
           (history->joints > 0 ? (int)COUNT(joint_columns) : 0);
}

static bool is_steady(const struct remap *remap, int count) {
    for (int k = 0; k < count; k++)
        if (remap->old[k] != k)
            return false;
    return true;
}

// Accepts the header of this run, and one that differs in its probes: resume --set may change them.
static bool check_header(struct history *history, const char *line,
                         const struct gabion_world *world, struct remap *remap,
                         struct gabion_error *error) {
    char *expected = header_text(history, world);
    bool same = expected && strcmp(line, expected) == 0;
    if (expected && !same)
        make_remap(remap, line, expected);
    free(expected);
    if (remap->count > 0 && is_steady(remap, count_steady(history)))
        return history->remapped = true;
    return same || error_set(error, GABION_ERROR_INPUT,
                             "%s:1: the columns are not those of this run (another version); move "
                             "the file away, or resume into a new folder",
                             history->path);
}

// Copies the complete rows up to the world's step. A last line without its end is dropped: it was
// being written when the run was killed.
static bool copy_rows(struct history *history, FILE *old, FILE *fresh,
                      const struct gabion_world *world, struct gabion_error *error) {
    struct remap remap = {0};
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    int64_t last = gabion_step_number(world);
    ssize_t length = getline(&line, &capacity, old);
    if (length > 0 && line[length - 1] == '\n')
        good = check_header(history, line, world, &remap, error);
    if (good)
        print_header(fresh, history, world);
    for (long number = 2; good && (length = getline(&line, &capacity, old)) > 0; number++) {
        if (line[length - 1] != '\n')
            break;
        char *end;
        long long step = strtoll(line, &end, 10);
        if (end == line || *end != ',')
            good = error_set(error, GABION_ERROR_INPUT,
                             "%s:%ld: a row should begin with a step number; move the file away, "
                             "or resume into a new folder",
                             history->path, number);
        else if (step <= last) {
            history->resumed = step == last ? ftello(fresh) : 0;
            if (remap.count > 0)
                write_remapped(&remap, line, fresh);
            else
                fwrite(line, 1, (size_t)length, fresh);
        }
    }
    if (good && ferror(old))
        good = error_set(error, GABION_ERROR_INPUT, "%s: %s", history->path, strerror(errno));
    free(line);
    memory_free(remap.old);
    return good;
}

// Replaces the file by one with the header and the rows that are kept, before rows are added to it.
static bool history_prepare(struct history *history, const struct gabion_world *world, bool resume,
                            struct gabion_error *error) {
    const char *path = history->path;
    FILE *old = resume && file_exists(path) ? file_open(path, error) : NULL;
    if (error->status != GABION_OK)
        return false;
    struct safe_file file;
    bool good = safe_file_open(&file, path, error);
    if (good && old)
        good = copy_rows(history, old, file.stream, world, error);
    else if (good)
        print_header(file.stream, history, world);
    if (old)
        fclose(old);
    if (good && history->remapped)
        good = keep_old(history, gabion_step_number(world), error);
    if (good)
        return safe_file_commit(&file, error);
    safe_file_abandon(&file);
    return false;
}

static bool open_file(struct history *history, const char *directory,
                      const struct gabion_world *world, bool resume, struct gabion_error *error) {
    struct gabion_counts counts;
    int length = snprintf(history->path, sizeof history->path, "%s/history.csv", directory);
    if (length < 0 || (size_t)length >= sizeof history->path)
        return error_set(error, GABION_ERROR_INPUT, "%s: folder name too long", directory);
    if (!gabion_read_counts(world, &counts, error))
        return false;
    history->joints = counts.joints;
    if (!history_prepare(history, world, resume, error))
        return false;
    history->stream = file_open_to_write(history->path, "a", error);
    return history->stream != NULL;
}

struct history *history_open(const char *directory, const struct gabion_world *world, bool resume,
                             int changes, struct gabion_error *error) {
    struct history *history = memory_allocate(1, sizeof *history, "the history");
    history->changes = changes;
    if (open_file(history, directory, world, resume, error))
        return history;
    memory_free(history);
    return NULL;
}

bool history_drop_resumed(struct history *history, struct gabion_error *error) {
    if (history->resumed == 0 || ftruncate(fileno(history->stream), history->resumed) == 0)
        return true;
    return history_fail(history->path, errno, error);
}

bool history_write(struct history *history, const struct gabion_world *world, double wall_time,
                   struct gabion_error *error) {
    struct row row = {
        .step = gabion_step_number(world),
        .time = gabion_time(world),
        .wall_time = wall_time,
        .changes = history->changes,
    };
    if (!gabion_read_step_report(world, &row.report, error) ||
        !gabion_read_energies(world, &row.energies, error) ||
        !print_row(history, world, &row, error))
        return false;
    // Flushed row by row: what was computed is in the file whatever happens to the process.
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
