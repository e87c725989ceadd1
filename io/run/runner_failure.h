// What is told of a run that failed: how far it came, what is safe and what is lost. Private to the
// runner.
#ifndef IO_RUN_RUNNER_FAILURE_H
#define IO_RUN_RUNNER_FAILURE_H

#include "io/run/runner_state.h"

void runner_explain_failure(struct runner *runner, struct gabion_error *error);

// Ends all ranks where memory ran out on this one: the others are waiting for it within the step.
_Noreturn void runner_leave_others(struct runner *runner, struct gabion_error *error);

#endif
