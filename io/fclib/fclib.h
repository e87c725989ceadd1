// Reads and writes contact problems in the format of FCLIB (fclib_local), a public library of such
// problems.
#ifndef IO_FCLIB_FCLIB_H
#define IO_FCLIB_FCLIB_H

#include <stdio.h>

#include "engine/problem/contact_problem.h"
#include "parallel/error.h"

struct fclib_texts {
    const char *title, *description, *math_info; // NULL: empty
};

// Returns whether a file is an HDF5 file with an FCLIB problem, even one that Gabion cannot solve.
bool fclib_recognise(const char *path);

// Reads a problem (FACE_MATRIX) and its stored solution r (NULL: the file has none; free with
// memory_free). Features of the format that Gabion does not support are errors.
struct contact_problem *fclib_read(const char *path, double **solution, struct gabion_error *error);

// Prints "key: value" lines for `gabion info`: contacts, blocks of W, friction, symmetry, stored
// solution.
bool fclib_describe(const char *path, FILE *stream, struct gabion_error *error);

// Returns the text called "title", "description" or "math_info"; empty where there is none. Free it
// with memory_free.
char *fclib_read_text(const char *path, const char *name);

// Writes a problem (W is assembled if need be) and, unless r is NULL, r and u = W r + q under
// /solution. If the problem has stored views, they are written too, and the start impulses as a
// guess. The file is written under another name and then renamed, so that an existing file is never
// replaced by an incomplete one.
bool fclib_write(const char *path, const struct contact_problem *problem, const double *r,
                 const struct fclib_texts *texts, struct gabion_error *error);

// Reads the step that Gabion exported to a file: a problem with views, and with the impulses that
// the run started from in problem->stored->start. *problem is NULL where the file has none, or
// where its W, q or mu were changed since. Returns false on an error.
bool fclib_read_step(const char *path, struct contact_problem **problem,
                     struct gabion_error *error);

// Reads the first guess of a file over its rows; NULL where it has none. Free with memory_free.
bool fclib_read_guess(const char *path, size_t rows, double **guess, struct gabion_error *error);

// Replaces or adds /solution of an existing file; nothing else in it changes.
bool fclib_save_solution(const char *path, const struct contact_problem *problem, const double *r,
                         struct gabion_error *error);

#endif
