// The one error path of Gabion. A function that can fail takes a `struct gabion_error *`, fills it
// and returns false (or NULL, or -1). Only the command line prints the text and turns `status` into
// an exit status.
#ifndef PARALLEL_ERROR_H
#define PARALLEL_ERROR_H

#include <stdbool.h>

#include "parallel/types.h"

// Sets the error and returns false, so that a caller can write `return error_set(...)`. A later
// error does not replace an earlier one: the first cause is what the user needs.
__attribute__((format(printf, 3, 4))) bool
error_set(struct gabion_error *error, enum gabion_status status, const char *format, ...);

// Puts "context: " before the text of an error that came from below.
__attribute__((format(printf, 2, 3))) bool error_context(struct gabion_error *error,
                                                         const char *format, ...);

#endif
