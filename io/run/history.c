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
#include "parallel/outbox.h"

// How long rows wait for others in seconds, how many at most and in how many bytes.
#define DELAY     0.1
#define ROWS_MAX  256
#define ROWS_SIZE 400000

// The numbers of one row. Those of the probes follow it in memory.
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

// Rows as text: from `written` on they are not in the file.
struct rows_text {
    char *bytes;
    size_t capacity, size, written;
    FILE *stream; // writes to `bytes`
};

struct history {
    FILE *stream;
    struct outbox *outbox; // takes rows to the thread that writes them; NULL: there is none
    struct row *row;       // the one that is written next
    int values;            // of probes
    struct rows_text text; // belongs to the thread that writes
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

static void print_row(const struct history *history, const struct row *row, FILE *stream) {
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
    columns_print_values(stream, (const double *)(row + 1), history->values);
    fputc('\n', stream);
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

// What copying rows has come to.
struct copying {
    struct history *history;
    struct remap remap; // of no columns: they stay as they are
    FILE *fresh;
    int64_t done, last; // steps: of the row copied last, and of the last one that is wanted
    long line;          // of the file
};

static bool copy_row(struct copying *copying, const char *line, struct gabion_error *error) {
    char *end;
    long long step = strtoll(line, &end, 10);
    if (end == line || *end != ',')
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%ld: a row should begin with a step number; move the file away, or "
                         "resume into a new folder",
                         copying->history->path, copying->line);
    if (step > copying->last || step <= copying->done)
        return true;
    copying->history->resumed = step == copying->last ? ftello(copying->fresh) : 0;
    copying->done = step;
    if (copying->remap.count > 0)
        write_remapped(&copying->remap, line, copying->fresh);
    else
        fputs(line, copying->fresh);
    return true;
}

// Copies complete rows. A last line without its end is dropped: it was being written when the run
// was killed.
static bool copy_lines(struct copying *copying, FILE *old, struct gabion_error *error) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool good = true;
    while (good && (length = getline(&line, &capacity, old)) > 0 && line[length - 1] == '\n') {
        copying->line++;
        good = copy_row(copying, line, error);
    }
    free(line);
    return good && (!ferror(old) || error_set(error, GABION_ERROR_INPUT, "%s: %s",
                                              copying->history->path, strerror(errno)));
}

// Copies rows that a checkpoint has kept for the file.
static bool copy_left(struct copying *copying, const char *left, struct gabion_error *error) {
    FILE *stream = fmemopen((void *)left, strlen(left), "r");
    if (!stream)
        return error_set(error, GABION_ERROR_MEMORY, "%s: no memory to read rows",
                         copying->history->path);
    bool good = copy_lines(copying, stream, error);
    fclose(stream);
    return good;
}

// Copies the header, and the rows up to the world's step: those of the file, and those left.
static bool copy_rows(struct history *history, FILE *old, FILE *fresh, const char *left,
                      const struct gabion_world *world, struct gabion_error *error) {
    struct copying copying = {.history = history,
                              .fresh = fresh,
                              .done = INT64_MIN,
                              .last = gabion_step_number(world),
                              .line = 1};
    char *header = NULL;
    size_t capacity = 0;
    bool good = true;
    ssize_t length = getline(&header, &capacity, old);
    if (length > 0 && header[length - 1] == '\n')
        good = check_header(history, header, world, &copying.remap, error);
    free(header);
    if (good)
        print_header(fresh, history, world);
    good = good && copy_lines(&copying, old, error) &&
           (left == NULL || left[0] == '\0' || copy_left(&copying, left, error));
    memory_free(copying.remap.old);
    return good;
}

