// Checks that only a debug build makes (`make debug`, which defines GABION_CHECKS).
//
// CHECK states what must hold whatever the input is: where it does not, Gabion itself is wrong. It
// prints the place, the condition and the message to standard error and aborts, so that a debugger
// or a core file shows the state. Errors that a user can cause go through parallel/error.h.
#ifndef PARALLEL_CHECK_H
#define PARALLEL_CHECK_H

#ifdef GABION_CHECKS

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// CHECK(i < count, "step %d: body %d of %d", step, i, count)
#define CHECK(condition, ...)                                                                      \
    ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))

__attribute__((format(printf, 4, 5), noreturn)) static inline void
check_failed(const char *file, int line, const char *condition, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: check failed: %s: ", file, line, condition);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

#else

// Compiled, so that it stays correct, but never evaluated.
#define CHECK(condition, ...) ((void)sizeof(!(condition)))

#endif
#endif
