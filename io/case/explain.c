// Explains the table of keys, for `gabion explain` and the manual.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/case/case.h"
#include "io/case/keys.h"
#include "io/text/number.h"

static void print_presence(FILE *stream, const struct key *key) {
    bool list = key->type == KEY_VECTOR || key->type == KEY_INTEGERS || key->type == KEY_CHOICES;
    if (key->required) {
        fputs("required", stream);
    } else if (key->one_of || key->either) {
        fputs(key->one_of ? "one of these" : "one of this pair", stream);
    } else if (key->initial && key->initial[0]) {
        fputs(list ? "default [" : "default ", stream);
        words_print(stream, key->initial);
        fputs(list ? "]" : "", stream);
    } else {
        fputs("optional", stream);
    }
}

#define PATH_SIZE 128

// The larger sections of a listing so far. Sizes and regions belong to many keys and are listed
// with the first of them.
#define SHOWN_MAX   64
#define SHOWN_LEAST 5 // keys

struct shown {
    const struct key_section *section[SHOWN_MAX];
    char path[SHOWN_MAX][PATH_SIZE];
    size_t count;
};

// Returns the key that a section was listed with; NULL: it has not been, and is from now on.
static const char *shown_with(struct shown *shown, const struct key_section *section,
                              const char *path) {
    for (size_t k = 0; k < shown->count; k++)
        if (shown->section[k] == section)
            return shown->path[k];
    if (section->count >= SHOWN_LEAST && shown->count < SHOWN_MAX) {
        shown->section[shown->count] = section;
        snprintf(shown->path[shown->count++], PATH_SIZE, "%s", path);
    }
    return NULL;
}

static void explain(FILE *stream, const struct key *key, const char *path, int depth,
                    struct shown *shown) {
    char type[256], inside[PATH_SIZE];
    fprintf(stream, "%*s%s: %s; ", 2 * depth, "", depth ? key->name : path,
            key_describe(key, type, sizeof type));
    print_presence(stream, key);
    fprintf(stream, "\n%*s%s\n", 2 * depth + 4, "", key->help);
    const char *before = key->section ? shown_with(shown, key->section, path) : NULL;
    if (before)
        fprintf(stream, "%*sits keys are those of %s\n", 2 * depth + 4, "", before);
    for (size_t i = 0; key->section && !before && i < key->section->count; i++) {
        snprintf(inside, sizeof inside, "%s.%s", path, key->section->keys[i].name);
        explain(stream, &key->section->keys[i], inside, depth + 1, shown);
    }
}

// Prints the full paths of all keys called `name`.
static void print_places(FILE *stream, const struct key_section *section, const char *prefix,
                         const char *name) {
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        char path[128];
        snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] ? "." : "", key->name);
        if (strcmp(key->name, name) == 0)
            fprintf(stream, "%s%s", ftell(stream) > 0 ? ", " : "", path);
        if (key->section)
            print_places(stream, key->section, path, name);
    }
}

static void report_renamed(const struct key *key, const char *part, struct gabion_error *error) {
    error_set(error, GABION_ERROR_INPUT, "%s: %s is now %s", key->name, part,
              key_find_former(key->section, part)->name);
}

static void report_unknown(const struct key_section *section, const char *noun,
                           const struct key *key, const char *part, struct gabion_error *error) {
    char *places = NULL, hint[128];
    size_t length = 0;
    FILE *stream = open_memstream(&places, &length);
    print_places(stream, section, "", part);
    fclose(stream);
    struct suggestion suggestion = suggestion_start(part);
    for (size_t i = 0; key->section && i < key->section->count; i++)
        suggestion_consider(&suggestion, key->section->keys[i].name);
    error_set(error, GABION_ERROR_INPUT, "no key \"%s\" in %s%s%s%s%s", part,
              key->name[0] ? key->name : "a ", key->name[0] ? "" : noun,
              key->name[0] ? "" : " file", length > 0 ? "; there is " : "",
              length > 0 ? places : suggestion_print(&suggestion, hint, sizeof hint));
    free(places);
}

