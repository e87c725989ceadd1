#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/fclib/fclib.h"
#include "engine/problem/stored.h"
#include "io/fclib/format.h"
#include "io/fclib/step.h"
#include "io/file/h5.h"
#include "parallel/memory.h"

// Datasets ------------------------------------------------------------------------------------

// A rank-1 dataset; its length comes back in *count. NULL: the error says why.
static void *read_vector(const struct h5_file *file, const char *name, enum h5_type type,
                         h5_check check, size_t *count, struct gabion_error *error) {
    size_t size = h5_type_size(type);
    struct h5_rows rows = {.name = name, .type = type, .columns = 1, .stride = size};
    if (!h5_find_rows(file, &rows, error))
        return NULL;
    rows.base = memory_allocate(rows.count, size, "a dataset of an FCLIB file");
    *count = rows.count;
    if (h5_read_rows(file, &rows, check, file, error))
        return rows.base;
    memory_free(rows.base);
    return NULL;
}

// A vector whose length is known beforehand; `why` names what the length follows from.
static double *read_exactly(const struct h5_file *file, const char *name, h5_check check,
                            size_t expected, const char *why, struct gabion_error *error) {
    size_t count = 0;
    double *vector = read_vector(file, name, H5_TYPE_FLOAT64, check, &count, error);
    if (vector == NULL || count == expected)
        return vector;
    error_set(error, GABION_ERROR_INPUT, "%s: '%s' has %zu numbers; %zu were expected (%s)",
              file->path, name, count, expected, why);
    memory_free(vector);
    return NULL;
}

static bool read_integer(const struct h5_file *file, const char *name, int32_t *value,
                         struct gabion_error *error) {
    size_t count = 0;
    int32_t *numbers = read_vector(file, name, H5_TYPE_INT32, NULL, &count, error);
    if (numbers == NULL)
        return false;
    if (count == 1)
        *value = numbers[0];
    else
        error_set(error, GABION_ERROR_INPUT, "%s: '%s' has %zu numbers; one was expected",
                  file->path, name, count);
    memory_free(numbers);
    return count == 1;
}

static bool check_finite(const void *context, const struct h5_rows *rows, const void *block,
                         size_t first, size_t count, struct gabion_error *error) {
    const struct h5_file *file = context;
    const double *number = block;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(number[k]))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: '%s'[%zu] is %g; a finite number was expected", file->path,
                             rows->name, first + k, number[k]);
    return true;
}

static bool check_friction(const void *context, const struct h5_rows *rows, const void *block,
                           size_t first, size_t count, struct gabion_error *error) {
    const struct h5_file *file = context;
    const double *mu = block;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(mu[k]) || mu[k] < 0)
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: '%s'[%zu] is %g; a coefficient of friction, 0 or more, was "
                             "expected (infinite friction: %g)",
                             file->path, rows->name, first + k, mu[k], CONTACT_STICKS);
    return true;
}

// The matrix ----------------------------------------------------------------------------------

// W entry by entry, whatever the file's storage.
struct entries {
    int32_t *row, *column;
    double *value;
    size_t count;
    int32_t side; // rows and columns of W
};

static void entries_free(struct entries *entries) {
    memory_free(entries->row);
    memory_free(entries->column);
    memory_free(entries->value);
}

static bool check_indices(const struct h5_file *file, const char *name, const int32_t *index,
                          size_t count, int32_t high, struct gabion_error *error) {
    for (size_t k = 0; k < count; k++)
        if (index[k] < 0 || index[k] > high)
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: '%s'[%zu] is %d; an index from 0 to %d was expected", file->path,
                             name, k, index[k], high);
    return true;
}

