// Lines for the user that are found before there is a log: notes, and warnings, which count.
#ifndef IO_TEXT_REMARKS_H
#define IO_TEXT_REMARKS_H

#include <stdbool.h>
#include <stddef.h>

struct remark {
    char *text;
    bool warning;
};

struct memory_account; // parallel/memory.h

struct remarks {
    struct remark *list;
    size_t count, capacity;
    struct memory_account *account; // that the lines belong to, whichever is current; NULL: none
};

__attribute__((format(printf, 3, 4))) void remarks_add(struct remarks *remarks, bool warning,
                                                       const char *format, ...);
int remarks_warnings(const struct remarks *remarks);
void remarks_free(struct remarks *remarks);

#endif
