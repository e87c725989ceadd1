#include <limits.h>
#include <math.h>
#include <string.h>

#include "io/case/keys.h"
#include "io/command/kinds.h"
#include "io/command/options_set.h"
#include "io/command/options_table.h"
#include "io/text/number.h"
#include "io/report/report.h"
#include "parallel/memory.h"

static const struct verb_row verbs[VERB_COUNT] = {
    [VERB_RUN] =
        {"run", "CASE", 1, 1, "run a case file",
         "Checks the case, runs it to time.end and writes history.csv, run.log, ParaView\n"
         "series and checkpoints into a folder; a checkpoint of the last step is always\n"
         "left, also on Ctrl-C. Ends with `key: value` lines on standard output. With --from\n"
         "the bodies begin with the state that they have in another run: settle once,\n"
         "then vary; what could not be taken over is reported.\n"},
    [VERB_RESUME] =
        {"resume", "DIR|CHECKPOINT", 1, 1, "go on from a checkpoint",
         "Goes on from the newest good checkpoint of a folder to time.end, with the\n"
         "bits of a run that never stopped. A folder is continued in place; with -o a\n"
         "new one is started from the checkpoint. With --set it goes on with other laws,\n"
         "loads, drivers, probes or settings; case.yaml notes what changed when.\n"},
    [VERB_CHECK] = {"check", "CASE", 1, 1, "check a case without running it",
                    "Reads the case, builds its bodies and reports their number, the memory a run\n"
                    "needs, the largest overlap at the start, and units that look wrong.\n"},
    [VERB_INFO] = {"info", "FILE|DIR", 0, 1, "describe this machine, or what a file holds",
                   "Without a file: version, compiler, processor. With a case, a checkpoint or a\n"
                   "contact problem (FCLIB): what it holds. With a folder: its newest good\n"
                   "checkpoint.\n"},
    [VERB_EXPLAIN] = {"explain", "KEY", 0, 1, "explain the keys of case files",
                      "Explains one key (solver.tolerance), a section (solver), or all of them.\n"},
    [VERB_SOLVE] =
        {"solve", "PROBLEM", 1, 1, "solve one contact problem",
         "Solves a contact problem in FCLIB format (fclib_local) from zero impulses and\n"
         "prints how well and how fast, as `key: value` lines: both residuals, measured\n"
         "anew on the answer, and the seconds of solving alone. Solvers are nsgs, psor,\n"
         "cpg, lemke, qp, newton, bicg, anderson, ipm, prox and auto (docs/solvers.md).\n"},
    [VERB_EXPORT] = {"export", "CASE|DIR|CHECKPOINT", 1, 1, "write the contact problem of a step",
                     "Makes one step and writes its contact problem, with the impulses that were\n"
                     "found as /solution, as a file that FCLIB reads. A folder is entered at its\n"
                     "newest good checkpoint before the step; nothing in it changes.\n"},
    [VERB_COMPARE] =
        {"compare", "PROBLEM...", 1, INT_MAX, "compare solvers on contact problems",
         "Solves every problem (FCLIB) with every solver to every tolerance and prints a\n"
         "table and the performance profile: the fraction of the problems that a solver\n"
         "solves within a factor tau of the time of the best (Dolan, More 2002).\n"},
    [VERB_MEASURE] =
        {"measure", "DIR|FRAME|CHECKPOINT", 1, 1, "measure probes after a run",
         "Computes probes from the frames of a run (output.frames_every), to the bits of\n"
         "history.csv, and prints them as CSV, a row for each frame. Without --probe and\n"
         "--probes these are the probes of the case. A probe is written as in a case:\n"
         "  --probe 'name: load, group: floor, quantity: force'\n"
         "Nothing in the folder changes. docs/measuring.md describes the quantities.\n"},
    [VERB_REPORT] =
        {"report", "DIR", 1, 1, "write a page about a run, with plots and a 3D view",
         "Writes one HTML page with all that it shows inside: summary, plots of the history,\n"
         "the ParaView frames in 3D, warnings, case and machine. A browser opens it without\n"
         "network. Works at any time: the folder may be that of a running run, which is not\n"
         "disturbed, or of one that failed.\n"},
    [VERB_NEW] =
        {"new", "NAME", 1, 1, "write a commented starting case",
         "Writes NAME.yaml, a complete case of the chosen kind with a comment on every\n"
         "part, to be run and then changed. Kinds that read a table write NAME.csv too.\n"},
    [VERB_STUDY] =
        {"study", "STUDY", 1, 1, "run many variants of a case",
         "Runs the members of a study file side by side, as many as there are cores, and\n"
         "leaves table.csv, plots and index.html in a folder. Given again, the same command\n"
         "goes on where it stopped or was killed: finished members are not run again,\n"
         "others go on from their checkpoints. `gabion explain study` lists the keys;\n"
         "docs/studies.md has examples.\n"},
};

