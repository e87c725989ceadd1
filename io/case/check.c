#include "io/case/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/case/keys.h"
#include "io/text/number.h"

#define PATH_SIZE       128
#define NAME_MAX_LENGTH 100

void problems_add(struct problems *problems, struct yaml_position at, const char *format, ...) {
    problems->count++;
    char line[1024];
    int length = yaml_print_position(line, 400, at);
    length = length < 400 ? length : 399;
    length += snprintf(line + length, sizeof line - (size_t)length, ": ");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + length, sizeof line - (size_t)length, format, arguments);
    va_end(arguments);
    size_t needed = strlen(line) + 1;
    // Once a problem did not fit, later ones are only counted, so that the text stays in order.
    if (problems->shown < problems->count - 1 || problems->shown == PROBLEMS_SHOWN ||
        problems->length + needed >= sizeof problems->text)
        return;
    problems->length += (size_t)snprintf(problems->text + problems->length,
                                         sizeof problems->text - problems->length, "%s%s",
                                         problems->shown ? "\n" : "", line);
    problems->shown++;
}

bool problems_report(const struct problems *problems, struct gabion_error *error) {
    if (problems->count == 0)
        return true;
    if (problems->count == problems->shown)
        return error_set(error, GABION_ERROR_INPUT, "%s", problems->text);
    return error_set(error, GABION_ERROR_INPUT, "%s\nand %d more", problems->text,
                     problems->count - problems->shown);
}

struct checker {
    const struct yaml_node *root;
    const char *noun; // of the file
    struct problems *problems;
};

static void check_section(struct checker *c, const struct key_section *section,
                          const struct yaml_node *node, const char *path);

// ---- messages ----

// A number is printed as the C interface prints it, without quotes.
static const char *describe_found(const struct yaml_node *node, char *text, size_t size) {
    double number;
    if (node->kind == YAML_LIST)
        snprintf(text, size, "a list of %zu", node->count);
    else if (node->kind == YAML_MAPPING)
        snprintf(text, size, "a mapping");
    else if (node->text[0] == '\0')
        snprintf(text, size, "nothing");
    else if (number_parse(node->text, &number))
        snprintf(text, size, "%.60s", node->text);
    else
        snprintf(text, size, "\"%.60s\"%s", node->text, strlen(node->text) > 60 ? "..." : "");
    return text;
}

static void wrong_value(struct checker *c, const struct key *key, const struct yaml_node *node,
                        const char *path) {
    char expected[256], found[96], hint[128] = "", word[WORD_SIZE];
    if (key->words && node->kind == YAML_SCALAR) {
        struct suggestion suggestion = suggestion_start(node->text);
        for (const char *rest = key->words; word_take(&rest, word);)
            suggestion_consider(&suggestion, word);
        suggestion_print(&suggestion, hint, sizeof hint);
    }
    problems_add(c->problems, node->at, "%s: expected %s, found %s%s", path,
                 key_describe(key, expected, sizeof expected),
                 describe_found(node, found, sizeof found), hint);
}

// Reports a key by its old name, if it has been renamed.
static bool renamed_key(struct checker *c, const struct key_section *section,
                        const struct yaml_node *node, const char *path) {
    const struct key *key = key_find_former(section, node->key);
    if (key)
        problems_add(c->problems, node->key_at, "%s: %s is now %s; rename this key",
                     path[0] ? path : c->noun, node->key, key->name);
    return key != NULL;
}

static void unknown_key(struct checker *c, const struct key_section *section,
                        const struct yaml_node *node, const char *path) {
    if (renamed_key(c, section, node, path))
        return;
    struct suggestion suggestion = suggestion_start(node->key);
    char expected[400] = "", hint[128];
    size_t length = 0;
    for (size_t i = 0; i < section->count; i++) {
        suggestion_consider(&suggestion, section->keys[i].name);
        int written = snprintf(expected + length, sizeof expected - length, "%s%s", i ? ", " : "",
                               section->keys[i].name);
        if (length + (size_t)written < sizeof expected)
            length += (size_t)written;
    }
    problems_add(c->problems, node->key_at, "unknown key \"%.60s\" in %s; expected one of %s%s",
                 node->key, path[0] ? path : c->noun, expected,
                 suggestion_print(&suggestion, hint, sizeof hint));
}

// Appends a key to a path. Long paths are cut: they appear in messages only.
static void path_join(char out[PATH_SIZE], const char *path, const char *key) {
    if (snprintf(out, PATH_SIZE, "%s%s%s", path, path[0] ? "." : "", key) >= PATH_SIZE)
        memcpy(out + PATH_SIZE - 4, "...", 4);
}

static void path_index(char out[PATH_SIZE], const char *path, size_t index) {
    if (snprintf(out, PATH_SIZE, "%s[%zu]", path, index) >= PATH_SIZE)
        memcpy(out + PATH_SIZE - 4, "...", 4);
}

// ---- values ----

