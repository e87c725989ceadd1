// Prints the table of keys as a JSON Schema (draft 7), with which editors complete, explain and
// check case files while they are written (`gabion explain --schema`).
//
// What is required is demanded inside the entries of lists and of named mappings only: a file that
// includes others, or is included, need not hold the rest.
#include <math.h>
#include <string.h>

#include "io/case/keys.h"

static void print_text(FILE *stream, const char *text) {
    fputc('"', stream);
    for (; *text; text++)
        fprintf(stream, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', stream);
}

static void print_words(FILE *stream, const char *words) {
    char word[WORD_SIZE];
    fputs("{\"enum\": [", stream);
    for (const char *rest = words, *separator = ""; word_take(&rest, word); separator = ", ")
        fprintf(stream, "%s\"%s\"", separator, word);
    fputs("]}", stream);
}

static void print_number(FILE *stream, const struct key *key, const char *type) {
    const struct key_range *range = key->range;
    fprintf(stream, "{\"type\": \"%s\"", type);
    if (range && isfinite(range->low))
        fprintf(stream, ", \"%s\": %.17g", range->low_open ? "exclusiveMinimum" : "minimum",
                range->low);
    if (range && isfinite(range->high))
        fprintf(stream, ", \"%s\": %.17g", range->high_open ? "exclusiveMaximum" : "maximum",
                range->high);
    fputc('}', stream);
}

static void open_list(FILE *stream, int size) {
    fputs("{\"type\": \"array\", ", stream);
    if (size > 0)
        fprintf(stream, "\"minItems\": %d, \"maxItems\": %d, ", size, size);
    fputs("\"items\": ", stream);
}

static void print_numbers(FILE *stream, const struct key *key, const char *type, int size) {
    open_list(stream, size);
    print_number(stream, key, type);
    fputc('}', stream);
}

static void print_section(FILE *stream, const struct key_section *section, bool whole, int depth);

// A number, and what else may stand in its place.
static void print_scalar(FILE *stream, const struct key *key, const char *type, int depth) {
    fputs("\"anyOf\": [", stream);
    print_number(stream, key, type);
    if (key->size > 0) {
        fputs(", ", stream);
        print_numbers(stream, key, type, key->size);
    }
    if (key->words) {
        fputs(", ", stream);
        print_words(stream, key->words);
    }
    if (key->section) {
        fputs(", ", stream);
        print_section(stream, key->section, true, depth);
    }
    fputc(']', stream);
}

static void print_vector(FILE *stream, const struct key *key, const char *type) {
    fputs("\"anyOf\": [", stream);
    if (key->size == 0) {
        print_number(stream, key, type);
        fputs(", ", stream);
    }
    print_numbers(stream, key, type, key->size);
    fputc(']', stream);
}

static void print_lists(FILE *stream, const struct key *key, int size) {
    fputs("\"type\": \"array\", \"items\": ", stream);
    print_numbers(stream, key, "number", size);
}

// `whole`: what is required must be there, in sections as well.
static void print_type(FILE *stream, const struct key *key, bool whole, int depth) {
    switch (key->type) {
    case KEY_TEXT:
    case KEY_NAME:
    case KEY_MATERIAL:
        fputs("\"type\": [\"string\", \"number\"]", stream); // a name may consist of digits
        break;
    case KEY_NAMES:
        fputs("\"anyOf\": [{\"type\": [\"string\", \"number\"]}, {\"type\": \"array\", "
              "\"minItems\": 1, \"items\": {\"type\": [\"string\", \"number\"]}}]",
              stream);
        break;
    case KEY_PAIR:
        fputs("\"anyOf\": [{\"const\": \"default\"}, {\"type\": \"array\", \"minItems\": 2, "
              "\"maxItems\": 2}]",
              stream);
        break;
    case KEY_FILES:
    case KEY_TEXTS:
        fputs("\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": "
              "\"string\"}}]",
              stream);
        break;
    case KEY_NUMBER:
        print_scalar(stream, key, "number", depth);
        break;
    case KEY_INTEGER:
        print_scalar(stream, key, "integer", depth);
        break;
    case KEY_BOOLEAN:
        fputs("\"type\": \"boolean\"", stream);
        break;
    case KEY_CHOICE:
        fputs("\"anyOf\": [", stream);
        print_words(stream, key->words);
        fputc(']', stream);
        break;
    case KEY_CHOICES:
        fputs("\"type\": \"array\", \"items\": ", stream);
        print_words(stream, key->words);
        break;
    case KEY_VECTOR:
        print_vector(stream, key, "number");
        break;
    case KEY_INTEGERS:
        print_vector(stream, key, "integer");
        break;
    case KEY_POINTS:
        print_lists(stream, key, 2);
        break;
    case KEY_CORNERS:
        print_lists(stream, key, key->size);
        break;
    case KEY_SECTION:
        fputs("\"anyOf\": [", stream);
        print_section(stream, key->section, whole, depth);
        fputc(']', stream);
        break;
    case KEY_ENTRIES:
        fputs("\"type\": \"array\", \"items\": ", stream);
        print_section(stream, key->section, true, depth);
        break;
    case KEY_NAMED:
        fputs("\"type\": \"object\", \"additionalProperties\": ", stream);
        print_section(stream, key->section, true, depth);
        break;
    case KEY_VALUES:
        fputs("\"type\": \"array\"", stream);
        break;
    case KEY_ASSIGNMENTS:
        fputs("\"type\": \"object\"", stream);
        break;
    }
}

// What an editor shows beside the key.
static void print_description(FILE *stream, const struct key *key) {
    char type[256], text[1024];
    snprintf(text, sizeof text, "%s. %s%s%s", key->help, key_describe(key, type, sizeof type),
             key->initial && key->initial[0] ? "; default " : "", key->initial ? key->initial : "");
    fputs("\"description\": ", stream);
    print_text(stream, text);
}

typedef bool key_mark(const struct key *key);
static bool is_required(const struct key *key) { return key->required; }
static bool is_one_of(const struct key *key) { return key->one_of; }
static bool is_either(const struct key *key) { return key->either; }

// Prints the names of the keys with a mark, each between `open` and `close`. Returns how many.
static int print_marked(FILE *stream, const struct key_section *section, key_mark *marked,
                        const char *open, const char *close) {
    int count = 0;
    for (size_t i = 0; i < section->count; i++)
        if (marked(&section->keys[i]))
            fprintf(stream, "%s%s\"%s\"%s", count++ ? ", " : "", open, section->keys[i].name,
                    close);
    return count;
}

static bool has_mark(const struct key_section *section, key_mark *marked) {
    for (size_t i = 0; i < section->count; i++)
        if (marked(&section->keys[i]))
            return true;
    return false;
}

// Demands exactly one of the keys with a mark.
static void print_choice(FILE *stream, const struct key_section *section, key_mark *marked,
                         const char *separator) {
    fprintf(stream, "%s{\"oneOf\": [", separator);
    print_marked(stream, section, marked, "{\"required\": [", "]}");
    fputs("]}", stream);
}

static void print_demands(FILE *stream, const struct key_section *section) {
    bool one_of = has_mark(section, is_one_of), either = has_mark(section, is_either);
    if (has_mark(section, is_required)) {
        fputs(", \"required\": [", stream);
        print_marked(stream, section, is_required, "", "");
        fputc(']', stream);
    }
    if (!one_of && !either)
        return;
    fputs(", \"allOf\": [", stream);
    if (one_of)
        print_choice(stream, section, is_one_of, "");
    if (either)
        print_choice(stream, section, is_either, one_of ? ", " : "");
    fputc(']', stream);
}

// The members of an object without its braces.
static void print_members(FILE *stream, const struct key_section *section, bool whole, int depth) {
    fputs("\"type\": \"object\", \"additionalProperties\": false", stream);
    if (whole)
        print_demands(stream, section);
    fputs(", \"properties\": {", stream);
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        fprintf(stream, "%s\n%*s\"%s\": {", i ? "," : "", 2 * depth, "", key->name);
        print_description(stream, key);
        fputs(", ", stream);
        print_type(stream, key, whole, depth + 1);
        fputc('}', stream);
    }
    fputc('}', stream);
}

static void print_section(FILE *stream, const struct key_section *section, bool whole, int depth) {
    fputc('{', stream);
    print_members(stream, section, whole, depth);
    fputc('}', stream);
}

void keys_schema(const struct key_section *section, const char *noun, FILE *stream) {
    fprintf(stream,
            "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"title\": \"Gabion %s "
            "file\",\n ",
            noun);
    print_members(stream, section, false, 1);
    fputs("}\n", stream);
}