#define BIT(verb) (1u << (verb))

#define SOLVING (BIT(VERB_SOLVE) | BIT(VERB_COMPARE))

static const struct option_row option_rows[] = {
    {"output", 'o', "DIR", BIT(VERB_RUN) | BIT(VERB_RESUME),
     "folder for the results (run: default out/<case name>)", set_output},
    {"output", 'o', "DIR", BIT(VERB_STUDY), "folder of the study (default out/<study name>)",
     set_output},
    {"check", 0, NULL, BIT(VERB_STUDY), "list the members and what they cost; run nothing",
     set_check},
    {"collect", 0, NULL, BIT(VERB_STUDY), "write tables and plots of what is finished; run nothing",
     set_collect},
    {"slurm", 0, NULL, BIT(VERB_STUDY), "write a job script with a task for each member",
     set_slurm},
    {"member", 0, "K", BIT(VERB_STUDY),
     "run member K alone, from 1 (with threshold: search K); for tasks of array jobs", set_member},
    {"repeat", 0, "K|HASH", BIT(VERB_STUDY),
     "run a finished member again, by its number or case_sha256, and compare the state hash",
     set_repeat},
    {"threads", 'j', "N", BIT(VERB_STUDY),
     "cores to use (default, and 0: all); members at a time = N / threads of the study",
     set_threads},
    {"force", 0, NULL, BIT(VERB_STUDY), "run members again whose case has changed", set_force},
    {"fclib", 0, "FILE", BIT(VERB_EXPORT), "the file to write, in FCLIB format", set_fclib},
    {"step", 0, "N", BIT(VERB_EXPORT),
     "the step to make (default: the first, or the one after the checkpoint)", set_step},
    {"solver", 0, "S", BIT(VERB_SOLVE), "solver (default auto)", set_solver},
    {"solvers", 0, "S,S,...", BIT(VERB_COMPARE),
     "solvers, nsgs/exact for one with a local solver (default auto,nsgs,anderson,newton,ipm)",
     set_solvers},
    {"local", 0, "L", SOLVING,
     "one-contact solver of nsgs: auto, explicit, newton, lemke, qp, exact (default auto)",
     set_local},
    {"tol", 0, "E", BIT(VERB_SOLVE), "residual to reach (default 1e-8)", set_tolerance},
    {"tol", 0, "E,E,...", BIT(VERB_COMPARE), "residuals to reach (default 1e-4,1e-8)",
     set_tolerances},
    {"measure", 0, "M", SOLVING,
     "the residual that counts: scaled (default), in units of velocity, or fclib", set_measure},
    {"max", 0, "N", SOLVING,
     "cap on sweeps, factorisations or pivots, as the solver counts (default 10000)", set_max},
    {"relaxation", 0, "W", SOLVING, "of sweeps, in (0, 2) (default 1)", set_relaxation},
    {"cone", 0, "KIND", SOLVING,
     "polygon of lemke and qp: inner, corners on Coulomb's circle (default), or outer", set_cone},
    {"cone-sides", 0, "N", SOLVING, "its sides, 3 or more (default 8)", set_cone_sides},
    {"cone-angle", 0, "DEG", SOLVING, "its turn about the normal (default 0)", set_cone_angle},
    {"plain", 0, NULL, SOLVING, "nsgs without momentum: plain Gauss-Seidel sweeps", set_plain},
    {"warm", 0, NULL, BIT(VERB_SOLVE),
     "start from the file's guess (of an exported step: as the run did), not from zero", set_warm},
    {"history", 0, "FILE", BIT(VERB_SOLVE), "write both residuals by iteration, as CSV",
     set_history},
    {"save", 0, NULL, BIT(VERB_SOLVE),
     "store the answer as /solution in the file, converged or not", set_save},
    {"output", 'o', "PREFIX", BIT(VERB_COMPARE),
     "write PREFIX.csv, PREFIX-profile.csv and PREFIX-profile.svg", set_prefix},
    {"probe", 0, "PROBE", BIT(VERB_MEASURE), "a probe, as an entry of probes; may be repeated",
     set_probe},
    {"probes", 0, "FILE", BIT(VERB_MEASURE), "a YAML file with the key probes", set_probes},
    {"since", 0, "T", BIT(VERB_MEASURE), "leave out what is before this time", set_since},
    {"until", 0, "T", BIT(VERB_MEASURE), "leave out what is after this time", set_until},
    {"checkpoints", 0, NULL, BIT(VERB_MEASURE),
     "measure the checkpoints instead of the frames; they have no contacts", set_checkpoints},
    {"output", 'o', "FILE", BIT(VERB_MEASURE), "write the table there, not to standard output",
     set_prefix},
    {"output", 'o', "FILE", BIT(VERB_REPORT), "the page to write (default DIR/report.html)",
     set_output},
    {"frames", 0, "N", BIT(VERB_REPORT), "at most N frames in the 3D view (default 100)",
     set_frames},
    {"size", 0, "MB", BIT(VERB_REPORT),
     "megabytes that the page may have (default 20); fewer frames, then less of each", set_size},
    {"threads", 'j', "N", BIT(VERB_RUN) | BIT(VERB_RESUME) | BIT(VERB_EXPORT) | SOLVING,
     "threads (default, and 0: one per core); the results do not depend on it", set_threads},
    {"steps", 0, "N", BIT(VERB_RUN) | BIT(VERB_RESUME),
     "run exactly N steps (resume: N more), whatever time.end and stop say", set_steps},
    {"until", 0, "T", BIT(VERB_RESUME), "run to this time instead of time.end", set_until},
    {"set", 0, "KEY=VALUE",
     BIT(VERB_RUN) | BIT(VERB_RESUME) | BIT(VERB_CHECK) | BIT(VERB_INFO) | BIT(VERB_EXPORT),
     "replace one value of the case file; may be repeated", set_override},
    {"from", 0, "FILE|DIR", BIT(VERB_RUN) | BIT(VERB_CHECK),
     "begin with the state that the bodies have in a checkpoint, a frame or the newest checkpoint "
     "of a folder",
     set_from},
    {"match", 0, "HOW", BIT(VERB_RUN) | BIT(VERB_CHECK),
     "pair bodies with those of --from by group and order in it (group, default) or by id",
     set_match},
    {"force", 0, NULL, BIT(VERB_RUN), "remove the results of an earlier run from the folder first",
     set_force},
    {"force", 0, NULL, BIT(VERB_EXPORT) | BIT(VERB_MEASURE), "replace a file that exists",
     set_force},
    {"kind", 0, "KIND", BIT(VERB_NEW), "what the case shows (default box)", set_kind},
    {"force", 0, NULL, BIT(VERB_NEW), "replace files that exist", set_force},
    {"quiet", 'q', NULL, BIT(VERB_RUN) | BIT(VERB_RESUME) | BIT(VERB_STUDY),
     "no progress and no notes, only warnings and the summary", set_quiet},
    {"strict", 0, NULL, BIT(VERB_RUN) | BIT(VERB_RESUME) | BIT(VERB_CHECK),
     "exit status 1 where there is a warning, also one of `check`, or an unsolved step",
     set_strict},
    {"markdown", 0, NULL, BIT(VERB_EXPLAIN), "as a page of the manual", set_markdown},
    {"schema", 0, NULL, BIT(VERB_EXPLAIN), "as a JSON Schema, for editors that check YAML",
     set_schema},
    {"man", 0, NULL, BIT(VERB_EXPLAIN),
     "as a manual page: of the program, or of the command given in place of KEY", set_man},
    {"completion", 0, NULL, BIT(VERB_EXPLAIN),
     "as a bash script that completes commands, options, keys and kinds", set_completion},
    {"help", 'h', NULL, ~0u, "show this help", set_help},
    {"version", 0, NULL, BIT(VERB_NONE), "show the version", set_version},
};
#define OPTION_COUNT (sizeof option_rows / sizeof option_rows[0])

