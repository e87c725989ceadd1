// Checks of a resolved case document: first against the key table, then the rules that tie several
// keys together. Every problem is told with its place, not only the first.
#ifndef IO_CASE_CHECK_H
#define IO_CASE_CHECK_H

#include "io/text/yaml.h"

#define PROBLEMS_SHOWN 10

struct problems {
    int count, shown;
    size_t length;
    char text[sizeof(((struct gabion_error *)0)->text) - 40];
};

__attribute__((format(printf, 3, 4))) void
problems_add(struct problems *problems, struct yaml_position at, const char *format, ...);
bool problems_report(const struct problems *problems,
                     struct gabion_error *error); // true: there are none

bool case_check(const struct yaml_node *root, struct gabion_error *error);

// The second part of case_check (io/case/rules.c); the document fits the key table.
void case_check_rules(const struct yaml_node *root, struct problems *problems);

#endif
