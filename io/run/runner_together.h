// What the ranks of a run do together, and what one of them does for all. Private to the runner.
#ifndef IO_RUN_RUNNER_TOGETHER_H
#define IO_RUN_RUNNER_TOGETHER_H

#include "io/run/runner_state.h"

// Output that runs out of memory must not end the program: what was computed is still to be saved.
bool runner_attempt(struct runner *runner, struct gabion_error *error,
                    bool (*work)(struct runner *runner, struct gabion_error *error));

// Writes files on the rank that does, and lets all ranks know whether that went well.
bool runner_write_alone(struct runner *runner, struct gabion_error *error,
                        bool (*work)(struct runner *runner, struct gabion_error *error));

// Writes a file that all ranks write together where they share what it holds; else on one rank.
bool runner_write_shared(struct runner *runner, struct gabion_error *error,
                         bool (*work)(struct runner *runner, struct gabion_error *error),
                         bool shared);

// Calls a function that gives all ranks what each has, which may take the memory of one of them.
bool runner_gather(struct runner *runner, struct gabion_error *error,
                   bool (*function)(struct gabion_world *, struct gabion_error *));

bool runner_gather_bodies(struct runner *runner, struct gabion_error *error);

#endif
