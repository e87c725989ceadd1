// The inside of a loaded case, shared by the files of io/case/. Users include io/case/case.h.
#ifndef IO_CASE_CASE_FILE_H
#define IO_CASE_CASE_FILE_H

#include "io/case/case.h"
#include "io/case/fields.h"
#include "io/text/remarks.h"

struct text_list {
    char **text;
    size_t count, capacity;
};

struct kept_contacts;

struct case_file {
    struct remarks *remarks;       // what was found while bodies were added
    struct gabion_settings before; // those of a resolved text, without the overrides
    bool varied;                   // some override changes more than how a step is computed
    struct text_list changes;      // overrides that changed something
    struct text_list origins;      // file names and arguments that positions in the tree refer to
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
                               struct text_list *origins, struct remarks *remarks,
                               struct gabion_error *error);

// Finds the group with the name that a node of the document gives.
bool case_find_group(const struct yaml_node *name, const struct gabion_world *world, int *group,
                     struct gabion_error *error);

// Adds the joints. Their bodies must already exist (io/case/joints.c).
bool case_add_joints(const struct case_file *file, struct gabion_world *world,
                     struct gabion_error *error);

// Rejects joints, of the case or taken over, that the method of the case cannot solve.
bool case_check_joints(const struct case_file *file, const struct gabion_world *world,
                       struct gabion_error *error);

// Takes over the state of another run, as `from` of the case says, and gives the world the contacts
// that this and the imports brought (io/case/staging.c).
bool case_take_state(const struct case_file *file, struct gabion_world *world,
                     struct kept_contacts *kept, struct gabion_error *error);
// Adds the bodies of an entry under `imports`; `template` has what all entries share.
bool case_import(const struct case_file *file, struct fields import,
                 const struct gabion_body *template, struct gabion_world *world,
                 struct kept_contacts *kept, struct gabion_error *error);

// Replaces the files that tables and records of actions name by their points; names are relative to
// `path`, a file.
bool case_inline_tables(struct yaml_node *root, const char *path, struct text_list *origins,
                        struct gabion_error *error);

// Sets one value of the document from an argument "a.b=value".
bool case_override(struct yaml_node *root, const char *argument, struct text_list *origins,
                   struct gabion_error *error);

#endif
