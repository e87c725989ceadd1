// The one error path of Gabion. A function that can fail takes a `struct error *`, fills it and
// returns false (or NULL, or -1). The text says where, what was expected and what to do; only the
// command line prints it and turns `status` into an exit status.
#ifndef PARALLEL_ERROR_H
#define PARALLEL_ERROR_H

#include <stdbool.h>

enum error_status {
    ERROR_NONE = 0,
    ERROR_RUN = 1,   // the run failed: disk full, did not converge as asked
    ERROR_INPUT = 2, // bad usage or bad input
};

struct error {
    enum error_status status;
    char text[2048];
};

// Sets the error and returns false, so that a caller can write `return error_set(...)`. A later
// error does not replace an earlier one: the first cause is what the user needs.
__attribute__((format(printf, 3, 4))) bool error_set(struct error *error, enum error_status status,
                                                     const char *format, ...);

// Puts "context: " before the text of an error that came from below.
__attribute__((format(printf, 2, 3))) bool error_context(struct error *error, const char *format,
                                                         ...);

#endif
