// Checks a resolved case document: first against the table of keys, then the rules that tie several
// keys together. Reports every problem with its place, not only the first.
#ifndef IO_CASE_CHECK_H
#define IO_CASE_CHECK_H

#include "engine/api/key.h"
#include "io/text/yaml.h"

#define PROBLEMS_SHOWN 10

// The problems found so far. The first PROBLEMS_SHOWN are kept as text, the others are counted.
struct problems {
    int count, shown;
    size_t length;
    char text[sizeof(((struct gabion_error *)0)->text) - 40];
};

__attribute__((format(printf, 3, 4))) void
problems_add(struct problems *problems, struct yaml_position at, const char *format, ...);
bool problems_report(const struct problems *problems,
                     struct gabion_error *error); // returns true if there are none

// Checks a document against a table of keys. `noun` names the file in messages: "the case file".
void keys_check(const struct key_section *section, const char *noun, const struct yaml_node *root,
                struct problems *problems);

// Checks a case document against the keys, then against the rules.
bool case_check(const struct yaml_node *root, struct gabion_error *error);

// Checks the rules (io/case/rules.c). The document must already agree with the table of keys.
void case_check_rules(const struct yaml_node *root, struct problems *problems);

#endif
