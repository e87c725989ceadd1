// Contact problems in the format of FCLIB (fclib_local): the one place that knows it.
#ifndef IO_FCLIB_FCLIB_H
#define IO_FCLIB_FCLIB_H

#include <stdio.h>

#include "engine/problem/contact_problem.h"
#include "parallel/error.h"

struct fclib_texts {
    const char *title, *description, *math_info; // NULL: empty
};

// Is this an HDF5 file with a problem of FCLIB in it, be it one that Gabion can solve or not?
bool fclib_recognise(const char *path);

// The problem, FACE_MATRIX, and its stored solution r (NULL: the file has none; free with
// memory_free). What the format allows and Gabion cannot do gets an error that says so.
struct contact_problem *fclib_read(const char *path, double **solution, struct gabion_error *error);

// "key: value" lines for `gabion info`: contacts, blocks, friction, symmetry, stored solution.
bool fclib_describe(const char *path, FILE *stream, struct gabion_error *error);

// One of "title", "description", "math_info"; empty where there is none. Free with memory_free.
char *fclib_read_text(const char *path, const char *name);

// Writes a problem (W is assembled if need be) and, unless r is NULL, r and u = W r + q under
// /solution. Of a problem with stored views the views are written too, and the start impulses as a
// guess. Never replaces an existing file halfway: written beside it, then renamed.
bool fclib_write(const char *path, const struct contact_problem *problem, const double *r,
                 const struct fclib_texts *texts, struct gabion_error *error);

// Reads the step that a file of Gabion's was made of: a problem with views, and with the impulses
// that the run started from in problem->stored->start. *problem is NULL where the file has none, or
// where its W, q or mu were changed since. False: an error.
bool fclib_read_step(const char *path, struct contact_problem **problem,
                     struct gabion_error *error);

// Reads the first guess of a file over its rows; NULL where it has none. Free with memory_free.
bool fclib_read_guess(const char *path, size_t rows, double **guess, struct gabion_error *error);

// Replaces or adds /solution of an existing file; nothing else in it changes.
bool fclib_save_solution(const char *path, const struct contact_problem *problem, const double *r,
                         struct gabion_error *error);

#endif
