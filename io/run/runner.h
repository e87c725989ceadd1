// The loop of `run` and `resume`: does the steps, writes series and checkpoints, shows progress,
// obeys signals and prints the summary.
#ifndef IO_RUN_RUNNER_H
#define IO_RUN_RUNNER_H

#include "io/run/scene.h"

struct runner_request {
    struct scene *scene;
    const char *directory; // exists, and the caller holds its lock
    bool resume;           // continue the files that are in the folder
    int64_t target;        // step number to reach
    bool may_stop;         // obey `stop` of the case
    bool quiet;
    bool strict;           // fail where a watch warned or a step of the run is unsolved
    double wall_time;      // s, that the run took before this command
    const char *parent;    // file whose state the run began with, or ""
    const char *reference; // of displacements, from that checkpoint; NULL: the run begins here
    const char *rows;      // of history.csv, from that checkpoint; NULL: none
};

// Prints the summary on standard output, also when a step failed; not when the run could not start.
bool runner_run(const struct runner_request *request, struct gabion_error *error);

#endif
