#include "io/command/options_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/command/kinds.h"
#include "io/text/number.h"
#include "parallel/memory.h"

static bool parse_whole(const char *value, int64_t high, int64_t *number) {
    char *end;
    errno = 0;
    long long parsed = strtoll(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || parsed < 0 || parsed > high)
        return false;
    *number = parsed;
    return true;
}

bool set_output(struct options *options, const char *value, struct gabion_error *error) {
    if (value[0] == '\0')
        return error_set(error, GABION_ERROR_INPUT, "-o needs the name of a folder");
    options->output = value;
    return true;
}

#define THREADS_MAX 4096

bool set_threads(struct options *options, const char *value, struct gabion_error *error) {
    int64_t number;
    if (!parse_whole(value, THREADS_MAX, &number))
        return error_set(error, GABION_ERROR_INPUT,
                         "-j needs a number of threads, 1 to %d (0: one per core), not \"%s\"",
                         THREADS_MAX, value);
    options->threads = (int)number;
    return true;
}

bool set_steps(struct options *options, const char *value, struct gabion_error *error) {
    if (!parse_whole(value, INT64_C(1) << 53, &options->steps))
        return error_set(error, GABION_ERROR_INPUT, "--steps needs a whole number >= 0, not \"%s\"",
                         value);
    return true;
}

bool set_until(struct options *options, const char *value, struct gabion_error *error) {
    if (!number_parse(value, &options->until) || options->until < 0.0)
        return error_set(error, GABION_ERROR_INPUT, "--until needs a time in seconds, not \"%s\"",
                         value);
    return true;
}

bool set_override(struct options *options, const char *value, struct gabion_error *error) {
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value)
        return error_set(error, GABION_ERROR_INPUT,
                         "--set needs key=value, for example solver.tolerance=1e-8, not \"%s\"",
                         value);
    options->overrides = memory_resize(options->overrides, (size_t)options->override_count + 1,
                                       sizeof *options->overrides, "--set arguments");
    options->overrides[options->override_count++] = value;
    return true;
}

bool set_from(struct options *options, const char *value, struct gabion_error *error) {
    if (value[0] == '\0')
        return error_set(error, GABION_ERROR_INPUT,
                         "--from needs a checkpoint, a frame or the folder of a run");
    options->from = value;
    return true;
}

bool set_match(struct options *options, const char *value, struct gabion_error *error) {
    if (strcmp(value, "group") != 0 && strcmp(value, "id") != 0)
        return error_set(error, GABION_ERROR_INPUT, "--match is group or id, not \"%s\"", value);
    options->match = value;
    return true;
}

bool set_force(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->force = true;
}

bool set_quiet(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->quiet = true;
}

bool set_strict(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->strict = true;
}

bool set_markdown(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->markdown = true;
}

bool set_schema(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->schema = true;
}

bool set_man(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->man = true;
}

bool set_completion(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->completion = true;
}

bool set_kind(struct options *options, const char *value, struct gabion_error *error) {
    struct suggestion suggestion = suggestion_start(value);
    char near[128];
    for (const struct kind *kind = kinds; kind->name; kind++)
        suggestion_consider(&suggestion, kind->name);
    if (!kind_find(value))
        return error_set(error, GABION_ERROR_INPUT,
                         "no kind of case is named \"%.60s\"%s; gabion new --help lists them",
                         value, suggestion_print(&suggestion, near, sizeof near));
    options->kind = value;
    return true;
}

bool set_help(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->help = true;
}

bool set_version(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->version = true;
}

bool set_check(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->check = true;
}

bool set_collect(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->collect = true;
}

bool set_slurm(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->slurm = true;
}

bool set_member(struct options *options, const char *value, struct gabion_error *error) {
    if (!parse_whole(value, INT64_C(1) << 53, &options->member) || options->member == 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "--member needs a whole number >= 1, not \"%s\"", value);
    return true;
}

