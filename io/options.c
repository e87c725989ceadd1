#include "io/options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/number.h"
#include "parallel/memory.h"

struct verb_row {
    const char *name, *target;
    bool target_required;
    const char *summary;
    const char *text;
};

static const struct verb_row verbs[VERB_COUNT] = {
    [VERB_RUN] = {"run", "CASE", true, "run a case file",
                  "Checks the case, runs it to time.end and writes history.csv, run.log, ParaView\n"
                  "series and checkpoints into a folder; a checkpoint of the last step is always\n"
                  "left, also on Ctrl-C. Ends with `key: value` lines on standard output.\n"},
    [VERB_RESUME] = {"resume", "DIR|CHECKPOINT", true, "go on from a checkpoint",
                     "Goes on from the newest good checkpoint of a folder to time.end, with the\n"
                     "bits of a run that never stopped. A folder is continued in place; with -o a\n"
                     "new one is started from the checkpoint.\n"},
    [VERB_CHECK] = {"check", "CASE", true, "check a case without running it",
                    "Reads the case, builds its bodies and reports their number, the memory a run\n"
                    "needs, the largest overlap at the start, and units that look wrong.\n"},
    [VERB_INFO] = {"info", "FILE|DIR", false, "describe this machine, a case or a checkpoint",
                   "Without a file: version, compiler, processor. With a case or a checkpoint:\n"
                   "what it holds. With a folder: its newest good checkpoint.\n"},
    [VERB_EXPLAIN] = {"explain", "KEY", false, "explain the keys of case files",
                      "Explains one key (solver.tolerance), a section (solver), or all of them.\n"},
};

#define BIT(verb) (1u << (verb))

typedef bool (*option_setter)(struct options *options, const char *value, struct error *error);

static bool parse_whole(const char *value, int64_t high, int64_t *number) {
    char *end;
    errno = 0;
    long long parsed = strtoll(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || parsed < 0 || parsed > high)
        return false;
    *number = parsed;
    return true;
}

static bool set_output(struct options *options, const char *value, struct error *error) {
    if (value[0] == '\0')
        return error_set(error, ERROR_INPUT, "-o needs the name of a folder");
    options->output = value;
    return true;
}

#define THREADS_MAX 4096

static bool set_threads(struct options *options, const char *value, struct error *error) {
    int64_t number;
    if (!parse_whole(value, THREADS_MAX, &number))
        return error_set(error, ERROR_INPUT,
                         "-j needs a number of threads, 1 to %d (0: one per core), not \"%s\"",
                         THREADS_MAX, value);
    options->threads = (int)number;
    return true;
}

static bool set_steps(struct options *options, const char *value, struct error *error) {
    if (!parse_whole(value, INT64_C(1) << 53, &options->steps))
        return error_set(error, ERROR_INPUT, "--steps needs a whole number >= 0, not \"%s\"",
                         value);
    return true;
}

static bool set_until(struct options *options, const char *value, struct error *error) {
    if (!number_parse(value, &options->until) || options->until < 0.0)
        return error_set(error, ERROR_INPUT, "--until needs a time in seconds, not \"%s\"", value);
    return true;
}

static bool set_override(struct options *options, const char *value, struct error *error) {
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value)
        return error_set(error, ERROR_INPUT,
                         "--set needs key=value, for example solver.tolerance=1e-8, not \"%s\"",
                         value);
    options->overrides = memory_resize(options->overrides, (size_t)options->override_count + 1,
                                       sizeof *options->overrides, "--set arguments");
    options->overrides[options->override_count++] = value;
    return true;
}

static bool set_force(struct options *options, const char *value, struct error *error) {
    (void)value, (void)error;
    return options->force = true;
}

static bool set_quiet(struct options *options, const char *value, struct error *error) {
    (void)value, (void)error;
    return options->quiet = true;
}

