// What the files of the runner share: the run at hand. Private to the runner.
#ifndef IO_RUN_RUNNER_STATE_H
#define IO_RUN_RUNNER_STATE_H

#include "engine/gabion.h"
#include "io/case/case.h"
#include "io/run/progress.h"
#include "io/run/runner.h"
#include "io/run/summary.h"
#include "io/vtk/vtk.h"
#include "parallel/clock.h"
#include "parallel/ranks.h"

#define NO_CHECKPOINT (-1)
#define NO_STEP       (-1)

// What a step leaves in the series. All ranks want the same.
struct wanted {
    bool row, picture, frame;
};

struct runner {
    const struct runner_request *request;
    struct gabion_world *world;
    struct gabion_settings settings;
    const struct output_settings *output;
    struct history *history; // NULL: switched off
    struct vtk_series *vtk;
    struct background *background; // writes pictures; NULL: they are written at once
    char *rows_left;               // that could not be written to the history; NULL: none
    struct vtk_reference reference;
    char reference_text[VTK_REFERENCE_TEXT];
    struct run_log *log;
    struct progress progress;
    double started; // clock
    int64_t start_step;
    int64_t start_contact_sweeps;
    int64_t last_step; // the last complete one; a world that is broken cannot say it any more
    double last_time;
    int64_t checkpoint_step; // of the newest checkpoint known to be good
    double checkpoint_time;  // clock, when it was written or read
    const char *status;
    uint64_t hash;        // of the state, when runner_note_hash was called last
    struct wanted wanted; // what the next call of write_series writes
    struct output_times output_times;
    double pictures_beside, history_beside; // seconds of the threads that write them
    bool case_settled;                      // case.yaml is that of the checkpoints
    bool stop_forgotten;                    // forget_stop was called, or there was no stop
    bool begun;                             // steps are being done, or were
    bool series_broken;   // the last step is complete, but some of its output could not be written
    int64_t picture_step; // whose pictures were handed to the writing thread last
    int64_t first_lost, last_lost; // steps whose pictures could not be written, or NO_STEP
    bool unsynced;                 // pictures or frames may not have reached the disk
};

static inline double runner_wall_time(const struct runner *runner) {
    return clock_seconds() - runner->started;
}

static inline int64_t runner_step(const struct runner *runner) {
    return gabion_step_number(runner->world);
}

// Rank 0 writes the files of the run and all messages; the others compute the same and write
// nothing.
static inline bool runner_is_writer(void) { return ranks_me() == 0; }

// Returns the rows that a checkpoint is to keep; NULL: none. Ranks write one together, and only one
// of them knows of rows.
static inline const char *runner_rows_to_keep(const struct runner *runner) {
    return ranks_count() == 1 ? runner->rows_left : NULL;
}

static inline bool runner_falls_on(int64_t step, int every) {
    return every > 0 && step % every == 0;
}

static inline bool runner_due(const struct runner *runner, int every) {
    return runner_falls_on(runner_step(runner), every);
}

#endif