// Replaces the file by one with the header and the rows that are kept, before rows are added to it.
static bool history_prepare(struct history *history, const struct gabion_world *world, bool resume,
                            const char *left, struct gabion_error *error) {
    const char *path = history->path;
    FILE *old = resume && file_exists(path) ? file_open(path, error) : NULL;
    if (error->status != GABION_OK)
        return false;
    struct safe_file file;
    bool good = safe_file_open(&file, path, error);
    if (good && old)
        good = copy_rows(history, old, file.stream, left, world, error);
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

static size_t row_bytes(const struct history *history) {
    return sizeof(struct row) + (size_t)history->values * sizeof(double);
}

// Returns more than the text of a row may take: no number takes DIGITS_SIZE with its comma.
static size_t row_text_bytes(const struct history *history) {
    return (size_t)(count_steady(history) + history->values + 1) * DIGITS_SIZE;
}

static size_t rows_at_once(const struct history *history) {
    size_t most = ROWS_SIZE / (row_bytes(history) + row_text_bytes(history));
    return most > ROWS_MAX ? ROWS_MAX : most < 2 ? 2 : most;
}

// Makes room for what may be left unwritten: rows that could not be written, and those that had
// been put down by then. Nothing is allocated when rows are printed.
static bool make_text(struct history *history, struct gabion_error *error) {
    struct rows_text *text = &history->text;
    history->row = memory_allocate(row_bytes(history), 1, "a row of the history");
    text->capacity = (2 * rows_at_once(history) + 1) * row_text_bytes(history);
    text->bytes = memory_allocate(text->capacity + 1, 1, "rows of the history");
    text->stream = fmemopen(text->bytes, text->capacity, "w");
    if (text->stream == NULL)
        return error_set(error, GABION_ERROR_MEMORY, "%s: no memory for rows", history->path);
    return true;
}

static bool open_file(struct history *history, const char *directory,
                      const struct gabion_world *world, bool resume, const char *left,
                      struct gabion_error *error) {
    struct gabion_counts counts;
    int length = snprintf(history->path, sizeof history->path, "%s/history.csv", directory);
    if (length < 0 || (size_t)length >= sizeof history->path)
        return error_set(error, GABION_ERROR_INPUT, "%s: folder name too long", directory);
    if (!gabion_read_counts(world, &counts, error))
        return false;
    history->joints = counts.joints;
    history->values = columns_count(world);
    if (!history_prepare(history, world, resume, left, error) || !make_text(history, error))
        return false;
    history->stream = file_open_to_write(history->path, "a", error);
    return history->stream != NULL;
}

// Keeps the text of the rows.
static void history_free(struct history *history) {
    if (history->text.stream != NULL)
        fclose(history->text.stream);
    memory_free(history->row);
    memory_free(history);
}

struct history *history_open(const char *directory, const struct gabion_world *world, bool resume,
                             int changes, const char *left, struct gabion_error *error) {
    struct history *history = memory_allocate(1, sizeof *history, "the history");
    history->changes = changes;
    if (open_file(history, directory, world, resume, left, error))
        return history;
    memory_free(history->text.bytes);
    history_free(history);
    return NULL;
}

bool history_drop_resumed(struct history *history, struct gabion_error *error) {
    if (history->resumed == 0 || ftruncate(fileno(history->stream), history->resumed) == 0)
        return true;
    return history_fail(history->path, errno, error);
}

// Hands the text to the system. What is in the file then is there whatever happens to the process;
// what is not is kept, for the next time.
static bool write_text(struct history *history, struct gabion_error *error) {
    struct rows_text *text = &history->text;
    while (text->written < text->size) {
        ssize_t count =
            write(fileno(history->stream), text->bytes + text->written, text->size - text->written);
        if (count < 0 && errno != EINTR)
            return history_fail(history->path, errno, error);
        text->written += count > 0 ? (size_t)count : 0;
    }
    text->written = text->size = 0;
    return true;
}

static bool write_rows(void *context, const void *rows, size_t count, struct gabion_error *error) {
    struct history *history = context;
    struct rows_text *text = &history->text;
    fseeko(text->stream, (off_t)text->size, SEEK_SET);
    for (size_t k = 0; k < count; k++)
        print_row(history, (const struct row *)((const char *)rows + k * row_bytes(history)),
                  text->stream);
    off_t end = ftello(text->stream);
    if (end < 0 || fflush(text->stream) != 0)
        return history_fail(history->path, errno, error);
    text->size = (size_t)end;
    return write_text(history, error);
}

void history_write_beside(struct history *history) {
    history->outbox =
        outbox_create(row_bytes(history), rows_at_once(history), DELAY, write_rows, history);
}

bool history_write(struct history *history, const struct gabion_world *world, double wall_time,
                   struct gabion_error *error) {
    struct row *row = history->row;
    *row = (struct row){
        .step = gabion_step_number(world),
        .time = gabion_time(world),
        .wall_time = wall_time,
        .changes = history->changes,
    };
    if (!gabion_read_step_report(world, &row->report, error) ||
        !gabion_read_energies(world, &row->energies, error) ||
        !columns_read(world, (double *)(row + 1), error))
        return false;
    return history->outbox ? outbox_put(history->outbox, row, error)
                           : write_rows(history, row, 1, error);
}

bool history_flush(struct history *history, struct gabion_error *error) {
    struct gabion_error second = {0};
    bool taken = history->outbox == NULL || outbox_wait(history->outbox, error);
    bool written = write_text(history, taken ? error : &second); // what could not be before
    if (!taken || !written)
        return false;
    return fsync(fileno(history->stream)) == 0 || history_fail(history->path, errno, error);
}

// Returns the rows that are not in the file, or are there in part: that part is dropped when the
// file is continued.
static char *take_left(struct history *history) {
    struct rows_text *text = &history->text;
    size_t begin = text->written;
    while (begin > 0 && text->bytes[begin - 1] != '\n')
        begin--;
    fclose(text->stream); // it may write a NUL
    text->stream = NULL;
    memmove(text->bytes, text->bytes + begin, text->size - begin);
    text->bytes[text->size - begin] = '\0';
    return text->bytes;
}

bool history_close(struct history *history, char **left, struct gabion_error *error) {
    *left = NULL;
    if (!history)
        return true;
    outbox_destroy(history->outbox);
    bool good = fclose(history->stream) == 0 || history_fail(history->path, errno, error);
    if (history->text.size > 0)
        *left = take_left(history);
    else
        memory_free(history->text.bytes);
    history_free(history);
    return good;
}

double history_seconds_beside(const struct history *history) {
    return history->outbox ? outbox_seconds(history->outbox) : 0;
}
