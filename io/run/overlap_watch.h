// Watches the overlaps of a run and words the warnings about them: one where it first matters, one
// at the end.
#ifndef IO_RUN_OVERLAP_WATCH_H
#define IO_RUN_OVERLAP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/gabion.h"

#define OVERLAP_TEXT_SIZE 640

struct overlap_watch {
    int64_t steps;    // with an overlap worth counting
    int64_t in_a_row; // the last so many of them
    bool warned;
    struct gabion_step_report worst; // the step with the largest overlap
    int64_t worst_step;
};

// Looks at the last step. Returns true with the text of a warning when there is one to give.
bool overlap_watch_step(struct overlap_watch *watch, const struct gabion_world *world,
                        char text[OVERLAP_TEXT_SIZE]);

// Returns true with the text of the final warning when overlap_watch_step has given the first one.
bool overlap_watch_end(const struct overlap_watch *watch, const struct gabion_world *world,
                       int64_t steps, char text[OVERLAP_TEXT_SIZE]);

#endif
