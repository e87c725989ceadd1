// Stores the views of an exported step (contacts, bodies, laws) inside its FCLIB file and reads
// them back; writer and reader share one table.
#ifndef IO_FCLIB_STEP_H
#define IO_FCLIB_STEP_H

#include "engine/problem/stored.h"
#include "io/file/h5.h"

bool fclib_write_step(const struct h5_file *file, const struct contact_problem *problem,
                      struct gabion_error *error);

// Returns the stored views, or NULL and an error.
struct stored_views *fclib_load_step(const struct h5_file *file, struct least_speeds *least,
                                     struct gabion_error *error);

#endif
