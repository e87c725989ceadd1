// The checkpoints of a run, and the case file that is theirs. Private to the runner.
#ifndef IO_RUN_RUNNER_CHECKPOINT_H
#define IO_RUN_RUNNER_CHECKPOINT_H

#include "io/run/runner_state.h"

// What resume --set changed is in case.yaml once a checkpoint has it: a run that is killed before
// goes on without it.
bool runner_settle_case(struct runner *runner, struct gabion_error *error);

// Returns whether more of the run would be lost than the user allows. The clock decides only when a
// checkpoint is written, never what a step does.
bool runner_checkpoint_due(const struct runner *runner);

// All ranks know which checkpoint is good, also where something failed after it.
bool runner_save(struct runner *runner, struct gabion_error *error);

#endif