static const char *program_of(enum verb verb, char text[64]) {
    if (verb == VERB_NONE)
        snprintf(text, 64, "gabion");
    else
        snprintf(text, 64, "gabion %s", verbs[verb].name);
    return text;
}

static bool is_named(const struct option_row *row, const char *argument) {
    if (argument[1] != '-')
        return row->letter != 0 && row->letter == argument[1];
    size_t length = strcspn(argument + 2, "=");
    return strlen(row->name) == length && strncmp(row->name, argument + 2, length) == 0;
}

// Finds an option of this verb; if there is none, one of another verb with that name.
static const struct option_row *find_option(enum verb verb, const char *argument) {
    const struct option_row *other = NULL;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (!is_named(&option_rows[i], argument))
            continue;
        if (option_rows[i].verbs & BIT(verb))
            return &option_rows[i];
        other = &option_rows[i];
    }
    return other;
}

static const char *value_of(const char *argument) {
    if (argument[1] != '-')
        return argument[2] != '\0' ? argument + 2 : NULL;
    const char *equals = strchr(argument, '=');
    return equals ? equals + 1 : NULL;
}

static bool reject_option(enum verb verb, const char *argument, const struct option_row *row,
                          struct gabion_error *error) {
    char program[64], near[128], word[64];
    program_of(verb, program);
    if (row != NULL)
        return error_set(error, GABION_ERROR_INPUT, "%s has no option %s; see %s --help", program,
                         argument, program);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argument, "="), argument);
    struct suggestion suggestion = suggestion_start(word);
    char names[OPTION_COUNT][32];
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        snprintf(names[i], sizeof names[i], "--%s", option_rows[i].name);
        if (option_rows[i].verbs & BIT(verb))
            suggestion_consider(&suggestion, names[i]);
    }
    return error_set(error, GABION_ERROR_INPUT, "unknown option %s%s (see %s --help)", word,
                     suggestion_print(&suggestion, near, sizeof near), program);
}