static bool set_markdown(struct options *options, const char *value, struct error *error) {
    (void)value, (void)error;
    return options->markdown = true;
}

static bool set_help(struct options *options, const char *value, struct error *error) {
    (void)value, (void)error;
    return options->help = true;
}

static bool set_version(struct options *options, const char *value, struct error *error) {
    (void)value, (void)error;
    return options->version = true;
}

struct option_row {
    const char *name;
    char letter;          // 0: none
    const char *argument; // NULL: a flag
    unsigned verbs;
    const char *help;
    option_setter set;
};

static const struct option_row option_rows[] = {
    {"output", 'o', "DIR", BIT(VERB_RUN) | BIT(VERB_RESUME),
     "folder for the results (run: default out/<case name>)", set_output},
    {"threads", 'j', "N", BIT(VERB_RUN) | BIT(VERB_RESUME),
     "threads (default, and 0: one per core); the results do not depend on it", set_threads},
    {"steps", 0, "N", BIT(VERB_RUN) | BIT(VERB_RESUME),
     "run exactly N steps (resume: N more), whatever time.end and stop say", set_steps},
    {"until", 0, "T", BIT(VERB_RESUME), "run to this time instead of time.end", set_until},
    {"set", 0, "KEY=VALUE", BIT(VERB_RUN) | BIT(VERB_RESUME) | BIT(VERB_CHECK) | BIT(VERB_INFO),
     "replace one value of the case file; may be repeated", set_override},
    {"force", 0, NULL, BIT(VERB_RUN), "remove the results of an earlier run from the folder first",
     set_force},
    {"quiet", 'q', NULL, BIT(VERB_RUN) | BIT(VERB_RESUME), "no progress, only the summary",
     set_quiet},
    {"markdown", 0, NULL, BIT(VERB_EXPLAIN), "as a page of the manual", set_markdown},
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

static const struct option_row *find_long(const char *name, size_t length) {
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strlen(option_rows[i].name) == length &&
            strncmp(option_rows[i].name, name, length) == 0)
            return &option_rows[i];
    return NULL;
}

static const struct option_row *find_short(char letter) {
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].letter != 0 && option_rows[i].letter == letter)
            return &option_rows[i];
    return NULL;
}

static bool refuse_option(enum verb verb, const char *argument, const struct option_row *row,
                          struct error *error) {
    char program[64], near[128], word[64];
    program_of(verb, program);
    if (row != NULL)
        return error_set(error, ERROR_INPUT, "%s has no option %s; see %s --help", program,
                         argument, program);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argument, "="), argument);
    struct suggestion suggestion = suggestion_start(word);
    char names[OPTION_COUNT][32];
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        snprintf(names[i], sizeof names[i], "--%s", option_rows[i].name);
        if (option_rows[i].verbs & BIT(verb))
            suggestion_consider(&suggestion, names[i]);
    }
    return error_set(error, ERROR_INPUT, "unknown option %s%s (see %s --help)", word,
                     suggestion_print(&suggestion, near, sizeof near), program);
}

// One option at argv[*at]; its value may be the next argument.
static bool take_option(struct options *options, int argc, const char *const *argv, int *at,
                        struct error *error) {
    const char *argument = argv[*at], *value = NULL;
    const struct option_row *row;
    if (argument[1] == '-') {
        size_t length = strcspn(argument + 2, "=");
        row = find_long(argument + 2, length);
        value = argument[2 + length] == '=' ? argument + 3 + length : NULL;
    } else {
        row = find_short(argument[1]);
        value = argument[2] != '\0' ? argument + 2 : NULL;
    }
    if (row == NULL || !(row->verbs & BIT(options->verb)))
        return refuse_option(options->verb, argument, row, error);
    if (row->argument == NULL && value != NULL)
        return error_set(error, ERROR_INPUT, "--%s takes no value: %s", row->name, argument);
    if (row->argument != NULL && value == NULL) {
        if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
            return error_set(error, ERROR_INPUT, "%s needs a value: %s %s", argument, argument,
                             row->argument);
        value = argv[++*at];
    }
    return row->set(options, value, error);
}

