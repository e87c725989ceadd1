// Contact problems in the format of FCLIB (fclib_local): the one place that knows it.
#ifndef IO_FCLIB_H
#define IO_FCLIB_H

#include "engine/friction_problem.h"
#include "parallel/error.h"

struct fclib_texts {
    const char *title, *description, *math_info; // NULL: empty
};

// Is this an HDF5 file with /fclib_local in it?
bool fclib_recognise(const char *path);

// The problem, FACE_MATRIX, and its stored solution r (NULL: the file has none; free with
// memory_free). What the format allows and Gabion cannot do gets an error that says so.
struct friction_problem *fclib_read(const char *path, double **solution, struct error *error);

// Writes a problem (W is assembled if need be) and, unless r is NULL, r and u = W r + q under
// /solution. Never replaces an existing file halfway: written beside it, then renamed.
bool fclib_write(const char *path, const struct friction_problem *problem, const double *r,
                 const struct fclib_texts *texts, struct error *error);

// Replaces or adds /solution of an existing file; nothing else in it changes.
bool fclib_save_solution(const char *path, const struct friction_problem *problem, const double *r,
                         struct error *error);

#endif