// Parses the option at argv[*at]; its value may be the next argument.
static bool take_option(struct options *options, int argc, const char *const *argv, int *at,
                        struct gabion_error *error) {
    const char *argument = argv[*at], *value = value_of(argument);
    const struct option_row *row = find_option(options->verb, argument);
    if (row == NULL || !(row->verbs & BIT(options->verb)))
        return reject_option(options->verb, argument, row, error);
    if (row->argument == NULL && value != NULL)
        return error_set(error, GABION_ERROR_INPUT, "--%s takes no value: %s", row->name, argument);
    if (row->argument != NULL && value == NULL) {
        if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
            return error_set(error, GABION_ERROR_INPUT, "%s needs a value: %s %s", argument,
                             argument, row->argument);
        value = argv[++*at];
    }
    return row->set(options, value, error);
}

bool options_find_verb(const char *name, enum verb *verb, struct gabion_error *error) {
    struct suggestion suggestion = suggestion_start(name);
    char near[128];
    for (int i = 0; i < VERB_COUNT; i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            *verb = (enum verb)i;
            return true;
        }
        suggestion_consider(&suggestion, verbs[i].name);
    }
    return error_set(error, GABION_ERROR_INPUT, "unknown command \"%.60s\"%s (see gabion --help)",
                     name, suggestion_print(&suggestion, near, sizeof near));
}

static bool take_target(struct options *options, const char *argument, struct gabion_error *error) {
    const struct verb_row *row = &verbs[options->verb];
    if (options->target_count == row->target_most)
        return error_set(error, GABION_ERROR_INPUT,
                         "gabion %s takes one %s: \"%s\" and then \"%s\" are too many", row->name,
                         row->target, options->target, argument);
    options->targets = memory_resize(options->targets, (size_t)options->target_count + 1,
                                     sizeof *options->targets, "arguments");
    options->targets[options->target_count++] = argument;
    options->target = options->targets[0];
    return true;
}

static bool check_complete(const struct options *options, struct gabion_error *error) {
    if (options->help || options->version)
        return true;
    if (options->verb == VERB_NONE)
        return error_set(error, GABION_ERROR_INPUT, "a command is missing; see gabion --help");
    const struct verb_row *row = &verbs[options->verb];
    if (options->target_count < row->target_least)
        return error_set(error, GABION_ERROR_INPUT, "gabion %s needs a %s; see gabion %s --help",
                         row->name, row->target, row->name);
    if (options->match && !options->from)
        return error_set(error, GABION_ERROR_INPUT,
                         "--match says how bodies are paired with those of --from, which is "
                         "missing");
    if (options->steps >= 0 && !isnan(options->until))
        return error_set(error, GABION_ERROR_INPUT, "give --steps or --until, not both");
    return true;
}

