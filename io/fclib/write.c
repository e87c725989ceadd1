#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/fclib/fclib.h"
#include "engine/problem/stored.h"
#include "io/fclib/format.h"
#include "io/fclib/step.h"
#include "io/file/file.h"
#include "io/file/h5.h"
#include "parallel/memory.h"

static bool write_integer(const struct h5_file *file, const char *name, int32_t value,
                          struct gabion_error *error) {
    return h5_write_vector(file, name, H5_TYPE_INT32, &value, 1, error);
}

// The matrix ----------------------------------------------------------------------------------

struct rows {
    int32_t *begin, *column;
    double *value;
};

// Full blocks, zeros and all: rows 3a to 3a + 2 have the same columns.
static struct rows compress(const struct contact_problem *problem) {
    const struct contact_matrix *matrix = &problem->matrix;
    size_t side = contact_problem_size(problem), blocks = matrix->start[problem->contacts];
    struct rows rows = {memory_allocate(side + 1, sizeof(int32_t), "rows of W"),
                        memory_allocate(9 * blocks, sizeof(int32_t), "columns of W"),
                        memory_allocate(9 * blocks, sizeof(double), "values of W")};
    size_t place = 0;
    for (size_t i = 0; i < side; i++) {
        for (size_t e = matrix->start[i / 3]; e < matrix->start[i / 3 + 1]; e++)
            for (int j = 0; j < 3; j++, place++) {
                rows.column[place] = 3 * matrix->column[e] + j;
                rows.value[place] = matrix->value[e * CONTACT_BLOCK + 4 * (size_t)j + i % 3];
            }
        rows.begin[i + 1] = (int32_t)place;
    }
    return rows;
}

static bool write_matrix(const struct h5_file *file, const struct contact_problem *problem,
                         struct gabion_error *error) {
    size_t side = contact_problem_size(problem);
    size_t entries = 9 * problem->matrix.start[problem->contacts];
    if (side > INT32_MAX || entries > INT32_MAX)
        return error_set(error, GABION_ERROR_RUN,
                         "%s: %zu entries of W are more than FCLIB can count (%d)", file->path,
                         entries, INT32_MAX);
    struct rows rows = compress(problem);
    bool written =
        h5_write_group(file, FCLIB_W, error) &&
        write_integer(file, FCLIB_W "/nzmax", (int32_t)entries, error) &&
        write_integer(file, FCLIB_W "/m", (int32_t)side, error) &&
        write_integer(file, FCLIB_W "/n", (int32_t)side, error) &&
        write_integer(file, FCLIB_W "/nz", FCLIB_ROWS, error) &&
        h5_write_vector(file, FCLIB_W "/p", H5_TYPE_INT32, rows.begin, side + 1, error) &&
        h5_write_vector(file, FCLIB_W "/i", H5_TYPE_INT32, rows.column, entries, error) &&
        h5_write_vector(file, FCLIB_W "/x", H5_TYPE_FLOAT64, rows.value, entries, error);
    memory_free(rows.begin);
    memory_free(rows.column);
    memory_free(rows.value);
    return written;
}

// The rest ------------------------------------------------------------------------------------

// Sticking is DBL_MAX in a step, whose square other codes would stumble over: CONTACT_STICKS says
// it too. What came from a file goes back as it was.
static bool write_vectors(const struct h5_file *file, const struct contact_problem *problem,
                          struct gabion_error *error) {
    size_t contacts = (size_t)problem->contacts;
    double *mu = memory_allocate(contacts, sizeof *mu, "friction");
    double most = problem->face == FACE_BODIES ? CONTACT_STICKS : DBL_MAX;
    for (size_t a = 0; a < contacts; a++)
        mu[a] = fmin(problem->mu[a], most);
    bool written = h5_write_group(file, FCLIB_VECTORS, error) &&
                   h5_write_vector(file, FCLIB_VECTORS "/q", H5_TYPE_FLOAT64, problem->q,
                                   3 * contacts, error) &&
                   h5_write_vector(file, FCLIB_VECTORS "/mu", H5_TYPE_FLOAT64, mu, contacts, error);
    memory_free(mu);
    return written;
}

static bool write_info(const struct h5_file *file, const struct fclib_texts *texts, int32_t bodies,
                       struct gabion_error *error) {
    static const struct fclib_texts none;
    texts = texts ? texts : &none;
    const char *const text[] = {texts->title, texts->description, texts->math_info};
    static const char *const name[] = {FCLIB_INFO "/title", FCLIB_INFO "/description",
                                       FCLIB_INFO "/math_info"};
    bool written = h5_write_group(file, FCLIB_INFO, error);
    for (int k = 0; written && k < 3; k++)
        written = h5_write_document(file, name[k], text[k] ? text[k] : "", error);
    return written && (bodies == 0 || h5_write_number(file, FCLIB_INFO, "numberOfInvolvedDS",
                                                      H5_TYPE_INT32, &bodies, error));
}

