// The command line: one table of verbs and one of options, from which arguments are parsed and
// every --help is printed.
#ifndef IO_COMMAND_OPTIONS_H
#define IO_COMMAND_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "engine/solvers/panel.h"
#include "io/run/scene.h"
#include "parallel/error.h"

enum verb {
    VERB_RUN,
    VERB_RESUME,
    VERB_CHECK,
    VERB_INFO,
    VERB_EXPLAIN,
    VERB_SOLVE,
    VERB_EXPORT,
    VERB_COMPARE,
    VERB_REPORT,
    VERB_NEW,
    VERB_STUDY,
    VERB_COUNT
};
#define VERB_NONE VERB_COUNT

struct solver_choice {
    enum gabion_method method;
    enum gabion_local local;
};

struct options {
    enum verb verb;     // VERB_NONE: only with help or version
    const char *target; // CASE, FILE, DIR or KEY, the first of them; NULL when left out
    const char **targets;
    int target_count;
    const char *output; // -o; NULL: default
    int threads;        // -j; 0: default
    int64_t steps;      // --steps; -1: not given
    double until;       // --until; NAN: not given
    const char **overrides;
    int override_count;
    bool force, quiet, strict, markdown, schema, man, completion, help, version;
    const char *kind;  // --kind, for new; NULL: default
    const char *from;  // --from; NULL: none
    const char *match; // --match; NULL: not given
    // For solve and compare.
    struct solver_choice *solvers; // --solver, --solvers
    int solver_count;
    double *tolerances; // --tol
    int tolerance_count;
    struct solver_settings solver; // all other options of solvers; its tolerance is not set
    bool local_given;
    const char *history; // --history; NULL: none
    bool save, warm;
    // For export.
    const char *fclib; // --fclib
    int64_t step;      // --step; -1: not given
    // For study.
    bool check, collect, slurm;
    int64_t member;     // --member; 0: not given
    const char *repeat; // --repeat; NULL: not given
    // For report.
    int frames, megabytes; // --frames, --size
};

bool options_parse(struct options *options, int argc, const char *const *argv,
                   struct gabion_error *error);
void options_free(struct options *options);

// Finds a verb by its name; reports the nearest one where there is none.
bool options_find_verb(const char *name, enum verb *verb, struct gabion_error *error);

// Returns what the options say about the scene to open.
struct scene_request options_scene(const struct options *options);

// Prints the help of a verb, or of the program (VERB_NONE).
void options_print_help(enum verb verb, FILE *stream);

#endif
