// Typed reading of a checked mapping. Keys that the file does not give have the defaults of the
// table of keys. Callers must ask only for keys that are given or have a default, and with their
// type.
#ifndef IO_CASE_FIELDS_H
#define IO_CASE_FIELDS_H

#include <stdint.h>

#include "geometry/vec.h"
#include "io/case/keys.h"
#include "io/text/yaml.h"

struct fields {
    const struct yaml_node *node; // NULL: the section is absent and has its defaults
    const struct key_section *section;
};

struct fields fields_section(struct fields fields, const char *key);
struct fields fields_entry(struct fields fields, const char *key, size_t index);
size_t fields_count(struct fields fields, const char *key); // entries of a list; 0 if absent
bool fields_have(struct fields fields, const char *key);    // whether the file gives it
const struct yaml_node *fields_node(struct fields fields, const char *key);

const char *fields_text(struct fields fields, const char *key);
double fields_number(struct fields fields,
                     const char *key); // auto: GABION_AUTOMATIC; inf: INFINITY
int64_t fields_integer(struct fields fields, const char *key);
bool fields_boolean(struct fields fields, const char *key);
int fields_choice(struct fields fields, const char *key);       // index of the word in the table
unsigned fields_choices(struct fields fields, const char *key); // bit of each word
vec3 fields_vector(struct fields fields, const char *key);
void fields_components(struct fields fields, const char *key, double *values);
// Returns all numbers of a list, or of a list of vectors, in a row. The caller frees the array.
double *fields_numbers(struct fields fields, const char *key, size_t *count);

// Stores the values that the mapping and the mappings inside it give into the members of `object`
// that their keys name. Other members keep their values.
void fields_store(struct fields fields, void *object);

#endif
