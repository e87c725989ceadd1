#include <inttypes.h>

#include "io/command/commands.h"
#include "io/fclib/fclib.h"
#include "io/file/file.h"
#include "io/command/solving.h"
#include "io/run/interrupt.h"
#include "parallel/memory.h"
#include "parallel/stop.h"

#define DEFAULT_TOLERANCE 1e-8

struct record {
    int iteration;
    struct contact_error error;
};

struct history {
    struct record *records;
    size_t count, capacity;
};

// Records are kept in memory: the time reported is that of solving, not of a disk.
static void record_error(void *context, int iteration, const struct contact_error *error) {
    struct history *history = context;
    history->records = memory_reserve(history->records, &history->capacity, history->count + 1,
                                      sizeof *history->records, "history of a solver");
    history->records[history->count++] = (struct record){iteration, *error};
}

static bool write_history(const char *path, const struct history *history,
                          struct gabion_error *error) {
    struct safe_file file;
    if (!safe_file_open(&file, path, error))
        return false;
    fprintf(file.stream, "iteration,residual-scaled,residual-fclib\n");
    for (size_t k = 0; k < history->count; k++) {
        const struct record *record = &history->records[k];
        fprintf(file.stream, "%d,%.17g,%.17g\n", record->iteration, record->error.scaled,
                record->error.fclib);
    }
    return safe_file_commit(&file, error);
}

static void print_answer(const struct solving *solving, struct solver_choice choice,
                         const struct solver_settings *settings,
                         const struct contact_problem *problem) {
    printf("solver: %s\n", panel_name(choice.method));
    if (solving_has_local(choice.method))
        printf("local: %s\n", panel_local_name(choice.local));
    printf("status: %s\n", panel_status(solving->result.status));
    printf("residual: %.6g\n", solving_measure(settings, &solving->error));
    printf("residual-scaled: %.6g\nresidual-fclib: %.6g\n", solving->error.scaled,
           solving->error.fclib);
    printf("iterations: %d\ntime: %.6g\ncontacts: %" PRId32 "\n", solving->result.iterations,
           solving->seconds, problem->contacts);
    if (solving->result.finished != choice.method)
        printf("finished-by: %s\n", panel_name(solving->result.finished));
    if (solving->result.note[0] != '\0')
        printf("note: %s\n", solving->result.note);
}

static void report_unsolved(const struct solving *solving, const struct solver_settings *settings,
                            const struct options *options, struct gabion_error *error) {
    const struct solver_result *result = &solving->result;
    error_set(error, GABION_ERROR_RUN,
              "%s: not solved: %s after %d iterations, residual %.3g (asked: %.3g)%s%s%s",
              options->target, panel_status(result->status), result->iterations,
              solving_measure(settings, &solving->error), settings->tolerance,
              result->note[0] != '\0' ? ": " : "", result->note,
              options->save && result->status != SOLVER_REJECTED ? "; what was found is in the file"
                                                                 : "");
}

static bool stops(void *unused) {
    (void)unused;
    return interrupt_requested();
}

static bool solve(struct contact_problem *problem, struct solver_choice choice,
                  const struct options *options, struct gabion_error *error) {
    struct history history = {0};
    struct solver_settings settings = options->solver;
    settings.tolerance = options->tolerance_count > 0 ? options->tolerances[0] : DEFAULT_TOLERANCE;
    if (options->history != NULL) {
        settings.record = record_error;
        settings.context = &history;
    }
    double *start = NULL;
    if (options->warm && (start = solving_start(options->target, problem, error)) == NULL)
        return false;
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "impulses");
    struct stop stop = {.asked = stops};
    stop_use(&stop);
    struct solving solving = solving_run(problem, choice, &settings, start, r);
    stop_use(NULL);
    memory_free(start);
    if (stop.seen)
        snprintf(solving.result.note, sizeof solving.result.note, "stopped by a signal");
    print_answer(&solving, choice, &settings, problem);
    bool save = options->save && solving.result.status != SOLVER_REJECTED; // else nothing to store
    bool written = (options->history == NULL || write_history(options->history, &history, error)) &&
                   (!save || fclib_save_solution(options->target, problem, r, error));
    memory_free(history.records);
    memory_free(r);
    if (written && !solving.solved)
        report_unsolved(&solving, &settings, options, error);
    return written && solving.solved;
}

static struct solver_choice choose(const struct options *options) {
    struct solver_choice choice = {.method = GABION_METHOD_AUTO};
    if (options->solver_count > 0)
        choice = options->solvers[0];
    if (options->local_given)
        choice.local = options->solver.local;
    return choice;
}

bool command_solve(const struct options *options, struct gabion_error *error) {
    struct solver_choice choice = choose(options);
    struct workers workers;
    interrupt_install();
    if (!solving_check(choice, error) || !workers_start(&workers, options->threads, error))
        return false;
    struct contact_problem *problem = solving_read(options->target, workers.team, error);
    bool solved = problem != NULL && solve(problem, choice, options, error);
    contact_problem_free(problem);
    workers_stop(&workers);
    return solved;
}