static bool take_verb(struct options *options, const char *name, struct error *error) {
    struct suggestion suggestion = suggestion_start(name);
    char near[128];
    for (int verb = 0; verb < VERB_COUNT; verb++) {
        if (strcmp(verbs[verb].name, name) == 0) {
            options->verb = (enum verb)verb;
            return true;
        }
        suggestion_consider(&suggestion, verbs[verb].name);
    }
    return error_set(error, ERROR_INPUT, "unknown command \"%.60s\"%s (see gabion --help)", name,
                     suggestion_print(&suggestion, near, sizeof near));
}

static bool take_target(struct options *options, const char *argument, struct error *error) {
    if (options->target != NULL)
        return error_set(
            error, ERROR_INPUT, "gabion %s takes one %s: \"%s\" and then \"%s\" are too many",
            verbs[options->verb].name, verbs[options->verb].target, options->target, argument);
    options->target = argument;
    return true;
}

static bool check_complete(const struct options *options, struct error *error) {
    if (options->help || options->version)
        return true;
    if (options->verb == VERB_NONE)
        return error_set(error, ERROR_INPUT, "a command is missing; see gabion --help");
    const struct verb_row *row = &verbs[options->verb];
    if (row->target_required && options->target == NULL)
        return error_set(error, ERROR_INPUT, "gabion %s needs a %s; see gabion %s --help",
                         row->name, row->target, row->name);
    if (options->steps >= 0 && !isnan(options->until))
        return error_set(error, ERROR_INPUT, "give --steps or --until, not both");
    return true;
}

bool options_parse(struct options *options, int argc, const char *const *argv,
                   struct error *error) {
    bool only_targets = false;
    *options = (struct options){.verb = VERB_NONE, .steps = -1, .until = NAN};
    for (int at = 1; at < argc; at++) {
        const char *argument = argv[at];
        bool taken;
        if (!only_targets && strcmp(argument, "--") == 0)
            taken = only_targets = true;
        else if (!only_targets && argument[0] == '-' && argument[1] != '\0')
            taken = take_option(options, argc, argv, &at, error);
        else if (options->verb == VERB_NONE)
            taken = take_verb(options, argument, error);
        else
            taken = take_target(options, argument, error);
        if (!taken)
            return false;
    }
    return check_complete(options, error);
}

void options_free(struct options *options) {
    memory_free(options->overrides);
    options->overrides = NULL;
}

static void print_options(enum verb verb, FILE *stream) {
    fprintf(stream, "\noptions:\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        char left[64], letter[8] = "    ";
        if (!(row->verbs & BIT(verb)))
            continue;
        if (row->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        fprintf(stream, "  %-21s  %s\n", left, row->help);
    }
}

void options_print_help(enum verb verb, FILE *stream) {
    if (verb == VERB_NONE) {
        fprintf(stream, "usage: gabion COMMAND ...\n\n"
                        "Granular media and dry masonry by Non Smooth Contact Dynamics.\n\n"
                        "commands:\n");
        for (int i = 0; i < VERB_COUNT; i++)
            fprintf(stream, "  %-8s %-15s %s\n", verbs[i].name, verbs[i].target, verbs[i].summary);
        fprintf(stream, "\n`gabion COMMAND --help` tells more.\n");
    } else {
        const struct verb_row *row = &verbs[verb];
        fprintf(stream,
                row->target_required ? "usage: gabion %s %s [options]\n\n%s"
                                     : "usage: gabion %s [%s] [options]\n\n%s",
                row->name, row->target, row->text);
    }
    print_options(verb, stream);
    fprintf(stream, "\nExit status: 0 fine, 1 the run failed or did not converge as asked, 2 bad "
                    "usage or input.\n");
}
