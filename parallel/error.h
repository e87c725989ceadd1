// How functions report errors. A function that can fail takes a `struct gabion_error *`, fills it
// and returns false (or NULL, or -1). Only the command line prints the text and turns `status` into
// an exit status. Running out of memory takes a way of its own to the same struct: see memory.h.
#ifndef PARALLEL_ERROR_H
#define PARALLEL_ERROR_H

#include <stdbool.h>

#include "parallel/types.h"

// Fills the error and returns false, so that a caller can write `return error_set(...)`. Does not
// replace an earlier error: the user needs the first cause.
__attribute__((format(printf, 3, 4))) bool
error_set(struct gabion_error *error, enum gabion_status status, const char *format, ...);

// Puts "context: " before the text of an error that a called function has set. Does nothing where
// there is no error. Returns false.
__attribute__((format(printf, 2, 3))) bool error_context(struct gabion_error *error,
                                                         const char *format, ...);

#endif
