// The summary of the run at hand. Private to the runner.
#ifndef IO_RUN_RUNNER_SUMMARY_H
#define IO_RUN_RUNNER_SUMMARY_H

#include "io/run/runner_state.h"

// All ranks call this before one of them writes a summary.
void runner_note_hash(struct runner *runner);

void runner_print_summary(const struct runner *runner);

// Leaves the summary in the folder: with every checkpoint, so that one can look at a run that is at
// work or was killed, and at the end.
bool runner_write_summary(struct runner *runner, struct gabion_error *error);

#endif
