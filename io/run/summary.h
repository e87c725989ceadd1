// The `key: value` lines that a run prints at its end, for scripts to read, and leaves in its
// folder.
#ifndef IO_RUN_SUMMARY_H
#define IO_RUN_SUMMARY_H

#include <stdio.h>

#include "engine/gabion.h"

#define SUMMARY_RUNNING "running"

// Seconds that this command spent on files.
struct output_times {
    double all;    // of the run, all its waiting included
    double waited; // for pictures and rows that were being written
    double beside; // of the threads that write them while steps are computed
};

struct summary {
    const char *status;     // SUMMARY_RUNNING, completed, at-rest, collapsed, interrupted, stopped
    const char *directory;  // of the results
    double wall_time;       // s, of this command
    double wall_time_total; // s, with the runs that it continues
    uint64_t state_hash;
    int64_t contact_sweeps; // that the run had done before this command
    bool collapsed;         // name the body that fell
    int warnings;           // of this command
    struct output_times output_times;
};

// Writes the same lines, and those about the machine, to summary.txt of the folder.
bool summary_write(const struct summary *summary, const struct gabion_world *world,
                   struct gabion_error *error);
// Returns whether only some runs print a number of this name, such as those that collapse.
bool summary_comes_and_goes(const char *key);
void summary_print(const struct summary *summary, const struct gabion_world *world, FILE *stream);

#endif
