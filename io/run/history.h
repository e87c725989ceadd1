// history.csv: one row per step (or every N steps); the columns are the numbers of the step, then
// the probes.
#ifndef IO_RUN_HISTORY_H
#define IO_RUN_HISTORY_H

#include "engine/gabion.h"
#include "parallel/error.h"

struct history;

// Starts DIR/history.csv, or (resume) continues it after dropping the rows beyond the world's step.
// `changes` is the number of changes that resume --set has made so far, a column. Where the rows
// before have other probes, the file of then is kept as history-<step>.csv, and columns that it
// does not have are nan in its rows.
struct history *history_open(const char *directory, const struct gabion_world *world, bool resume,
                             int changes, struct gabion_error *error);
// Takes the row of the step at which the run was resumed out of the file, if there is one. Only
// before a row is added.
bool history_drop_resumed(struct history *history, struct gabion_error *error);
bool history_write(struct history *history, const struct gabion_world *world, double wall_time,
                   struct gabion_error *error);
// Waits until all rows are on the disk. Each row is handed to the system as it is written.
bool history_flush(struct history *history, struct gabion_error *error);
bool history_close(struct history *history, struct gabion_error *error);

#endif
