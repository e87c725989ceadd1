// What a report leaves out or could not read, for the page and the command line.
#ifndef IO_REPORT_REMARKS_H
#define IO_REPORT_REMARKS_H

#include <stddef.h>

#include "parallel/error.h"

#define REMARK_BYTES 512
#define REMARKS_MAX  20

struct remarks {
    char text[REMARKS_MAX][REMARK_BYTES];
    size_t count, unlisted; // remarks beyond the last one that has room
};

// Adds a remark once, however often it is made.
__attribute__((format(printf, 2, 3))) void remarks_add(struct remarks *remarks, const char *format,
                                                       ...);

#endif
