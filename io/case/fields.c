#include "io/case/fields.h"

#include <string.h>

#include "engine/gabion.h"
#include "geometry/vec.h"
#include "io/text/number.h"
#include "parallel/memory.h"

struct fields fields_section(struct fields fields, const char *key) {
    return (struct fields){yaml_find(fields.node, key), key_find(fields.section, key)->section};
}

struct fields fields_entry(struct fields fields, const char *key, size_t index) {
    const struct yaml_node *list = yaml_find(fields.node, key);
    return (struct fields){list->item[index], key_find(fields.section, key)->section};
}

size_t fields_count(struct fields fields, const char *key) {
    const struct yaml_node *list = yaml_find(fields.node, key);
    return list ? list->count : 0;
}

bool fields_have(struct fields fields, const char *key) {
    return yaml_find(fields.node, key) != NULL;
}

const struct yaml_node *fields_node(struct fields fields, const char *key) {
    return yaml_find(fields.node, key);
}

const char *fields_text(struct fields fields, const char *key) {
    const struct yaml_node *node = yaml_find(fields.node, key);
    return node ? node->text : key_find(fields.section, key)->initial;
}

static double to_number(const char *text) {
    double value = 0.0;
    if (number_parse(text, &value))
        return value;
    return strcmp(text, "auto") == 0 ? GABION_AUTOMATIC : INFINITY; // the words that stand for one
}

double fields_number(struct fields fields, const char *key) {
    return to_number(fields_text(fields, key));
}

int64_t fields_integer(struct fields fields, const char *key) {
    return (int64_t)fields_number(fields, key);
}

bool fields_boolean(struct fields fields, const char *key) {
    return strcmp(fields_text(fields, key), "true") == 0;
}

int fields_choice(struct fields fields, const char *key) {
    return word_index(key_find(fields.section, key)->words, fields_text(fields, key));
}

unsigned fields_choices(struct fields fields, const char *key) {
    const struct yaml_node *list = yaml_find(fields.node, key);
    const struct key *entry = key_find(fields.section, key);
    const char *rest = list || !entry->initial ? "" : entry->initial;
    char word[WORD_SIZE];
    unsigned bits = 0;
    for (size_t i = 0; list && i < list->count; i++)
        bits |= 1u << word_index(entry->words, list->item[i]->text);
    while (word_take(&rest, word))
        bits |= 1u << word_index(entry->words, word);
    return bits;
}

// A default vector is written "0 0 -9.81" in the table.
static void default_components(const struct key *key, double *values) {
    const char *rest = key->initial;
    char word[WORD_SIZE];
    for (int i = 0; i < key->size && word_take(&rest, word); i++)
        values[i] = to_number(word);
}

void fields_components(struct fields fields, const char *key, double *values) {
    const struct yaml_node *node = yaml_find(fields.node, key);
    const struct key *entry = key_find(fields.section, key);
    if (!node)
        default_components(entry, values);
    for (int i = 0; node && i < entry->size; i++) // one number stands for all of them
        values[i] = to_number(node->kind == YAML_LIST ? node->item[i]->text : node->text);
}

vec3 fields_vector(struct fields fields, const char *key) {
    double values[3];
    fields_components(fields, key, values);
    return vec3_make(values[0], values[1], values[2]);
}

static size_t count_numbers(const struct yaml_node *node) {
    size_t count = node->kind == YAML_SCALAR;
    for (size_t i = 0; i < node->count; i++)
        count += count_numbers(node->item[i]);
    return count;
}

static double *copy_numbers(const struct yaml_node *node, double *values) {
    if (node->kind == YAML_SCALAR)
        *values++ = to_number(node->text);
    for (size_t i = 0; i < node->count; i++)
        values = copy_numbers(node->item[i], values);
    return values;
}

double *fields_numbers(struct fields fields, const char *key, size_t *count) {
    const struct yaml_node *node = yaml_find(fields.node, key);
    *count = node ? count_numbers(node) : 0;
    double *values = memory_allocate(*count, sizeof *values, "numbers");
    if (node)
        copy_numbers(node, values);
    return values;
}
