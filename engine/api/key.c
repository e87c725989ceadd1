#include "engine/api/key.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/gabion.h"

#define DEGREES_PER_HALF_TURN 180

const struct key_range key_positive = {0, INFINITY, .low_open = true};
const struct key_range key_not_negative = {.low = 0, .high = INFINITY};
const struct key_range key_counting = {.low = 1, .high = INT_MAX};
const struct key_range key_whole = {.low = 0, .high = INT_MAX};
const struct key_range key_exact = {.low = 0, .high = 9007199254740992.0};
const struct key_range key_share = {.low = 0, .high = 1};
const struct key_range key_share_above = {0, 1, .low_open = true};

// ---- words ----

bool word_take(const char **list, char word[WORD_SIZE]) {
    size_t length = strcspn(*list, " ,");
    if (length == 0)
        return false;
    snprintf(word, WORD_SIZE, "%.*s", (int)length, *list);
    *list += length;
    *list += strspn(*list, " ,");
    return true;
}

int word_index(const char *list, const char *text) {
    char word[WORD_SIZE];
    for (int index = 0; word_take(&list, word); index++)
        if (strcmp(word, text) == 0)
            return index;
    return -1;
}

void words_print(FILE *stream, const char *words) {
    char word[WORD_SIZE];
    for (const char *rest = words, *separator = ""; word_take(&rest, word); separator = ", ")
        fprintf(stream, "%s%s", separator, word);
}

double key_word_value(const char *word) {
    return strcmp(word, "auto") == 0 ? GABION_AUTOMATIC : strcmp(word, "off") == 0 ? 0 : INFINITY;
}

// ---- finding ----

static const struct key *find_name(const struct key_section *section, const char *name,
                                   size_t length) {
    for (size_t i = 0; i < section->count; i++)
        if (strncmp(section->keys[i].name, name, length) == 0 &&
            section->keys[i].name[length] == '\0')
            return &section->keys[i];
    return NULL;
}

const struct key *key_find(const struct key_section *section, const char *name) {
    return find_name(section, name, strlen(name));
}

const struct key *key_find_former(const struct key_section *section, const char *name) {
    for (size_t i = 0; i < section->count; i++)
        if (section->keys[i].formerly && strcmp(section->keys[i].formerly, name) == 0)
            return &section->keys[i];
    return NULL;
}

const struct key *key_find_path(const struct key_section *section, const char *path) {
    size_t length = strcspn(path, ".");
    const struct key *key = find_name(section, path, length);
    if (path[length] == '\0' || !key)
        return key;
    return key->section ? key_find_path(key->section, path + length + 1) : NULL;
}

// ---- members ----

int key_components(const struct key *key) { return key->size > 0 ? key->size : 1; }

bool key_in_range(const struct key *key, double value) {
    const struct key_range *range = key->range;
    bool whole = key->type == KEY_INTEGER || key->type == KEY_INTEGERS;
    if (!isfinite(value) || (whole && value != floor(value)))
        return false;
    return !range || ((range->low_open ? value > range->low : value >= range->low) &&
                      (range->high_open ? value < range->high : value <= range->high));
}

// The members of a row have one type: double, int, or the bool or enum of a choice or boolean.
static void store_component(enum key_type type, void *member, size_t width, double value) {
    int whole = (int)value;
    bool flag = value != 0;
    if (type == KEY_NUMBER || type == KEY_VECTOR)
        memcpy(member, &value, sizeof value);
    else if (width == sizeof flag)
        memcpy(member, &flag, sizeof flag);
    else
        memcpy(member, &whole, sizeof whole);
}

static double load_component(enum key_type type, const void *member, size_t width) {
    double value;
    int whole;
    bool flag;
    if (type == KEY_NUMBER || type == KEY_VECTOR)
        return *(double *)memcpy(&value, member, sizeof value);
    if (width == sizeof flag)
        return *(bool *)memcpy(&flag, member, sizeof flag);
    return *(int *)memcpy(&whole, member, sizeof whole);
}

void key_store(const struct key *key, void *object, const double *values) {
    size_t components = (size_t)key_components(key), width = key->width / components;
    for (size_t i = 0; i < components; i++)
        store_component(key->type, (char *)object + key->offset + i * width, width,
                        key->in_radians ? values[i] * M_PI / DEGREES_PER_HALF_TURN : values[i]);
}

void key_load(const struct key *key, const void *object, double *values) {
    size_t components = (size_t)key_components(key), width = key->width / components;
    for (size_t i = 0; i < components; i++) {
        values[i] =
            load_component(key->type, (const char *)object + key->offset + i * width, width);
        if (key->in_radians)
            values[i] *= DEGREES_PER_HALF_TURN / M_PI;
    }
}

static void store_default(const struct key *key, void *object) {
    if (key->type == KEY_CHOICE)
        key_store(key, object, &(double){word_index(key->words, key->initial)});
    else if (key->words && word_index(key->words, key->initial) >= 0)
        key_store(key, object, &(double){key_word_value(key->initial)});
    else
        key_store(key, object, key->initial_value);
}

void key_store_defaults(const struct key_section *section, void *object) {
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        if (key->section)
            key_store_defaults(key->section, object);
        else if (key->width && key->initial)
            store_default(key, object);
    }
}

// ---- in words ----

