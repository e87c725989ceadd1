#include "io/run/runner_failure.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "io/run/log.h"
#include "parallel/ranks.h"

__attribute__((format(printf, 2, 3))) static void append(struct gabion_error *error,
                                                         const char *format, ...) {
    size_t length = strlen(error->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + length, sizeof error->text - length, format, arguments);
    va_end(arguments);
}

// The run has gone on from a step while its pictures were written, to the next one at most.
static void explain_broken(const struct runner *runner, struct gabion_error *error) {
    int64_t first = runner->first_lost, last = runner->last_lost;
    if (first == NO_STEP)
        first = last = runner->last_step;
    append(error, "\n  lost: what the file named above should hold of step %" PRId64, first);
    if (last > first)
        append(error, ", and its like of step %" PRId64, last);
}

void runner_explain_failure(struct runner *runner, struct gabion_error *error) {
    const char *directory = runner->request->directory;
    int64_t step = runner->last_step, kept = runner->checkpoint_step;
    error_context(error, "after step %" PRId64 " (t = %.6g s)", step, runner->last_time);
    error->status = GABION_ERROR_RUN;
    if (kept == NO_CHECKPOINT)
        append(error, "\n  lost: %" PRId64 " steps; there is no checkpoint in %s",
               step - runner->start_step, directory);
    else {
        append(error, "\n  safe: the state of step %" PRId64 ", by its checkpoint in %s", kept,
               directory);
        if (kept < step)
            append(error, "\n  lost: the %" PRId64 " steps after it", step - kept);
        else if (runner->series_broken && runner_rows_to_keep(runner) &&
                 runner->first_lost == NO_STEP)
            append(error, "\n  lost: nothing; the checkpoint has the rows that the history lacks");
        else if (runner->series_broken)
            explain_broken(runner, error);
        append(error, "\n  When the cause is removed, continue with: gabion resume %s", directory);
    }
    log_line(runner->log, "stopped: %s", error->text);
}

_Noreturn void runner_leave_others(struct runner *runner, struct gabion_error *error) {
    runner_explain_failure(runner, error);
    ranks_abort(error->text);
}