// Follows "laws[2].friction" or "laws.friction". Returns NULL and reports the first unknown part.
static const struct key *find_path(const struct key *whole, const char *noun, const char *path,
                                   struct gabion_error *error) {
    const struct key *key = whole;
    char part[64];
    for (const char *rest = path; *rest;) {
        size_t length = strcspn(rest, ".");
        snprintf(part, sizeof part, "%.*s", (int)strcspn(rest, ".["), rest);
        const struct key *next = key->section ? key_find(key->section, part) : NULL;
        if (!next) {
            if (key->section && key_find_former(key->section, part))
                report_renamed(key, part, error);
            else
                report_unknown(whole->section, noun, key, part, error);
            return NULL;
        }
        key = next;
        rest += length + (rest[length] == '.');
    }
    return key;
}

bool keys_explain(const struct key_section *section, const char *noun, const char *path, char *text,
                  size_t size, struct gabion_error *error) {
    const struct key whole = {"", KEY_SECTION, .section = section}; // where every path starts
    const struct key *key = find_path(&whole, noun, path, error);
    if (!key)
        return false;
    char *words = NULL;
    size_t length = 0;
    struct shown shown = {.count = 0};
    FILE *stream = open_memstream(&words, &length);
    if (key == &whole)
        for (size_t i = 0; i < section->count; i++)
            explain(stream, &section->keys[i], section->keys[i].name, 0, &shown);
    else
        explain(stream, key, path, 0, &shown);
    fclose(stream);
    bool fits = length < size;
    if (fits)
        memcpy(text, words, length + 1);
    free(words);
    return fits || error_set(error, GABION_ERROR_RUN,
                             "the explanation does not fit: it has %zu bytes", length + 1);
}

static void markdown_row(FILE *stream, const struct key *key, const char *path,
                         const char *before) {
    char type[256];
    fprintf(stream, "| `%s` | %s | ", path, key_describe(key, type, sizeof type));
    print_presence(stream, key);
    fprintf(stream, " | %s", key->help);
    if (before)
        fprintf(stream, "; its keys are those of `%s`", before);
    fputs(" |\n", stream);
}

static void markdown_rows(FILE *stream, const struct key_section *section, const char *prefix,
                          struct shown *shown) {
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s%s", prefix, key->name);
        const char *before = key->section ? shown_with(shown, key->section, path) : NULL;
        markdown_row(stream, key, path, before);
        if (key->section && !before) {
            strncat(path, ".", sizeof path - strlen(path) - 1);
            markdown_rows(stream, key->section, path, shown);
        }
    }
}

static void markdown_head(FILE *stream, const char *title) {
    fprintf(stream, "\n### %s\n\n| key | value | given | meaning |\n|---|---|---|---|\n", title);
}

void keys_markdown(const struct key_section *section, FILE *stream) {
    markdown_head(stream, "The file");
    for (size_t i = 0; i < section->count; i++)
        markdown_row(stream, &section->keys[i], section->keys[i].name, NULL);
    for (size_t i = 0; i < section->count; i++)
        if (section->keys[i].section) {
            struct shown shown = {.count = 0};
            markdown_head(stream, section->keys[i].name);
            markdown_rows(stream, section->keys[i].section, "", &shown);
        }
}

static void print_paths(FILE *stream, const struct key_section *section, const char *prefix,
                        const char *entry) {
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        char path[128];
        snprintf(path, sizeof path, "%s%s", prefix, key->name);
        fprintf(stream, "%s\n", path);
        if (!key->section || (key->type == KEY_NAMED && entry[0] != '\0'))
            continue;
        strncat(path, key->type == KEY_ENTRIES ? entry : "", sizeof path - strlen(path) - 1);
        strncat(path, ".", sizeof path - strlen(path) - 1);
        print_paths(stream, key->section, path, entry);
    }
}

void case_keys_paths(FILE *stream, const char *entry) {
    print_paths(stream, &case_keys, "", entry);
}