static void print_range(FILE *stream, const struct key_range *range) {
    if (!range)
        return;
    if (isinf(range->high))
        fprintf(stream, " %s %g", range->low_open ? ">" : ">=", range->low);
    else if (range->high > 1e6) // a limit of the machine, not of the physics
        fprintf(stream, " >= %g", range->low);
    else
        fprintf(stream, " in %c%g, %g%c", range->low_open ? '(' : '[', range->low, range->high,
                range->high_open ? ')' : ']');
}

static void print_number(FILE *stream, const struct key *key, const char *noun) {
    fprintf(stream, "%s", noun);
    print_range(stream, key->range);
    if (key->unit)
        fprintf(stream, " (%s)", key->unit);
}

static void print_list(FILE *stream, const struct key *key, const char *noun) {
    if (key->size)
        fprintf(stream, "a list of %d ", key->size);
    else
        fputs("one or a list of ", stream);
    print_number(stream, key, noun);
}

// The words that may stand in place of a number.
static void print_alternatives(FILE *stream, const struct key *key) {
    if (!key->words)
        return;
    fputs(", or ", stream);
    words_print(stream, key->words);
}

static void print_type(FILE *stream, const struct key *key) {
    switch (key->type) {
    case KEY_TEXT:
        fputs("a text", stream);
        break;
    case KEY_NAME:
        fputs("a name", stream);
        break;
    case KEY_MATERIAL:
        fputs("the name of a material", stream);
        break;
    case KEY_PAIR:
        fputs("[material, material] or default", stream);
        break;
    case KEY_NAMES:
        fputs("a name or a list of them", stream);
        break;
    case KEY_FILES:
        fputs("a file name or a list of them", stream);
        break;
    case KEY_NUMBER:
        print_number(stream, key, "a number");
        if (key->size)
            fprintf(stream, ", or %d of them", key->size);
        if (key->section)
            fputs(", or a mapping", stream);
        print_alternatives(stream, key);
        break;
    case KEY_INTEGER:
        print_number(stream, key, "a whole number");
        print_alternatives(stream, key);
        break;
    case KEY_BOOLEAN:
        fputs("true or false", stream);
        break;
    case KEY_CHOICE:
        fputs("one of ", stream);
        words_print(stream, key->words);
        break;
    case KEY_CHOICES:
        fputs("a list among ", stream);
        words_print(stream, key->words);
        break;
    case KEY_VECTOR:
        print_list(stream, key, "numbers");
        break;
    case KEY_INTEGERS:
        print_list(stream, key, "whole numbers");
        break;
    case KEY_POINTS:
        fputs("a list of [time, value], time increasing", stream);
        break;
    case KEY_CORNERS:
        fprintf(stream, "a list of lists of %d ", key->size);
        print_number(stream, key, "numbers");
        break;
    case KEY_SECTION:
        fputs("a mapping", stream);
        break;
    case KEY_ENTRIES:
        fputs("a list of mappings", stream);
        break;
    case KEY_NAMED:
        fputs("a mapping from names to mappings", stream);
        break;
    case KEY_TEXTS:
        fputs("a text or a list of texts", stream);
        break;
    case KEY_VALUES:
        fputs("a list of values", stream);
        break;
    case KEY_ASSIGNMENTS:
        fputs("a mapping from keys to values", stream);
        break;
    }
}

const char *key_describe(const struct key *key, char *text, size_t size) {
    FILE *stream = fmemopen(text, size, "w");
    text[0] = '\0';
    if (stream) {
        print_type(stream, key);
        fclose(stream);
    }
    text[size - 1] = '\0';
    return text;
}

// The word that stands for `value`; NULL: none, it is a number.
static const char *find_word(const struct key *key, double value, char word[WORD_SIZE]) {
    const char *rest = key->words ? key->words : "";
    for (int index = 0; word_take(&rest, word); index++)
        if (value == (key->type == KEY_CHOICE ? index : key_word_value(word)))
            return word;
    return NULL;
}

static int print_value(const struct key *key, double value, char *text, size_t size) {
    char word[WORD_SIZE];
    if (key->type == KEY_BOOLEAN)
        return snprintf(text, size, "%s", value != 0 ? "true" : "false");
    if (find_word(key, value, word))
        return snprintf(text, size, "%s", word);
    return snprintf(text, size, "%g", value);
}

const char *key_print(const struct key *key, const void *object, char text[KEY_TEXT_SIZE]) {
    double value[KEY_SIZE_MAX];
    int components = key_components(key), length = 0;
    key_load(key, object, value);
    for (int i = 0; i < components; i++) {
        if (key->size > 0)
            length += snprintf(text + length, KEY_TEXT_SIZE - (size_t)length, i ? ", " : "[");
        length += print_value(key, value[i], text + length, KEY_TEXT_SIZE - (size_t)length);
    }
    if (key->size > 0)
        snprintf(text + length, KEY_TEXT_SIZE - (size_t)length, "]");
    return text;
}

bool key_check(const struct key *key, const void *object) {
    double value[KEY_SIZE_MAX];
    char word[WORD_SIZE];
    key_load(key, object, value);
    if (key->type == KEY_BOOLEAN || (!key->initial && value[0] == 0))
        return true;
    for (int i = 0; i < key_components(key); i++)
        if (!find_word(key, value[i], word) &&
            (key->type == KEY_CHOICE || !key_in_range(key, value[i])))
            return false;
    return true;
}