static bool good_number(const struct key *key, const struct yaml_node *node) {
    double value;
    return node->kind == YAML_SCALAR && number_parse(node->text, &value) &&
           key_in_range(key, value);
}

static bool good_vector(const struct key *key, const struct yaml_node *node) {
    if (key->size == 0 && node->kind == YAML_SCALAR)
        return good_number(key, node);
    if (node->kind != YAML_LIST || node->count == 0 ||
        (key->size && node->count != (size_t)key->size))
        return false;
    for (size_t i = 0; i < node->count; i++)
        if (!good_number(key, node->item[i]))
            return false;
    return true;
}

static bool good_corners(const struct key *key, const struct yaml_node *node) {
    if (node->kind != YAML_LIST || node->count == 0)
        return false;
    for (size_t i = 0; i < node->count; i++)
        if (!good_vector(key, node->item[i]))
            return false;
    return true;
}

static bool good_word(const struct key *key, const struct yaml_node *node) {
    return node->kind == YAML_SCALAR && key->words && word_index(key->words, node->text) >= 0;
}

static bool good_words(const struct key *key, const struct yaml_node *node) {
    if (node->kind != YAML_LIST)
        return false;
    for (size_t i = 0; i < node->count; i++)
        if (!good_word(key, node->item[i]))
            return false;
    return true;
}

static bool good_texts(const struct yaml_node *node) {
    bool good = node->kind == YAML_SCALAR || (node->kind == YAML_LIST && node->count > 0);
    for (size_t i = 0; good && i < node->count; i++)
        good = node->item[i]->kind == YAML_SCALAR;
    return good;
}

static bool good_name(const char *name) {
    return name[0] && strlen(name) <= NAME_MAX_LENGTH && !strpbrk(name, " \t\r\n,;\"'=[]{}");
}

static bool good_point(const struct yaml_node *point, double *time) {
    double value;
    return point->kind == YAML_LIST && point->count == 2 && point->item[0]->kind == YAML_SCALAR &&
           point->item[1]->kind == YAML_SCALAR && number_parse(point->item[0]->text, time) &&
           number_parse(point->item[1]->text, &value);
}

// Reports the first point that is wrong, where it stands: in the case or in a row of its table.
static bool check_points(struct checker *c, const struct yaml_node *node, const char *path) {
    double before[2] = {-INFINITY, -INFINITY}; // times of the last two points
    if (node->kind != YAML_LIST || node->count == 0)
        return false;
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *point = node->item[i];
        double time;
        const char *defect = NULL;
        if (!good_point(point, &time))
            defect = "expected [time, value], two numbers";
        else if (time < before[1])
            defect = "its time is before that of the point before it; times must increase";
        else if (time == before[0])
            defect = "a third point of the same time; two of them make a jump";
        if (defect) {
            problems_add(c->problems, point->at, "%s: point %zu: %s", path, i + 1, defect);
            return true;
        }
        before[0] = before[1];
        before[1] = time;
    }
    if (node->count == 2 && before[0] == before[1])
        problems_add(c->problems, node->item[1]->at,
                     "%s: both points have the same time; time must increase", path);
    return true;
}

static void check_material(struct checker *c, const struct yaml_node *node, const char *path) {
    const struct yaml_node *materials = yaml_find(c->root, "materials");
    if (yaml_find(materials, node->text))
        return;
    char hint[160];
    struct suggestion suggestion = suggestion_start(node->text);
    for (size_t i = 0; materials && materials->kind == YAML_MAPPING && i < materials->count; i++)
        suggestion_consider(&suggestion, materials->item[i]->key);
    problems_add(c->problems, node->at, "%s: no material \"%.60s\" under materials%s", path,
                 node->text, suggestion_print(&suggestion, hint, sizeof hint));
}

static void check_pair(struct checker *c, const struct key *key, const struct yaml_node *node,
                       const char *path) {
    if (node->kind == YAML_SCALAR && strcmp(node->text, "default") == 0)
        return;
    if (node->kind != YAML_LIST || node->count != 2 || node->item[0]->kind != YAML_SCALAR ||
        node->item[1]->kind != YAML_SCALAR) {
        wrong_value(c, key, node, path);
        return;
    }
    check_material(c, node->item[0], path);
    check_material(c, node->item[1], path);
}

static bool good_names(const struct yaml_node *node) {
    if (node->kind == YAML_SCALAR)
        return good_name(node->text);
    bool good = node->kind == YAML_LIST && node->count > 0;
    for (size_t i = 0; good && i < node->count; i++)
        good = node->item[i]->kind == YAML_SCALAR && good_name(node->item[i]->text);
    return good;
}

static void check_entries(struct checker *c, const struct key *key, const struct yaml_node *node,
                          const char *path) {
    char entry[PATH_SIZE];
    for (size_t i = 0; i < node->count; i++) {
        path_index(entry, path, i);
        check_section(c, key->section, node->item[i], entry);
    }
}