static bool write_pair(const struct h5_file *file, const char *group, const char *name_u,
                       const char *name_r, const struct contact_problem *problem, const double *r,
                       struct gabion_error *error) {
    size_t side = contact_problem_size(problem);
    double *u = memory_allocate(side, sizeof *u, "velocities");
    contact_problem_velocity(problem, r, u);
    bool written = h5_write_group(file, group, error) &&
                   h5_write_vector(file, name_u, H5_TYPE_FLOAT64, u, side, error) &&
                   h5_write_vector(file, name_r, H5_TYPE_FLOAT64, r, side, error);
    memory_free(u);
    return written;
}

static bool write_solution(const struct h5_file *file, const struct contact_problem *problem,
                           const double *r, struct gabion_error *error) {
    return write_pair(file, FCLIB_SOLUTION, FCLIB_SOLUTION "/u", FCLIB_SOLUTION "/r", problem, r,
                      error);
}

static bool write_guess(const struct h5_file *file, const struct contact_problem *problem,
                        struct gabion_error *error) {
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "impulses");
    contact_problem_to_rows(problem, problem->stored->start, r);
    bool written =
        h5_write_group(file, FCLIB_GUESSES, error) &&
        write_integer(file, FCLIB_GUESSES "/number_of_guesses", 1, error) &&
        write_pair(file, FCLIB_GUESS, FCLIB_GUESS "/u", FCLIB_GUESS "/r", problem, r, error);
    memory_free(r);
    return written;
}

// Files ---------------------------------------------------------------------------------------

static bool name_temporary(const char *path, char temporary[4096], struct gabion_error *error) {
    int length = snprintf(temporary, 4096, "%s.part", path);
    return (length > 0 && length < 4096) ||
           error_set(error, GABION_ERROR_INPUT, "%.1024s: file name too long", path);
}

static bool finish(struct h5_file *file, bool written, const char *temporary, const char *path,
                   struct gabion_error *error) {
    if (!written)
        h5_abandon(file);
    else
        written = h5_close(file, error);
    if (!written)
        unlink(temporary);
    return written && file_publish(temporary, path, error);
}

bool fclib_write(const char *path, const struct contact_problem *problem, const double *r,
                 const struct fclib_texts *texts, struct gabion_error *error) {
    char temporary[4096];
    struct h5_file file;
    if (problem->held)
        return error_set(
            error, GABION_ERROR_INPUT,
            "%s: not written: the step has joints, and the FCLIB format supports only contacts; "
            "export a case without joints",
            path);
    if (!name_temporary(path, temporary, error) || !h5_create(&file, temporary, 0, error))
        return false;
    struct contact_problem *built =
        problem->face == FACE_BODIES ? contact_problem_assemble(problem) : NULL;
    const struct contact_problem *matrix = built ? built : problem;
    bool written = h5_write_group(&file, FCLIB_LOCAL, error) &&
                   write_integer(&file, FCLIB_SPACEDIM, FCLIB_DIMENSION, error) &&
                   write_matrix(&file, matrix, error) && write_vectors(&file, problem, error) &&
                   write_info(&file, texts, problem->bodies.count, error) &&
                   (r == NULL || write_solution(&file, problem, r, error)) &&
                   (problem->stored == NULL || (write_guess(&file, problem, error) &&
                                                fclib_write_step(&file, problem, error)));
    contact_problem_free(built);
    return finish(&file, written, temporary, path, error);
}

// A link stays a link: the file that it leads to is the one to change.
bool fclib_save_solution(const char *path, const struct contact_problem *problem, const double *r,
                         struct gabion_error *error) {
    char temporary[4096], target[PATH_MAX];
    struct h5_file file;
    if (realpath(path, target) != NULL)
        path = target;
    if (!name_temporary(path, temporary, error) || !file_copy(path, temporary, error))
        return false;
    if (!h5_edit(&file, temporary, error)) {
        unlink(temporary);
        return false;
    }
    bool written = (!h5_exists(&file, FCLIB_SOLUTION) || h5_remove(&file, FCLIB_SOLUTION, error)) &&
                   write_solution(&file, problem, r, error);
    return finish(&file, written, temporary, path, error);
}
