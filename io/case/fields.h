// Typed reading of a checked mapping. What the file does not give comes from the key table, so that
// defaults live in one place; asking for a key that is neither given nor has a default, or with the
// wrong type, is a defect of the program.
#ifndef IO_CASE_FIELDS_H
#define IO_CASE_FIELDS_H

#include <stdint.h>

#include "geometry/vec.h"
#include "io/case/keys.h"
#include "io/text/yaml.h"

struct fields {
    const struct yaml_node *node; // NULL: the section is absent, only defaults
    const struct key_section *section;
};

struct fields fields_section(struct fields fields, const char *key);
struct fields fields_entry(struct fields fields, const char *key, size_t index);
size_t fields_count(struct fields fields, const char *key); // entries of a list, 0 when absent
bool fields_have(struct fields fields, const char *key);    // given in the file
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
// A list of any length, or of vectors, one after the other: the array belongs to the caller.
double *fields_numbers(struct fields fields, const char *key, size_t *count);

// Stores every value that the mapping gives, and that its keys have a member of `object` for, into
// that member; likewise for the mappings inside. Other members keep what they have.
void fields_store(struct fields fields, void *object);

#endif
