// history.csv: one row per step (or every N steps); the columns are the numbers of the step, then
// the probes.
#ifndef IO_RUN_HISTORY_H
#define IO_RUN_HISTORY_H

#include "engine/gabion.h"
#include "parallel/error.h"

struct history;

// Starts DIR/history.csv, or (resume) continues it after dropping the rows beyond the world's step.
// `changes` is the number of changes that resume --set has made so far, a column. `left` are rows
// of the run so far that are not in the file (history_close), or NULL. Where the rows before have
// other probes, the file of then is kept as history-<step>.csv, and columns that it does not have
// are nan in its rows.
struct history *history_open(const char *directory, const struct gabion_world *world, bool resume,
                             int changes, const char *left, struct gabion_error *error);
// Takes the row of the step at which the run was resumed out of the file, if there is one. Only
// before a row is added.
bool history_drop_resumed(struct history *history, struct gabion_error *error);
// Lets another thread print and write the rows, a tenth of a second later at most. Without this
// call, or where the system has no thread, each row is in the file when history_write returns.
void history_write_beside(struct history *history);
// Adds a row. Returns false where this or the writing of rows before has failed.
bool history_write(struct history *history, const struct gabion_world *world, double wall_time,
                   struct gabion_error *error);
// Waits until all rows are on the disk.
bool history_flush(struct history *history, struct gabion_error *error);
// Closes the file, after history_flush. Where that has failed, *left are the rows that are not in
// the file, for a checkpoint to keep, else NULL; free with memory_free.
bool history_close(struct history *history, char **left, struct gabion_error *error);
// Seconds that the other thread has worked. Exact after history_flush.
double history_seconds_beside(const struct history *history);

#endif
