// Reports the progress of a run on standard error: by one line that is rewritten on a terminal, by
// a new line every ten seconds elsewhere.
#ifndef IO_RUN_PROGRESS_H
#define IO_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/gabion.h"

struct progress {
    bool quiet, terminal;
    bool visible; // the terminal shows a line that will be rewritten
    int64_t target;
    int64_t last_step;
    double last_time; // s, of the last line
    double speed;     // steps/s, smoothed
};

void progress_start(struct progress *progress, int64_t step, int64_t target, bool quiet);
void progress_update(struct progress *progress, const struct gabion_world *world);
// Erases the line on the terminal, so that something else can be printed.
void progress_clear(struct progress *progress);

#endif