// The line (row or column) of each entry from where lines begin.
static int32_t *expand_lines(const struct h5_file *file, const int32_t *begin, size_t lines,
                             size_t room, size_t *used, struct gabion_error *error) {
    if (begin[0] != 0) {
        error_set(error, GABION_ERROR_INPUT, "%s: '" FCLIB_W "/p'[0] is %d; 0 was expected",
                  file->path, begin[0]);
        return NULL;
    }
    for (size_t k = 0; k < lines; k++)
        if (begin[k + 1] < begin[k] || (size_t)begin[k + 1] > room) {
            error_set(error, GABION_ERROR_INPUT,
                      "%s: '" FCLIB_W "/p'[%zu] is %d; a number from %d, the one before, to %zu, "
                      "the number of entries, was expected",
                      file->path, k + 1, begin[k + 1], begin[k], room);
            return NULL;
        }
    *used = (size_t)begin[lines];
    int32_t *line = memory_allocate(*used, sizeof *line, "entries of W");
    for (size_t k = 0; k < lines; k++)
        for (int32_t e = begin[k]; e < begin[k + 1]; e++)
            line[e] = (int32_t)k;
    return line;
}

// Lines from `p`, which holds beginnings or, of triplets, the lines themselves.
static int32_t *find_lines(const struct h5_file *file, int32_t *p, size_t length, int32_t nz,
                           size_t room, const struct entries *entries, size_t *used,
                           struct gabion_error *error) {
    size_t lines = (size_t)entries->side, expected = nz >= 0 ? (size_t)nz : lines + 1;
    int32_t *line = NULL;
    if (nz >= 0 ? length < expected : length != expected)
        error_set(error, GABION_ERROR_INPUT,
                  "%s: '" FCLIB_W "/p' has %zu numbers; %zu were expected (%s)", file->path, length,
                  expected, nz >= 0 ? "nz" : "lines of W and one more");
    else if (nz >= 0 && room < expected)
        error_set(error, GABION_ERROR_INPUT,
                  "%s: '" FCLIB_W "/i' or '/x' has %zu numbers; %d were expected (nz)", file->path,
                  room, nz);
    else if (nz < 0)
        line = expand_lines(file, p, lines, room, used, error);
    else if (check_indices(file, FCLIB_W "/p", p, expected, entries->side - 1, error)) {
        *used = expected;
        line = memory_allocate(expected, sizeof *line, "entries of W");
        memcpy(line, p, expected * sizeof *line);
    }
    return line;
}

// What an entry takes at most while W is built: its row, column and value twice, and a block of its
// own.
#define BYTES_PER_ENTRY (4.0 * 4 + 2 * 8 + CONTACT_BLOCK * 8)

// What a contact takes: its block on the diagonal, q, mu and where its row begins.
#define BYTES_PER_CONTACT (CONTACT_BLOCK * 8.0 + 8 * 8)

static bool check_room(const struct h5_file *file, struct gabion_error *error) {
    struct h5_rows x = {.name = FCLIB_W "/x", .type = H5_TYPE_FLOAT64, .columns = 1};
    struct h5_rows q = {.name = FCLIB_VECTORS "/q", .type = H5_TYPE_FLOAT64, .columns = 1};
    if (!h5_find_rows(file, &x, error) || !h5_find_rows(file, &q, error))
        return false;
    double bytes = (double)x.count * BYTES_PER_ENTRY + (double)q.count / 3 * BYTES_PER_CONTACT;
    return memory_check(bytes, "the contact problem", error) ||
           error_context(error, "%s", file->path);
}

