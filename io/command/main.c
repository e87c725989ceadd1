#include <errno.h>
#include <string.h>

#include "engine/gabion.h"
#include "io/command/commands.h"
#include "io/file/file.h"
#include "io/run/interrupt.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

static bool (*const commands[VERB_COUNT])(const struct options *, struct gabion_error *) = {
    [VERB_RUN] = command_run,         [VERB_RESUME] = command_resume,
    [VERB_CHECK] = command_check,     [VERB_INFO] = command_info,
    [VERB_EXPLAIN] = command_explain, [VERB_SOLVE] = command_solve,
    [VERB_EXPORT] = command_export,   [VERB_COMPARE] = command_compare,
    [VERB_NEW] = command_new,         [VERB_STUDY] = command_study,
    [VERB_REPORT] = command_report,   [VERB_MEASURE] = command_measure,
};

static bool dispatch(const struct options *options, struct gabion_error *error) {
    if (options->help)
        options_print_help(options->verb, stdout);
    else if (options->version)
        printf("gabion %s\n", GABION_VERSION);
    else
        return commands[options->verb](options, error);
    return true;
}

// Ranks other than the first have part in a run and in nothing else, and print nothing.
static int run_program(int argc, char **argv) {
    struct options options;
    struct gabion_error error = {0};
    bool done = options_parse(&options, argc, (const char *const *)argv, &error);
    bool together = done && (options.verb == VERB_RUN || options.verb == VERB_RESUME) &&
                    !options.help && !options.version;
    bool first = ranks_me() == 0;
    if (together || ranks_leave_to_first())
        done = done && dispatch(&options, &error);
    options_free(&options);
    // A write failure is an error: a script that reads an empty summary must not see exit status 0.
    if (fflush(stdout) != 0 || ferror(stdout))
        done = error_set(&error, GABION_ERROR_RUN, "cannot write to standard output: %s",
                         strerror(errno));
    if (done)
        return 0;
    if (first)
        fprintf(stderr, "gabion: %s\n", error.text);
    return error.status == GABION_ERROR_INPUT ? 2 : 1;
}

int main(int argc, char **argv) {
    file_fill_standard();
    interrupt_spare_writes();
    memory_keep_freed();
    ranks_begin();
    return ranks_end(run_program(argc, argv));
}