bool set_repeat(struct options *options, const char *value, struct gabion_error *error) {
    options->repeat = value;
    return value[0] != '\0' ||
           error_set(error, GABION_ERROR_INPUT, "--repeat needs the number or hash of a member");
}

bool set_step(struct options *options, const char *value, struct gabion_error *error) {
    if (!parse_whole(value, INT64_C(1) << 53, &options->step) || options->step == 0)
        return error_set(error, GABION_ERROR_INPUT, "--step needs a whole number >= 1, not \"%s\"",
                         value);
    return true;
}

// A name of a file, or of the files that begin with it.
static bool take_name(const char **name, const char *value, const char *option,
                      struct gabion_error *error) {
    *name = value;
    return value[0] != '\0' ||
           error_set(error, GABION_ERROR_INPUT, "%s needs the name of a file", option);
}

bool set_prefix(struct options *options, const char *value, struct gabion_error *error) {
    return take_name(&options->output, value, "-o", error);
}

bool set_fclib(struct options *options, const char *value, struct gabion_error *error) {
    return take_name(&options->fclib, value, "--fclib", error);
}

bool set_history(struct options *options, const char *value, struct gabion_error *error) {
    return take_name(&options->history, value, "--history", error);
}

bool set_warm(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->warm = true;
}

bool set_plain(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    options->solver.momentum = false;
    return true;
}

bool set_save(struct options *options, const char *value, struct gabion_error *error) {
    (void)value, (void)error;
    return options->save = true;
}

// Solvers -------------------------------------------------------------------------------------

static const char *method_name(int index) { return panel_name((enum gabion_method)index); }
static const char *local_name(int index) { return panel_local_name((enum gabion_local)index); }
static const char *measure_name(int index) { return index == 0 ? "scaled" : "fclib"; }
static const char *cone_name(int index) { return index == 0 ? "inner" : "outer"; }

// Returns the index of a word among `count` names; -1 with an error that lists them or suggests
// one.
static int find_name(const char *word, const char *(*name)(int), int count, const char *what,
                     struct gabion_error *error) {
    struct suggestion suggestion = suggestion_start(word);
    char near[128], list[256] = "";
    for (int k = 0; k < count; k++) {
        if (strcmp(name(k), word) == 0)
            return k;
        suggestion_consider(&suggestion, name(k));
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", k > 0 ? ", " : "", name(k));
    }
    error_set(error, GABION_ERROR_INPUT, "unknown %s \"%.60s\"%s (there are %s)", what, word,
              suggestion_print(&suggestion, near, sizeof near), list);
    return -1;
}

// "nsgs", or "nsgs/exact": with a local solver of its own.
static bool add_solver(struct options *options, const char *word, struct gabion_error *error) {
    char name[64];
    size_t length = strcspn(word, "/");
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    int method = find_name(name, method_name, GABION_METHOD_COUNT, "solver", error);
    int local = word[length] == '\0' ? 0
                                     : find_name(word + length + 1, local_name, GABION_LOCAL_COUNT,
                                                 "local solver", error);
    if (method < 0 || local < 0)
        return false;
    options->solvers = memory_resize(options->solvers, (size_t)options->solver_count + 1,
                                     sizeof *options->solvers, "solvers");
    options->solvers[options->solver_count++] =
        (struct solver_choice){(enum gabion_method)method, (enum gabion_local)local};
    return true;
}

static bool add_tolerance(struct options *options, const char *word, struct gabion_error *error) {
    double tolerance;
    if (!number_parse(word, &tolerance) || tolerance <= 0)
        return error_set(error, GABION_ERROR_INPUT, "--tol needs a number > 0, not \"%s\"", word);
    options->tolerances = memory_resize(options->tolerances, (size_t)options->tolerance_count + 1,
                                        sizeof *options->tolerances, "tolerances");
    options->tolerances[options->tolerance_count++] = tolerance;
    return true;
}

