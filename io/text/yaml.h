// YAML documents as a tree of text scalars, lists and mappings, each with its place in the file.
//
// libfyaml only splits the text into events. All bytes are checked to be UTF-8 before it sees them,
// because it loops forever on some that are not. Scalars stay text: the table of keys decides
// whether "no", "010" or "1e3" is a number or a word.
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
    int line, column;   // from 1; line 0: the origin alone is the place
};

struct yaml_node {
    enum yaml_kind kind;
    struct yaml_position at;
    char *key; // name in the mapping that contains this node; NULL in a list
    struct yaml_position key_at;
    char *text; // of a scalar
    struct yaml_node **item;
    size_t count, capacity;
};

// Parses one document. `origin` must outlive the tree. Returns NULL on an error.
struct yaml_node *yaml_parse(const char *text, size_t size, const char *origin,
                             struct gabion_error *error);

struct yaml_node *yaml_create(enum yaml_kind kind, struct yaml_position at);
struct yaml_node *yaml_create_scalar(const char *text, struct yaml_position at);
void yaml_free(struct yaml_node *node);

struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key); // NULL: none
void yaml_name(struct yaml_node *node, const char *key);                       // sets its key
void yaml_append(struct yaml_node *parent, struct yaml_node *child);
// Takes ownership of the value. Frees an older value of that key.
void yaml_put(struct yaml_node *mapping, const char *key, struct yaml_node *value);
struct yaml_node *yaml_take(struct yaml_node *parent, size_t index); // removes it from the parent
void yaml_remove(struct yaml_node *mapping, const char *key);
// Sets the position of all nodes to an argument of the command line: a line and column would
// suggest a file.
void yaml_set_origin(struct yaml_node *node, const char *origin);

// Writes the document as text that yaml_parse reads back to an equal tree. The caller frees it with
// memory_free.
char *yaml_emit(const struct yaml_node *root, size_t *size);

// Sets an error with "file:line:column: " in front of the message. Returns false.
__attribute__((format(printf, 3, 4))) bool
yaml_error(struct gabion_error *error, struct yaml_position at, const char *format, ...);
bool yaml_error_context(struct gabion_error *error,
                        struct yaml_position at); // adds the place to an error
int yaml_print_position(char *text, size_t size, struct yaml_position at); // like snprintf

#endif
