// How much of a long test runs. With GABION_SHORT_TESTS=1 in the environment it is a part of it:
// what a sanitizer sees in ten steps is what it sees in ten thousand, each of which it makes five
// times slower. `make check` sets it for its sanitizers and runs everything without them; `make
// asan` and `make torture` do not set it.
#ifndef TESTS_UNIT_EFFORT_H
#define TESTS_UNIT_EFFORT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool effort_is_short(void) {
    const char *asked = getenv("GABION_SHORT_TESTS");
    return asked && strcmp(asked, "1") == 0;
}

// Returns how many of something a test does: all of them, or the part that is enough for a
// sanitizer.
static inline int effort(int all, int part) { return effort_is_short() ? part : all; }

// At the beginning of a test whose conditions hold only for the whole of it: reported as skipped.
#define long_test()                                                                                \
    do {                                                                                           \
        if (effort_is_short())                                                                     \
            skip();                                                                                \
    } while (0)

#endif
