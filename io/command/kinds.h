// The kinds of starting cases that `gabion new` writes. Their texts are the files of cases/new,
// which are part of the program.
#ifndef IO_COMMAND_KINDS_H
#define IO_COMMAND_KINDS_H

struct kind {
    const char *name, *summary;
    const char *text;  // the case; @NAME@ stands for its name
    const char *table; // NAME.csv beside it; NULL: none
};

// The last row has the name NULL, the first one is the default.
extern const struct kind kinds[];

const struct kind *kind_find(const char *name); // NULL: none

#endif