bool options_parse(struct options *options, int argc, const char *const *argv,
                   struct gabion_error *error) {
    bool only_targets = false;
    struct gabion_settings defaults = gabion_default_settings();
    *options = (struct options){.verb = VERB_NONE,
                                .steps = -1,
                                .until = NAN,
                                .since = NAN,
                                .step = -1,
                                .frames = REPORT_FRAMES,
                                .megabytes = REPORT_MEGABYTES};
    options->solver = (struct solver_settings){.max_iterations = 10000,
                                               .relaxation = defaults.relaxation,
                                               .momentum = defaults.momentum,
                                               .cone = defaults.cone};
    for (int at = 1; at < argc; at++) {
        const char *argument = argv[at];
        bool taken;
        if (!only_targets && strcmp(argument, "--") == 0)
            taken = only_targets = true;
        else if (!only_targets && argument[0] == '-' && argument[1] != '\0')
            taken = take_option(options, argc, argv, &at, error);
        else if (options->verb == VERB_NONE)
            taken = options_find_verb(argument, &options->verb, error);
        else
            taken = take_target(options, argument, error);
        if (!taken)
            return false;
    }
    return check_complete(options, error);
}

void options_free(struct options *options) {
    memory_free(options->overrides);
    memory_free(options->targets);
    memory_free(options->probes);
    memory_free(options->solvers);
    memory_free(options->tolerances);
    options->overrides = options->targets = options->probes = NULL;
    options->solvers = NULL;
    options->tolerances = NULL;
}

static int print_left(const struct option_row *row, char *text, size_t size) {
    char letter[8] = "    ";
    if (row->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    return snprintf(text, size, "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
                    row->argument ? row->argument : "");
}

const struct option_row *options_next(enum verb verb, size_t *next) {
    while (*next < OPTION_COUNT && !(option_rows[*next].verbs & BIT(verb)))
        ++*next;
    return *next < OPTION_COUNT ? &option_rows[(*next)++] : NULL;
}

static void print_options(enum verb verb, FILE *stream) {
    const struct option_row *row;
    char left[64];
    int width = 0;
    for (size_t next = 0; (row = options_next(verb, &next));) {
        int length = print_left(row, left, sizeof left);
        width = length > width ? length : width;
    }
    fprintf(stream, "\noptions:\n");
    for (size_t next = 0; (row = options_next(verb, &next));) {
        print_left(row, left, sizeof left);
        fprintf(stream, "  %-*s  %s\n", width, left, row->help);
    }
}

static void print_kinds(FILE *stream) {
    fprintf(stream, "\nkinds:\n");
    for (const struct kind *kind = kinds; kind->name; kind++)
        fprintf(stream, "  %-10s %s\n", kind->name, kind->summary);
}

const char options_exit_status[] =
    "Exit status: 0 fine, 1 the run failed or did not converge as asked (with --strict:\n"
    "also after a warning or an unsolved step), 2 bad usage or input.\n";
static void print_state_section(const struct key_section *section, const char *prefix,
                                FILE *stream) {
    for (size_t k = 0; k < section->count; k++) {
        const struct key *key = &section->keys[k];
        char path[64];
        snprintf(path, sizeof path, "%s%s", prefix, key->name);
        if (key->state)
            fprintf(stream, "  %-12s %s\n", path, key->state);
        else if (key->type == KEY_SECTION && prefix[0] == '\0') {
            strncat(path, ".", sizeof path - strlen(path) - 1);
            print_state_section(key->section, path, stream);
        }
    }
}

// What a run that goes on cannot change.
static void print_state_keys(FILE *stream) {
    fprintf(stream, "\n--set can change every key of the case but these:\n");
    print_state_section(&case_keys, "", stream);
}

void options_print_help(enum verb verb, FILE *stream) {
    if (verb == VERB_NONE) {
        fprintf(stream, "usage: gabion COMMAND ...\n\n"
                        "Granular media and dry masonry by Non Smooth Contact Dynamics.\n\n"
                        "commands:\n");
        for (int i = 0; i < VERB_COUNT; i++)
            fprintf(stream, "  %-8s %-20s %s\n", verbs[i].name, verbs[i].target, verbs[i].summary);
        fprintf(stream, "\n`gabion COMMAND --help` gives details.\n");
    } else {
        const struct verb_row *row = &verbs[verb];
        fprintf(stream,
                row->target_least > 0 ? "usage: gabion %s %s [options]\n\n%s"
                                      : "usage: gabion %s [%s] [options]\n\n%s",
                row->name, row->target, row->text);
        if (verb == VERB_NEW)
            print_kinds(stream);
    }
    print_options(verb, stream);
    if (verb == VERB_RESUME)
        print_state_keys(stream);
    fprintf(stream, "\n%s", options_exit_status);
}

const struct verb_row *options_verb(enum verb verb) { return &verbs[verb]; }

struct scene_request options_scene(const struct options *options) {
    return (struct scene_request){
        .case_path = options->target,
        .overrides = options->overrides,
        .override_count = options->override_count,
        .threads = options->threads,
        .from = options->from,
        .match = options->match,
    };
}
