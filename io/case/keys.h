// The one table of case-file keys: the reader, the checks, `gabion explain` and the manual all read
// it, so that they cannot disagree.
#ifndef IO_CASE_KEYS_H
#define IO_CASE_KEYS_H

#include <stdio.h>

#include "parallel/error.h"

enum key_type {
    KEY_TEXT,
    KEY_NAME,     // no blanks, commas or quotes: it becomes a group, a column, part of a path
    KEY_MATERIAL, // a name under `materials`
    KEY_PAIR,     // two of those, or the word `default`
    KEY_FILES,    // a text or a list of texts
    KEY_NUMBER,   // or one of `words`; with `size`, a list of numbers; with `section`, a mapping
    KEY_INTEGER,
    KEY_BOOLEAN,
    KEY_CHOICE,   // one of `words`
    KEY_CHOICES,  // a list of them
    KEY_VECTOR,   // `size` numbers; size 0: a number, or any number of them
    KEY_INTEGERS, // the same in whole numbers
    KEY_POINTS,   // [[time, value], ...]
    KEY_CORNERS,  // a list of vectors of `size`
    KEY_SECTION,  // one mapping
    KEY_ENTRIES,  // a list of mappings
    KEY_NAMED,    // a mapping from names to mappings
};

struct key_range {
    double low, high;
    bool low_open, high_open;
};

struct key_section;

struct key {
    const char *name;
    enum key_type type;
    bool required;
    bool one_of; // exactly one of the keys so marked must be given in a section
    bool either; // and exactly one of this pair
    int size;
    const char *unit;              // NULL: a pure number
    const char *initial;           // what holds when the key is absent; NULL: nothing
    const struct key_range *range; // of a number or of every component; NULL: any finite number
    const char *words;             // separated by blanks
    const struct key_section *section;
    const char *help;
};

struct key_section {
    const struct key *keys;
    size_t count;
};

extern const struct key_section case_keys; // the whole file

const struct key *key_find(const struct key_section *section, const char *name); // NULL: none

// "number > 0 (m), or auto": what a key wants, for error messages and the manual.
const char *key_describe(const struct key *key, char *text, size_t size);

// The key reference of docs/case-files.md (`gabion explain --markdown`).
void case_keys_markdown(FILE *stream);

#endif
