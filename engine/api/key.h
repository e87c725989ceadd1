// A key describes one value that users may give by name: its type, range, unit, default and
// explanation. Tables of keys are read by the checks of the C interface, by the case reader, by
// `gabion explain` and by the manual, so that these cannot disagree.
#ifndef ENGINE_API_KEY_H
#define ENGINE_API_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum key_type {
    KEY_NUMBER,  // or one of `words`; with `size`, a list of numbers; with `section`, a mapping
    KEY_INTEGER, // or one of `words`
    KEY_BOOLEAN,
    KEY_CHOICE,   // one of `words`
    KEY_VECTOR,   // `size` numbers; size 0: a number, or any number of them
    KEY_INTEGERS, // `size` whole numbers; size 0: one, or any number of them
    KEY_SECTION,  // one mapping
    // Only in case files:
    KEY_TEXT,
    KEY_NAME,     // without blanks, commas or quotes: it becomes a group, a column, part of a path
    KEY_NAMES,    // one of those, or a list of them
    KEY_MATERIAL, // a name under `materials`
    KEY_PAIR,     // two of those, or the word `default`
    KEY_FILES,    // a text or a list of texts
    KEY_CHOICES,  // a list of `words`
    KEY_POINTS,   // [[time, value], ...]
    KEY_CORNERS,  // a list of vectors of `size`
    KEY_ENTRIES,  // a list of mappings
    KEY_NAMED,    // a mapping from names to mappings
    // Only in study files:
    KEY_TEXTS,       // a text or a list of texts
    KEY_VALUES,      // a list of values of any kind
    KEY_ASSIGNMENTS, // a mapping from keys of case files to values of any kind
};

struct key_range {
    double low, high;
    bool low_open, high_open;
};

#define KEY_SIZE_MAX 3 // components of a value that a struct holds

struct key {
    const char *name;
    enum key_type type;
    bool required;
    bool one_of;          // exactly one of the keys so marked must be given in a section
    bool either;          // exactly one of the pair so marked must be given in a section
    const char *formerly; // the name before it was renamed; NULL: none
    int size;
    const char *unit;    // NULL: a pure number
    const char *initial; // the value when the key is absent, as users write it; NULL: none
    double initial_value[KEY_SIZE_MAX]; // the same in numbers, for values that a struct holds
    const struct key_range *range; // of the number or of each component; NULL: any finite number
    const char *words; // separated by blanks; a choice has them in the order of its enum
    const struct key_section *section;
    const char *help;
    const char *state;    // why a run that goes on cannot change it; NULL: it can
    size_t offset, width; // the struct member that holds the value (KEY_MEMBER); width 0: none
    bool in_radians;      // users give degrees, the member holds radians
};

struct key_section {
    const struct key *keys;
    size_t count;
};

#define KEY_MEMBER(type_, member_)                                                                 \
    .offset = offsetof(type_, member_), .width = sizeof(((type_ *)0)->member_)
// Writes the default of a number, integer, boolean or vector once, as text and as value.
#define KEY_DEFAULT(...) .initial = #__VA_ARGS__, .initial_value = {__VA_ARGS__}
#define KEY_COUNT(keys_) (sizeof(keys_) / sizeof(keys_)[0])
#define KEY_SECTION_OF(keys_)                                                                      \
    { (keys_), KEY_COUNT(keys_) }

extern const struct key_range key_positive, key_not_negative;
extern const struct key_range key_counting;    // from 1, as far as an int goes
extern const struct key_range key_whole;       // from 0, as far as an int goes
extern const struct key_range key_exact;       // from 0, as far as a double counts exactly
extern const struct key_range key_share;       // [0, 1]
extern const struct key_range key_share_above; // (0, 1]

const struct key *key_find(const struct key_section *section, const char *name); // NULL: none
// Returns the key that was called `name` before it was renamed; NULL: none.
const struct key *key_find_former(const struct key_section *section, const char *name);
// Returns the key at a path such as "solver.tolerance"; NULL: there is no such key.
const struct key *key_find_path(const struct key_section *section, const char *path);

// Describes what a key expects, for error messages and the manual: "a number > 0 (m), or auto".
const char *key_describe(const struct key *key, char *text, size_t size);

// Returns whether a number lies in the key's range, is finite, and is whole where the type says so.
// The words of a key are not numbers.
bool key_in_range(const struct key *key, double value);

// Returns how many numbers the member of the key holds.
int key_components(const struct key *key);

// Returns the number that a word of a KEY_NUMBER or KEY_INTEGER stands for: GABION_AUTOMATIC, 0 or
// INFINITY.
double key_word_value(const char *word);

// Copy the value of a key from numbers to its member of `object`, and back. A choice is an index, a
// boolean 0 or 1; angles that users give in degrees are in degrees.
void key_store(const struct key *key, void *object, const double *values);
void key_load(const struct key *key, const void *object, double *values);

// Sets every member that the section and the sections inside describe to its default. Members
// without one keep what they have.
void key_store_defaults(const struct key_section *section, void *object);

// Returns whether the member holds a value that the key allows. Where there is no default, 0 is
// allowed and means that the value was not given.
bool key_check(const struct key *key, const void *object);

// Writes the value of a member as users write it.
#define KEY_TEXT_SIZE 96
const char *key_print(const struct key *key, const void *object, char text[KEY_TEXT_SIZE]);

// Lists of words, separated by blanks or commas.
#define WORD_SIZE 32
bool word_take(const char **list, char word[WORD_SIZE]); // the next one; false at the end
int word_index(const char *list, const char *text);      // -1: not in the list
void words_print(FILE *stream, const char *list);        // with commas between them

#endif
