// A loaded case, as the files that read it share it. Users see io/case.h.
#ifndef IO_CASE_CASE_FILE_H
#define IO_CASE_CASE_FILE_H

#include "io/case/case.h"
#include "io/case/fields.h"

struct text_list {
    char **text;
    size_t count, capacity;
};

struct case_file {
    struct text_list origins; // names that the positions in the tree point to
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

// The settings of a checked document: its values, and the defaults of the rest.
struct gabion_settings case_read_settings(const struct yaml_node *root);

// Reads the file and what it includes, applies the overrides and pulls in the tables it names
// (io/case/resolve.c). NULL on an error; the positions belong to `origins`.
struct yaml_node *case_resolve(const char *path, const char *const *overrides, int override_count,
                               struct text_list *origins, struct gabion_error *error);

// The group of a name that the file gives.
bool case_find_group(const struct yaml_node *name, const struct gabion_world *world, int *group,
                     struct gabion_error *error);

// Between bodies that are there (io/case/joints.c).
bool case_add_joints(const struct case_file *file, struct gabion_world *world,
                     struct gabion_error *error);

// Sets one value, "a.b=value".
bool case_override(struct yaml_node *root, const char *argument, struct text_list *origins,
                   struct gabion_error *error);

#endif