// Triplets hold nz entries of nzmax; FCLIB cuts p and i to nz and leaves x as long as it is.
static bool read_storage(const struct h5_file *file, int32_t nz, struct entries *entries,
                         struct gabion_error *error) {
    size_t p_count = 0, i_count = 0, x_count = 0;
    int32_t *p = read_vector(file, FCLIB_W "/p", H5_TYPE_INT32, NULL, &p_count, error);
    int32_t *i = p ? read_vector(file, FCLIB_W "/i", H5_TYPE_INT32, NULL, &i_count, error) : NULL;
    entries->value =
        i ? read_vector(file, FCLIB_W "/x", H5_TYPE_FLOAT64, check_finite, &x_count, error) : NULL;
    int32_t *line = NULL;
    if (entries->value != NULL && nz < 0 && i_count != x_count)
        error_set(error, GABION_ERROR_INPUT,
                  "%s: '" FCLIB_W "/i' has %zu numbers and '" FCLIB_W "/x' has %zu; as many were "
                  "expected",
                  file->path, i_count, x_count);
    else if (entries->value != NULL)
        line = find_lines(file, p, p_count, nz, i_count < x_count ? i_count : x_count, entries,
                          &entries->count, error);
    memory_free(p);
    entries->row = nz == FCLIB_ROWS ? line : i;
    entries->column = nz == FCLIB_ROWS ? i : line;
    return line != NULL &&
           check_indices(file, FCLIB_W "/i", i, entries->count, entries->side - 1, error);
}

static bool read_entries(const struct h5_file *file, struct entries *entries,
                         struct gabion_error *error) {
    int32_t m, n, nz;
    if (!read_integer(file, FCLIB_W "/m", &m, error) ||
        !read_integer(file, FCLIB_W "/n", &n, error) ||
        !read_integer(file, FCLIB_W "/nz", &nz, error))
        return false;
    if (m != n || m < 0 || m % FCLIB_DIMENSION != 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: '" FCLIB_W "' has %d rows ('m') and %d columns ('n'); as many of "
                         "both were expected, three for each contact",
                         file->path, m, n);
    if (nz < FCLIB_ROWS)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: '" FCLIB_W "/nz' is %d; %d (compressed rows), %d (compressed "
                         "columns) or a number of triplets was expected",
                         file->path, nz, FCLIB_ROWS, FCLIB_COLUMNS);
    entries->side = m;
    return check_room(file, error) && read_storage(file, nz, entries, error);
}

// Blocks --------------------------------------------------------------------------------------

static int compare_columns(const void *left, const void *right) {
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static size_t sort_unique(int32_t *column, size_t count) {
    size_t kept = 0;
    qsort(column, count, sizeof *column, compare_columns);
    for (size_t k = 0; k < count; k++)
        if (kept == 0 || column[kept - 1] != column[k])
            column[kept++] = column[k];
    return kept;
}

// Blocks of each row of blocks, ascending; the diagonal one is always there. start has one more
// than the contacts.
static int32_t *find_blocks(const struct entries *entries, size_t contacts, size_t *start) {
    size_t *place = memory_allocate(contacts + 1, sizeof *place, "blocks of W");
    for (size_t k = 0; k < entries->count; k++)
        place[entries->row[k] / 3 + 1]++;
    for (size_t a = 0; a < contacts; a++)
        place[a + 1] += place[a] + 1;
    int32_t *column = memory_allocate(entries->count + contacts, sizeof *column, "blocks of W");
    for (size_t a = 0; a < contacts; a++)
        column[place[a]++] = (int32_t)a;
    for (size_t k = 0; k < entries->count; k++)
        column[place[entries->row[k] / 3]++] = entries->column[k] / 3;
    size_t begin = 0;
    for (size_t a = 0; a < contacts; a++) {
        size_t count = sort_unique(column + begin, place[a] - begin);
        memmove(column + start[a], column + begin, count * sizeof *column);
        start[a + 1] = start[a] + count;
        begin = place[a];
    }
    memory_free(place);
    return column;
}

// Fills the blocks. Entries given twice are added up, as in CSparse; the first is copied, so that
// even the sign of a zero is kept.
static bool fill_blocks(const struct h5_file *file, const struct entries *entries,
                        struct contact_matrix *matrix, struct gabion_error *error) {
    for (size_t k = 0; k < entries->count; k++) {
        int32_t row = entries->row[k], column = entries->column[k];
        size_t place = contact_matrix_find(matrix, row / 3, column / 3);
        double *block = matrix->value + place * CONTACT_BLOCK;
        double *value = &block[4 * (column % 3) + row % 3];
        *value = *value == 0 ? entries->value[k] : *value + entries->value[k];
        if (!isfinite(*value))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: the entries of '" FCLIB_W "' in row %d and column %d overflow",
                             file->path, row, column);
    }
    return true;
}

