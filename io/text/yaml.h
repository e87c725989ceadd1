// YAML as a tree of our own: text scalars, lists, mappings, each with its place in a file.
//
// libfyaml only cuts the text into events; it never sees a byte that is not checked UTF-8 (it loops
// for ever on some others), and nothing here guesses types: "no", "010" and "1e3" stay text until
// the key table says what they are.
#ifndef IO_TEXT_YAML_H
#define IO_TEXT_YAML_H

#include <stddef.h>

#include "parallel/error.h"

#define YAML_SIZE_MAX    ((size_t)16 << 20) // bytes of one document
#define YAML_NODES_MAX   ((size_t)4 << 20)  // of one document, aliases included
#define YAML_ALIASED_MAX 100000             // nodes that aliases may add ("billion laughs")
#define YAML_DEPTH_MAX   64
#define YAML_KEYS_MAX    1000 // of one mapping

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAPPING };

struct yaml_position {
    const char *origin; // a file name or a --set argument; owned by the caller of yaml_parse
    int line, column;   // from 1; line 0: the origin says it all
};

struct yaml_node {
    enum yaml_kind kind;
    struct yaml_position at;
    char *key; // name in the mapping that holds this node, else NULL
    struct yaml_position key_at;
    char *text; // scalar
    struct yaml_node **item;
    size_t count, capacity;
};

// One document. `origin` must outlive the tree.
struct yaml_node *yaml_parse(const char *text, size_t size, const char *origin,
                             struct gabion_error *error);

struct yaml_node *yaml_create(enum yaml_kind kind, struct yaml_position at);
struct yaml_node *yaml_create_scalar(const char *text, struct yaml_position at);
void yaml_free(struct yaml_node *node);

struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key); // NULL: none
void yaml_name(struct yaml_node *node, const char *key); // its key in a mapping
void yaml_append(struct yaml_node *parent, struct yaml_node *child);
// Takes the value; an older one of that key is freed.
void yaml_put(struct yaml_node *mapping, const char *key, struct yaml_node *value);
struct yaml_node *yaml_take(struct yaml_node *parent, size_t index); // out of the parent
void yaml_remove(struct yaml_node *mapping, const char *key);

// The document as text that yaml_parse reads back to an equal tree. To be freed by memory_free.
char *yaml_emit(const struct yaml_node *root, size_t *size);

// "file:line:column: " in front of a message.
__attribute__((format(printf, 3, 4))) bool
yaml_error(struct gabion_error *error, struct yaml_position at, const char *format, ...);
bool yaml_error_context(struct gabion_error *error, struct yaml_position at); // of one from below
int yaml_print_position(char *text, size_t size, struct yaml_position at);    // like snprintf

#endif
