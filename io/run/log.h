// run.log: what a run did and when, for whoever opens the folder later. A line that cannot be
// written is dropped and never stops a run.
#ifndef IO_RUN_LOG_H
#define IO_RUN_LOG_H

#include "parallel/error.h"

struct run_log;

// Appends to the log of the folder. Lines for the log NULL are dropped.
struct run_log *log_open(const char *directory, struct gabion_error *error);
__attribute__((format(printf, 2, 3))) void log_line(struct run_log *log, const char *format, ...);
void log_close(struct run_log *log);

#endif