static struct contact_problem *build(const struct h5_file *file, const struct entries *entries,
                                     struct gabion_error *error) {
    size_t contacts = (size_t)entries->side / 3;
    size_t *start = memory_allocate(contacts + 1, sizeof *start, "blocks of W");
    int32_t *column = find_blocks(entries, contacts, start);
    struct contact_problem *problem = contact_problem_create((int32_t)contacts, start[contacts]);
    memcpy(problem->matrix.start, start, (contacts + 1) * sizeof *start);
    memcpy(problem->matrix.column, column, start[contacts] * sizeof *column);
    memory_free(start);
    memory_free(column);
    if (fill_blocks(file, entries, &problem->matrix, error))
        return problem;
    contact_problem_free(problem);
    return NULL;
}

// Files ---------------------------------------------------------------------------------------

static bool check_supported(const struct h5_file *file, struct gabion_error *error) {
    static const char *const equalities[] = {FCLIB_LOCAL "/V", FCLIB_LOCAL "/R",
                                             FCLIB_VECTORS "/s"};
    int32_t dimension;
    if (!h5_exists(file, FCLIB_LOCAL))
        return h5_exists(file, FCLIB_GLOBAL)
                   ? error_set(error, GABION_ERROR_INPUT,
                               "%s: holds a global problem ('" FCLIB_GLOBAL "': M, H, f, w), which "
                               "is not supported; reduce it to a local one (W, q, mu)",
                               file->path)
                   : error_set(error, GABION_ERROR_INPUT,
                               "%s: not an FCLIB file: it has no '" FCLIB_LOCAL "'", file->path);
    if (!h5_check_links(file, FCLIB_VECTORS, error))
        return false;
    for (size_t k = 0; k < sizeof equalities / sizeof *equalities; k++)
        if (h5_exists(file, equalities[k]))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: has equality constraints ('%s'), which are not supported",
                             file->path, equalities[k]);
    if (!read_integer(file, FCLIB_SPACEDIM, &dimension, error))
        return false;
    if (dimension != FCLIB_DIMENSION)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: '" FCLIB_SPACEDIM "' is %d; only problems in %d dimensions are "
                         "supported",
                         file->path, dimension, FCLIB_DIMENSION);
    return true;
}

// Lengths first: they bound what W may claim.
static bool read_vectors(const struct h5_file *file, size_t side, double **q, double **mu,
                         struct gabion_error *error) {
    *q = read_exactly(file, FCLIB_VECTORS "/q", check_finite, side, "rows of W", error);
    *mu = *q ? read_exactly(file, FCLIB_VECTORS "/mu", check_friction, side / 3, "contacts", error)
             : NULL;
    return *mu != NULL;
}

static struct contact_problem *read_problem(const struct h5_file *file,
                                            struct gabion_error *error) {
    struct entries entries = {0};
    struct contact_problem *problem = NULL;
    double *q = NULL, *mu = NULL;
    if (check_supported(file, error) && read_entries(file, &entries, error) &&
        read_vectors(file, (size_t)entries.side, &q, &mu, error) &&
        (problem = build(file, &entries, error)) != NULL) {
        memcpy(problem->q, q, contact_problem_size(problem) * sizeof *q);
        memcpy(problem->mu, mu, (size_t)problem->contacts * sizeof *mu);
        contact_problem_finish(problem);
    }
    memory_free(q);
    memory_free(mu);
    entries_free(&entries);
    return problem;
}

static bool read_solution(const struct h5_file *file, const struct contact_problem *problem,
                          double **solution, struct gabion_error *error) {
    if (!h5_exists(file, FCLIB_SOLUTION "/r"))
        return true;
    *solution = read_exactly(file, FCLIB_SOLUTION "/r", check_finite, contact_problem_size(problem),
                             "rows of W", error);
    return *solution != NULL;
}

