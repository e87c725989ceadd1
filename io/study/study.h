// Study files: a base case, what varies in it, and what is asked of its runs. YAML, read by the
// reader of case files and checked against a table of keys of its own.
//
// A member of a study is the base case with some values replaced, as `--set` replaces them. The
// text of its resolved case defines it completely; the SHA-256 of that text is its name.
#ifndef IO_STUDY_STUDY_H
#define IO_STUDY_STUDY_H

#include <stdint.h>

#include "engine/api/key.h"
#include "io/study/search.h"
#include "io/text/yaml.h"

extern const struct key_section study_keys; // the whole file

#define STUDY_PATH_MAX    4096
#define STUDY_MEMBERS_MAX 100000

struct study_value {
    char *text;  // YAML, as after --set key=
    char *label; // in tables: without commas
};

struct study_variable {
    const char *name;
    const struct yaml_node *keys; // a text or a list of them
    size_t axis;                  // variables of one axis vary together
    struct study_value *values;
    size_t count, capacity;
};

enum reduction { REDUCE_LAST, REDUCE_MAX, REDUCE_MIN, REDUCE_MEAN, REDUCE_AMPLITUDE };

struct study_result { // a column of the table
    const char *name;
    const char *summary; // key of the summary, or NULL
    const char *column;  // of history.csv, or NULL
    enum reduction reduction;
};

struct study_event {
    unsigned statuses;   // bits of STUDY_STATUSES; 0: a result decides
    int result;          // index; -1: the status decides
    double above, below; // NAN: not given
};
#define STUDY_STATUSES "completed at-rest collapsed"

struct study_ensemble {
    bool given;
    bool *over;  // of each variable: its values are repetitions
    int against; // index of the variable of the curve; -1: none
    bool fit;    // of a lognormal curve
    double confidence;
    int samples;
    int64_t seed;
};

struct study_plot {
    const char *x, *y, *by; // names of columns; by may be NULL
};

struct study {
    char path[STUDY_PATH_MAX];
    char case_path[STUDY_PATH_MAX];
    struct yaml_node *root;
    const char *title;
    int threads; // of each member
    struct study_variable *variables;
    size_t variable_count;
    size_t *axis_length;
    size_t axis_count;
    size_t point_count; // of the product of all axes
    struct study_result *results;
    size_t result_count;
    struct study_event event;
    bool has_threshold;
    const char *threshold_name;
    const struct yaml_node *threshold_keys;
    struct search_settings threshold;
    struct study_ensemble ensemble;
    struct study_plot *plots;
    size_t plot_count;
    const struct yaml_node *slurm_options; // NULL: none
};

// Returns NULL on an error, which names file, line and column.
struct study *study_load(const char *path, struct gabion_error *error);
// Reads a study from its text. Files are looked for relative to `path`; the base case is not.
struct study *study_parse(const char *text, size_t size, const char *path,
                          struct gabion_error *error);
void study_free(struct study *study);

// Returns whether a file is a study rather than a case: it names one.
bool study_recognise(const char *path);

// Returns the value of a variable at a point of the product. Later axes run faster.
const struct study_value *study_value_at(const struct study *study, size_t variable, size_t point);

// Texts of a node that is a text or a list of them.
size_t study_text_count(const struct yaml_node *node);
const char *study_text(const struct yaml_node *node, size_t index);

#endif
