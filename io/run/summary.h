// The `key: value` lines that end a run: scripts read them.
#ifndef IO_RUN_SUMMARY_H
#define IO_RUN_SUMMARY_H

#include <stdio.h>

#include "engine/world/world.h"

struct summary {
    const char *status;              // completed, at-rest, interrupted, stopped
    const char *directory;           // of the results
    double wall_time;                // s, of this command
    double wall_time_total;          // with the runs it resumed
    struct gabion_run_report before; // what the run had done when this command took over
};

void summary_print(const struct summary *summary, const struct gabion_world *world, FILE *stream);

#endif
