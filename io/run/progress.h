// What a person sees of a run on standard error: a live line on a terminal, a plain line now and
// then elsewhere.
#ifndef IO_RUN_PROGRESS_H
#define IO_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/gabion.h"

struct progress {
    bool quiet, terminal;
    bool visible; // a live line stands on the terminal
    int64_t target;
    int64_t last_step;
    double last_time; // s, of the last line
    double speed;     // steps/s, smoothed
};

void progress_start(struct progress *progress, int64_t step, int64_t target, bool quiet);
void progress_update(struct progress *progress, const struct gabion_world *world);
// Takes the live line away, so that something else can be printed.
void progress_clear(struct progress *progress);

#endif