struct contact_problem *fclib_read(const char *path, double **solution,
                                   struct gabion_error *error) {
    struct h5_file file;
    *solution = NULL;
    if (!h5_open(&file, path, error))
        return NULL;
    struct contact_problem *problem = read_problem(&file, error);
    if (problem != NULL && !read_solution(&file, problem, solution, error)) {
        contact_problem_free(problem);
        problem = NULL;
    }
    h5_abandon(&file);
    return problem;
}

bool fclib_recognise(const char *path) {
    struct h5_file file;
    struct gabion_error ignored = {0};
    if (!h5_open(&file, path, &ignored))
        return false;
    bool there = h5_exists(&file, FCLIB_LOCAL) || h5_exists(&file, FCLIB_GLOBAL);
    h5_abandon(&file);
    return there;
}

char *fclib_read_text(const char *path, const char *name) {
    struct h5_file file;
    struct gabion_error ignored = {0};
    char dataset[256], *text = NULL;
    size_t count = 0, size;
    snprintf(dataset, sizeof dataset, FCLIB_INFO "/%s", name);
    if (h5_open(&file, path, &ignored)) {
        if (h5_exists(&file, dataset))
            text = h5_read_strings(&file, dataset, &count, &size, &ignored);
        h5_abandon(&file);
    }
    return text ? text : memory_allocate(1, 1, "text");
}

// Steps ---------------------------------------------------------------------------------------

static bool same_numbers(const double *x, const double *y, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (x[k] != y[k])
            return false;
    return true;
}

// The views belong to W, q and mu as long as these are what the views give.
static bool same_problem(const struct contact_problem *file, struct contact_problem *step) {
    contact_problem_materialise(step);
    size_t rows = (size_t)step->contacts;
    if (file->contacts != step->contacts || !same_numbers(file->q, step->q, 3 * rows))
        return false;
    for (size_t a = 0; a < rows; a++)
        if (file->mu[a] != fmin(step->mu[a], CONTACT_STICKS))
            return false;
    struct contact_problem *built = contact_problem_assemble(step);
    size_t blocks = built->matrix.start[rows];
    bool same = file->matrix.start[rows] == blocks &&
                memcmp(file->matrix.column, built->matrix.column,
                       blocks * sizeof *built->matrix.column) == 0 &&
                same_numbers(file->matrix.value, built->matrix.value, blocks * CONTACT_BLOCK);
    contact_problem_free(built);
    return same;
}

bool fclib_read_step(const char *path, struct contact_problem **problem,
                     struct gabion_error *error) {
    struct h5_file file;
    struct least_speeds least = {0};
    *problem = NULL;
    if (!h5_open(&file, path, error))
        return false;
    bool there = h5_exists(&file, FCLIB_STEP);
    struct stored_views *stored = there ? fclib_load_step(&file, &least, error) : NULL;
    struct contact_problem *matrix = stored ? read_problem(&file, error) : NULL;
    h5_abandon(&file);
    if (matrix) {
        *problem = contact_problem_of_stored(stored, least, NULL);
        if (!same_problem(matrix, *problem)) {
            contact_problem_free(*problem);
            *problem = NULL;
        }
    } else {
        stored_views_free(stored);
    }
    contact_problem_free(matrix);
    return !there || matrix != NULL;
}

bool fclib_read_guess(const char *path, size_t rows, double **guess, struct gabion_error *error) {
    struct h5_file file;
    *guess = NULL;
    if (!h5_open(&file, path, error))
        return false;
    bool there = h5_exists(&file, FCLIB_GUESS "/r");
    if (there)
        *guess = read_exactly(&file, FCLIB_GUESS "/r", check_finite, 3 * rows, "rows of W", error);
    h5_abandon(&file);
    return !there || *guess != NULL;
}
