// The inside of a loaded case, shared by the files of io/case/. Users include io/case/case.h.
#ifndef IO_CASE_CASE_FILE_H
#define IO_CASE_CASE_FILE_H

#include "io/case/case.h"
#include "io/case/fields.h"

struct text_list {
    char **text;
    size_t count, capacity;
};

struct case_file {
    struct text_list origins; // file names and arguments that positions in the tree refer to
    struct yaml_node *root;
    char *text;
    struct gabion_settings settings;
    struct output_settings output;
};

const char *text_list_add(struct text_list *list, const char *text);
void text_list_free(struct text_list *list);

static inline struct fields case_fields(const struct case_file *file) {
    return (struct fields){file->root, &case_keys};
}

// Reads the settings of a checked document. Keys that it does not give have their defaults.
struct gabion_settings case_read_settings(const struct yaml_node *root);

// Reads the file and its includes, applies the overrides and inlines the tables that it names
// (io/case/resolve.c). Returns NULL on an error. `origins` owns the names in the positions.
struct yaml_node *case_resolve(const char *path, const char *const *overrides, int override_count,
                               struct text_list *origins, struct gabion_error *error);

// Finds the group with the name that a node of the document gives.
bool case_find_group(const struct yaml_node *name, const struct gabion_world *world, int *group,
                     struct gabion_error *error);

// Adds the joints. Their bodies must already exist (io/case/joints.c).
bool case_add_joints(const struct case_file *file, struct gabion_world *world,
                     struct gabion_error *error);

// Sets one value of the document from an argument "a.b=value".
bool case_override(struct yaml_node *root, const char *argument, struct text_list *origins,
                   struct gabion_error *error);

#endif
