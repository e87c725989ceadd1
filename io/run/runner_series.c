#include "io/run/runner_series.h"

#include "engine/contact/shared.h"
#include "engine/probe/probe.h"
#include "engine/world/world.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/run/history.h"
#include "io/run/runner_together.h"
#include "io/vtk/vtk.h"
#include "parallel/background.h"
#include "parallel/clock.h"
#include "parallel/ranks.h"

bool runner_open_series(struct runner *runner, struct gabion_error *error) {
    const struct runner_request *request = runner->request;
    // First, because to continue a series is to drop what lies beyond the checkpoint.
    if (request->resume && runner->output->vtk_every > 0 &&
        !vtk_check_names(request->directory, error))
        return false;
    if (request->resume && !checkpoint_set_aside(request->directory, runner_step(runner), error))
        return false;
    if (runner->output->history_every > 0) {
        runner->history = history_open(request->directory, runner->world, request->resume,
                                       request->scene->changes, request->rows, error);
        if (runner->history == NULL)
            return false;
        // Ranks write a checkpoint together: none could keep rows that one of them has left.
        if (ranks_count() == 1)
            history_write_beside(runner->history);
    }
    if (runner->output->vtk_every > 0) {
        runner->vtk = vtk_open(request->directory, runner->world, request->resume,
                               runner->output->blocks, error);
        if (runner->vtk == NULL)
            return false;
        vtk_refer(runner->vtk, &runner->reference);
        runner->background = background_create();
        vtk_write_beside(runner->vtk, runner->background);
    }
    if (request->resume)
        folder_drop_frames(request->directory, runner_step(runner) + 1);
    return true;
}

bool runner_open_beside(struct runner *runner, struct gabion_error *error) {
    if (!runner_is_writer() && runner->output->vtk_every > 0)
        runner->vtk = vtk_open_beside(runner->request->directory, runner->world, error);
    return ranks_agree(error);
}

// Pictures are written beside the steps that follow. Where this fails, the run ends as if it had
// failed at once: the picture that is due is still written if possible, and the messages name the
// steps whose pictures are lost.

static void note_lost(struct runner *runner, int64_t step) {
    if (runner->first_lost == NO_STEP)
        runner->first_lost = step;
    runner->last_lost = step;
    runner->series_broken = true;
}

// Returns false where the pictures that were handed over last could not be written. Waits for them,
// or looks whether they are done.
static bool settle_pictures(struct runner *runner, bool wait, struct gabion_error *error) {
    if (runner->background == NULL)
        return true;
    double begin = clock_seconds();
    bool written = wait ? background_wait(runner->background, error)
                        : background_check(runner->background, error);
    runner->output_times.waited += clock_seconds() - begin;
    runner->pictures_beside = background_seconds(runner->background);
    if (!written)
        note_lost(runner, runner->picture_step);
    return written;
}

static bool write_vtk(struct runner *runner, struct gabion_error *error) {
    struct gabion_error second = {0};
    bool before = settle_pictures(runner, true, error);
    runner->unsynced = true;
    runner->picture_step = runner_step(runner);
    bool now = vtk_write(runner->vtk, runner->world, before ? error : &second);
    if (!now)
        note_lost(runner, runner_step(runner));
    return before && now;
}

static bool write_frame(struct runner *runner, struct gabion_error *error) {
    runner->unsynced = true;
    if (frame_write(runner->request->directory, runner->world, error))
        return true;
    note_lost(runner, runner_step(runner));
    return false;
}

// After this everything that was written is on disk, also where the machine loses its power.
static bool sync_pictures(struct runner *runner, struct gabion_error *error) {
    if (!settle_pictures(runner, true, error))
        return false;
    if (runner->unsynced && !file_sync_all(runner->request->directory, error))
        return false;
    runner->unsynced = false;
    return true;
}

// Takes what the stop that this command goes on from left out of step with the series out of them,
// so that a run has the same series with and without a stop. Only once the run has gone on: until
// then it is the last state.
static bool forget_stop(struct runner *runner, struct gabion_error *error) {
    const struct output_settings *output = runner->output;
    int64_t step = runner->start_step;
    runner->stop_forgotten = true;
    if (runner->history && !runner_falls_on(step, output->history_every) &&
        !history_drop_resumed(runner->history, error))
        return false;
    if (runner->vtk && !runner_falls_on(step, output->vtk_every) &&
        !vtk_drop(runner->vtk, step, error))
        return false;
    if (output->frames_every > 0 && !runner_falls_on(step, output->frames_every))
        folder_drop_frames(runner->request->directory, step);
    return true;
}