static void check_named(struct checker *c, const struct key *key, const struct yaml_node *node,
                        const char *path) {
    char entry[PATH_SIZE];
    for (size_t i = 0; i < node->count; i++) {
        path_join(entry, path, node->item[i]->key);
        if (!good_name(node->item[i]->key))
            problems_add(c->problems, node->item[i]->key_at,
                         "%s: a name has 1 to %d characters, no blanks, commas or quotes", entry,
                         NAME_MAX_LENGTH);
        check_section(c, key->section, node->item[i], entry);
    }
}

// Returns whether the value agrees with the key's type and range. Problems inside sections, and
// names of unknown materials, are reported here and count as good.
static bool good_value(struct checker *c, const struct key *key, const struct yaml_node *node,
                       const char *path) {
    switch (key->type) {
    case KEY_TEXT:
        return node->kind == YAML_SCALAR;
    case KEY_NAME:
        return node->kind == YAML_SCALAR && good_name(node->text);
    case KEY_NAMES:
        return good_names(node);
    case KEY_MATERIAL:
        if (node->kind != YAML_SCALAR)
            return false;
        check_material(c, node, path);
        return true;
    case KEY_PAIR:
        check_pair(c, key, node, path);
        return true;
    case KEY_FILES: // resolved before the check
        return false;
    case KEY_NUMBER:
        if (key->section && node->kind == YAML_MAPPING) {
            check_section(c, key->section, node, path);
            return true;
        }
        return good_number(key, node) || good_word(key, node) ||
               (key->size && good_vector(key, node));
    case KEY_INTEGER:
        return good_number(key, node) || good_word(key, node);
    case KEY_BOOLEAN:
        return node->kind == YAML_SCALAR && word_index("true false", node->text) >= 0;
    case KEY_CHOICE:
        return good_word(key, node);
    case KEY_CHOICES:
        return good_words(key, node);
    case KEY_VECTOR:
    case KEY_INTEGERS:
        return good_vector(key, node);
    case KEY_POINTS:
        return check_points(c, node, path);
    case KEY_CORNERS:
        return good_corners(key, node);
    case KEY_SECTION:
        check_section(c, key->section, node, path);
        return true;
    case KEY_ENTRIES:
        if (node->kind != YAML_LIST)
            return false;
        check_entries(c, key, node, path);
        return true;
    case KEY_NAMED:
        if (node->kind != YAML_MAPPING)
            return false;
        check_named(c, key, node, path);
        return true;
    case KEY_TEXTS:
        return good_texts(node);
    case KEY_VALUES:
        return node->kind == YAML_LIST && node->count > 0;
    case KEY_ASSIGNMENTS:
        return node->kind == YAML_MAPPING;
    }
    return false;
}

static void check_alternatives(struct checker *c, const struct key_section *section, bool pair,
                               const struct yaml_node *node, const char *path) {
    char choices[256] = "";
    size_t alternatives = 0, given = 0;
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        if (!(pair ? key->either : key->one_of))
            continue;
        given += yaml_find(node, key->name) != NULL;
        size_t length = strlen(choices);
        snprintf(choices + length, sizeof choices - length, "%s%s", alternatives++ ? ", " : "",
                 key->name);
    }
    if (alternatives && given != 1)
        problems_add(c->problems, node->at, "%s: expected exactly one of %s, found %zu", path,
                     choices, given);
}

static void check_presence(struct checker *c, const struct key_section *section,
                           const struct yaml_node *node, const char *path) {
    char expected[256];
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        if (key->required && !yaml_find(node, key->name))
            problems_add(c->problems, node->at, "missing key \"%s\" in %s; expected %s: %s",
                         key->name, path[0] ? path : c->noun,
                         key_describe(key, expected, sizeof expected), key->help);
    }
    check_alternatives(c, section, false, node, path);
    check_alternatives(c, section, true, node, path);
}

static void check_section(struct checker *c, const struct key_section *section,
                          const struct yaml_node *node, const char *path) {
    if (node->kind != YAML_MAPPING) {
        char found[96];
        problems_add(c->problems, node->at, "%s: expected a mapping (key: value), found %s",
                     path[0] ? path : c->noun, describe_found(node, found, sizeof found));
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *value = node->item[i];
        const struct key *key = key_find(section, value->key);
        char inside[PATH_SIZE];
        path_join(inside, path, value->key);
        if (!key)
            unknown_key(c, section, value, path);
        else if (!good_value(c, key, value, inside))
            wrong_value(c, key, value, inside);
    }
    check_presence(c, section, node, path);
}

void keys_check(const struct key_section *section, const char *noun, const struct yaml_node *root,
                struct problems *problems) {
    struct checker c = {root, noun, problems};
    check_section(&c, section, root, "");
}

bool case_check(const struct yaml_node *root, struct gabion_error *error) {
    struct problems problems = {0};
    keys_check(&case_keys, "the case file", root, &problems);
    if (problems.count == 0)
        case_check_rules(root, &problems);
    return problems_report(&problems, error);
}
