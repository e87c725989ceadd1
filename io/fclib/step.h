// The contacts and bodies behind an exported problem, inside its FCLIB file: one table for the
// writer and the reader.
#ifndef IO_FCLIB_STEP_H
#define IO_FCLIB_STEP_H

#include "engine/problem/stored.h"
#include "io/file/h5.h"

bool fclib_write_step(const struct h5_file *file, const struct contact_problem *problem,
                      struct gabion_error *error);

// Returns the stored views, or NULL and an error.
struct stored_views *fclib_load_step(const struct h5_file *file, double *floor,
                                     struct gabion_error *error);

#endif
