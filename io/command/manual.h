// Manual pages and the completion of the command line, printed from the tables of verbs, options,
// kinds and keys.
#ifndef IO_COMMAND_MANUAL_H
#define IO_COMMAND_MANUAL_H

#include "io/command/options.h"

// Prints the manual page of a verb, or of the program (VERB_NONE), for man(1).
void manual_print(enum verb verb, FILE *stream);

// Prints a script that bash reads: it completes verbs, options and their values.
void completion_print(FILE *stream);

#endif
