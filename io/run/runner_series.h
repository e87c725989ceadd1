// The series of a run: history, pictures and frames, from opening to closing. Private to the
// runner.
#ifndef IO_RUN_RUNNER_SERIES_H
#define IO_RUN_RUNNER_SERIES_H

#include "io/run/runner_state.h"

bool runner_open_series(struct runner *runner, struct gabion_error *error);

// The ranks that have no series write pieces of its frames.
bool runner_open_beside(struct runner *runner, struct gabion_error *error);

struct wanted runner_wanted_by_step(const struct runner *runner);

// The row and the pictures of the last step where none of them is due: the end of a run is what one
// looks at first. What a world just restored would show is on disk already, with the contacts that
// it has lost.
struct wanted runner_wanted_at_end(const struct runner *runner);

// Writes what is wanted of a step. A frame that can be written is, also where a picture cannot.
bool runner_write_wanted(struct runner *runner, struct wanted wanted, struct gabion_error *error);

bool runner_flush_series(struct runner *runner, struct gabion_error *error);

// Pieces that were written on other machines reach the disk from there.
bool runner_sync_beside(struct runner *runner, struct gabion_error *error);

// Returns false if what was written last may not be on disk.
bool runner_close_series(struct runner *runner, struct gabion_error *error);

#endif