// Words between commas, one after the other.
static bool take_list(struct options *options, const char *value,
                      bool (*add)(struct options *, const char *, struct gabion_error *),
                      struct gabion_error *error) {
    for (const char *word = value;;) {
        char text[64];
        size_t length = strcspn(word, ",");
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        if (!add(options, text, error))
            return false;
        if (word[length] == '\0')
            return true;
        word += length + 1;
    }
}

bool set_solver(struct options *options, const char *value, struct gabion_error *error) {
    options->solver_count = 0;
    return add_solver(options, value, error);
}

bool set_solvers(struct options *options, const char *value, struct gabion_error *error) {
    options->solver_count = 0;
    return take_list(options, value, add_solver, error);
}

bool set_tolerance(struct options *options, const char *value, struct gabion_error *error) {
    options->tolerance_count = 0;
    return add_tolerance(options, value, error);
}

bool set_tolerances(struct options *options, const char *value, struct gabion_error *error) {
    options->tolerance_count = 0;
    return take_list(options, value, add_tolerance, error);
}

bool set_local(struct options *options, const char *value, struct gabion_error *error) {
    int local = find_name(value, local_name, GABION_LOCAL_COUNT, "local solver", error);
    options->solver.local = (enum gabion_local)local;
    options->local_given = true;
    return local >= 0;
}

bool set_measure(struct options *options, const char *value, struct gabion_error *error) {
    int measure = find_name(value, measure_name, 2, "measure", error);
    options->solver.measure = (enum gabion_measure)measure;
    return measure >= 0;
}

bool set_max(struct options *options, const char *value, struct gabion_error *error) {
    int64_t number;
    if (!parse_whole(value, INT32_MAX, &number))
        return error_set(error, GABION_ERROR_INPUT, "--max needs a whole number >= 0, not \"%s\"",
                         value);
    options->solver.max_iterations = (int)number;
    return true;
}

bool set_relaxation(struct options *options, const char *value, struct gabion_error *error) {
    double *relaxation = &options->solver.relaxation;
    if (!number_parse(value, relaxation) || *relaxation <= 0 || *relaxation >= 2)
        return error_set(error, GABION_ERROR_INPUT,
                         "--relaxation needs a number between 0 and 2, not \"%s\"", value);
    return true;
}

bool set_cone(struct options *options, const char *value, struct gabion_error *error) {
    int kind = find_name(value, cone_name, 2, "cone", error);
    options->solver.cone.outer = kind == 1;
    return kind >= 0;
}

#define CONE_SIDES_MAX 64 // as in case files

bool set_cone_sides(struct options *options, const char *value, struct gabion_error *error) {
    int64_t number;
    if (!parse_whole(value, CONE_SIDES_MAX, &number) || number < 3)
        return error_set(error, GABION_ERROR_INPUT,
                         "--cone-sides needs a number from 3 to %d, not \"%s\"", CONE_SIDES_MAX,
                         value);
    options->solver.cone.sides = (int)number;
    return true;
}

bool set_cone_angle(struct options *options, const char *value, struct gabion_error *error) {
    double degrees;
    if (!number_parse(value, &degrees))
        return error_set(error, GABION_ERROR_INPUT,
                         "--cone-angle needs an angle in degrees, not \"%s\"", value);
    options->solver.cone.angle = degrees * 0.017453292519943295;
    return true;
}

#define FRAMES_MAX    10000
#define MEGABYTES_MAX 1000

bool set_frames(struct options *options, const char *value, struct gabion_error *error) {
    int64_t number;
    if (!parse_whole(value, FRAMES_MAX, &number) || number == 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "--frames needs a whole number, 1 to %d, not \"%s\"", FRAMES_MAX, value);
    options->frames = (int)number;
    return true;
}

bool set_size(struct options *options, const char *value, struct gabion_error *error) {
    int64_t number;
    if (!parse_whole(value, MEGABYTES_MAX, &number) || number == 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "--size needs a whole number of megabytes, 1 to %d, not \"%s\"",
                         MEGABYTES_MAX, value);
    options->megabytes = (int)number;
    return true;
}
