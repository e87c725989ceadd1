// The rows of the tables of verbs and options, for what is printed from them: help, manual pages
// and the completion of the command line.
#ifndef IO_COMMAND_OPTIONS_TABLE_H
#define IO_COMMAND_OPTIONS_TABLE_H

#include "io/command/options.h"

struct verb_row {
    const char *name, *target;
    int target_least, target_most;
    const char *summary;
    const char *text;
};

struct option_row {
    const char *name;
    char letter;          // 0: none
    const char *argument; // NULL: a flag
    unsigned verbs;       // bits of enum verb
    const char *help;
    bool (*set)(struct options *options, const char *value, struct gabion_error *error);
};

const struct verb_row *options_verb(enum verb verb);

// Returns option number *next or the first one after it that the verb has, and moves *next past it;
// NULL at the end. For VERB_NONE: the options of the program without a verb.
const struct option_row *options_next(enum verb verb, size_t *next);

// What every help says about the exit status.
extern const char options_exit_status[];

#endif
