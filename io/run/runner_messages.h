// What the runner says to its user and to the log. Private to the runner.
#ifndef IO_RUN_RUNNER_MESSAGES_H
#define IO_RUN_RUNNER_MESSAGES_H

#include "io/run/runner_state.h"

// Writes a line to the log and, unless the run is quiet, to standard error.
__attribute__((format(printf, 2, 3))) void runner_report(struct runner *runner, const char *format,
                                                         ...);

// Warnings are shown even where the run is quiet: its results are doubtful.
void runner_report_warning(void *user, const char *text);

int runner_warnings(const struct runner *runner);

void runner_log_start(struct runner *runner);

void runner_report_sharing(struct runner *runner);

#endif