struct wanted runner_wanted_by_step(const struct runner *runner) {
    const struct output_settings *output = runner->output;
    return (struct wanted){.row = runner_due(runner, output->history_every),
                           .picture = runner_due(runner, output->vtk_every),
                           .frame = runner_due(runner, output->frames_every)};
}

struct wanted runner_wanted_at_end(const struct runner *runner) {
    const struct output_settings *output = runner->output;
    struct wanted by_step = runner_wanted_by_step(runner);
    bool stepped = runner_step(runner) > runner->start_step;
    bool shown = stepped || !runner->request->resume;
    return (struct wanted){.row = stepped && output->history_every > 0 && !by_step.row,
                           .picture = shown && output->vtk_every > 0,
                           .frame = shown && output->frames_every > 0 && !by_step.frame};
}

// Rows and pictures. Goes on where rows or pictures of an earlier step could not be written: this
// step is complete, and a resumed run does not write it again.
static bool write_series(struct runner *runner, struct gabion_error *error) {
    double wall = runner->request->wall_time + runner_wall_time(runner);
    struct gabion_error second = {0};
    if (!runner->stop_forgotten && runner_step(runner) > runner->start_step &&
        !forget_stop(runner, error))
        return false;
    bool written =
        !runner->wanted.row || history_write(runner->history, runner->world, wall, error);
    struct gabion_error *other = written ? error : &second;
    bool pictured =
        runner->wanted.picture ? write_vtk(runner, other) : settle_pictures(runner, false, other);
    return written && pictured;
}

// Probes of contacts and interfaces of masonry look at all contacts at once.
static bool needs_contacts(const struct runner *runner) {
    const struct wanted *wanted = &runner->wanted;
    return (wanted->row && probes_read_contacts(runner->world)) ||
           ((wanted->picture || wanted->frame) && runner->world->bodies.polyhedron_count > 0);
}

static bool write_pieces(struct runner *runner, struct gabion_error *error) {
    runner->unsynced = true;
    return vtk_write_pieces(runner->vtk, runner->world, error);
}

static bool needs_bodies(const struct runner *runner) {
    const struct wanted *wanted = &runner->wanted;
    return (wanted->row && runner->world->probes->count > 0) || wanted->picture || wanted->frame;
}

bool runner_write_wanted(struct runner *runner, struct wanted wanted, struct gabion_error *error) {
    struct gabion_error second = {0};
    runner->wanted = wanted;
    if (needs_bodies(runner) && !runner_gather_bodies(runner, error))
        return false;
    if (needs_contacts(runner) && !runner_gather(runner, error, gabion_gather))
        return false;
    bool shared = contacts_are_shared(runner->world->contacts);
    if (shared && wanted.picture && !runner_write_shared(runner, error, write_pieces, shared))
        return false;
    bool written = runner_write_alone(runner, error, write_series);
    bool framed = !wanted.frame ||
                  runner_write_shared(runner, written ? error : &second, write_frame, shared);
    return written && framed;
}

static bool flush_history(struct runner *runner, struct gabion_error *error) {
    if (runner->history == NULL)
        return true;
    double begin = clock_seconds();
    bool flushed = history_flush(runner->history, error);
    runner->output_times.waited += clock_seconds() - begin;
    runner->history_beside = history_seconds_beside(runner->history);
    return flushed;
}

bool runner_flush_series(struct runner *runner, struct gabion_error *error) {
    return sync_pictures(runner, error) && flush_history(runner, error);
}

bool runner_sync_beside(struct runner *runner, struct gabion_error *error) {
    struct gabion_error own = {0};
    if (!runner_is_writer() && runner->unsynced && ranks_on_machine() < ranks_count() &&
        file_sync_all(runner->request->directory, &own))
        runner->unsynced = false;
    return ranks_agree(&own) || error_set(error, own.status, "%s", own.text);
}

static bool close_history(struct runner *runner, struct gabion_error *error) {
    struct gabion_error second = {0};
    bool flushed = flush_history(runner, error);
    bool closed = history_close(runner->history, &runner->rows_left, flushed ? error : &second);
    runner->history = NULL;
    return flushed && closed;
}

bool runner_close_series(struct runner *runner, struct gabion_error *error) {
    struct gabion_error second = {0};
    bool synced = sync_pictures(runner, error);
    bool closed = close_history(runner, synced ? error : &second);
    if (runner->vtk != NULL)
        vtk_close(runner->vtk);
    background_destroy(runner->background);
    runner->background = NULL;
    return synced && closed;
}
