#include "io/run/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "engine/contact/shared.h"
#include "engine/probe/probe.h"
#include "engine/step/watch.h"
#include "engine/world/world.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/run/history.h"
#include "io/run/interrupt.h"
#include "io/run/log.h"
#include "io/run/progress.h"
#include "io/run/sharing_lines.h"
#include "io/run/summary.h"
#include "io/text/remarks.h"
#include "io/vtk/vtk.h"
#include "parallel/background.h"
#include "parallel/check.h"
#include "parallel/clock.h"
#include "parallel/hash.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

#define NO_CHECKPOINT (-1)
#define NO_STEP       (-1)
#define REPORT_SIZE   2200

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
    uint64_t hash;        // of the state, when note_hash was called last
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

static double wall_time(const struct runner *runner) { return clock_seconds() - runner->started; }

static int64_t step_of(const struct runner *runner) { return gabion_step_number(runner->world); }

// Rank 0 writes the files of the run and all messages; the others compute the same and write
// nothing.
static bool is_writer(void) { return ranks_me() == 0; }

static void show(struct runner *runner, const char *text) {
    if (!is_writer())
        return;
    progress_clear(&runner->progress);
    fprintf(stderr, "%s\n", text);
}

// Writes a line to the log and, unless the run is quiet, to standard error.
__attribute__((format(printf, 2, 3))) static void report(struct runner *runner, const char *format,
                                                         ...) {
    char text[REPORT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_line(runner->log, "%s", text);
    if (!runner->request->quiet)
        show(runner, text);
}

// Something that the runner does and that may run out of memory.
struct attempt {
    bool (*work)(struct runner *runner, struct gabion_error *error);
    struct runner *runner;
    struct gabion_error *error;
    bool good;
};

static void attempt_make(void *context) {
    struct attempt *attempt = context;
    attempt->good = attempt->work(attempt->runner, attempt->error);
}

// Output that runs out of memory must not end the program: what was computed is still to be saved.
static bool attempt(struct runner *runner, struct gabion_error *error,
                    bool (*work)(struct runner *runner, struct gabion_error *error)) {
    struct attempt attempt = {work, runner, error, false};
    return memory_try(NULL, attempt_make, &attempt, error) && attempt.good;
}

// Writes files on the rank that does, and lets all ranks know whether that went well.
static bool write_alone(struct runner *runner, struct gabion_error *error,
                        bool (*work)(struct runner *runner, struct gabion_error *error)) {
    struct gabion_error own = {0};
    if (is_writer())
        attempt(runner, &own, work);
    return ranks_follow(&own) || error_set(error, own.status, "%s", own.text);
}

static _Noreturn void leave_others(struct runner *runner, struct gabion_error *error);

// Writes a file that all ranks write together where they share what it holds; else on one rank.
static bool write_shared(struct runner *runner, struct gabion_error *error,
                         bool (*work)(struct runner *runner, struct gabion_error *error),
                         bool shared) {
    if (!shared)
        return write_alone(runner, error, work);
    bool good = attempt(runner, error, work);
    if (!good && error->status == GABION_ERROR_MEMORY)
        leave_others(runner, error);
    return good;
}

static bool write_case(const struct runner *runner, struct gabion_error *error) {
    const char *text = case_text(runner->request->scene->file);
    char path[FOLDER_PATH_MAX + 16];
    struct safe_file file;
    snprintf(path, sizeof path, "%s/case.yaml", runner->request->directory);
    if (!safe_file_open(&file, path, error))
        return false;
    fputs(text, file.stream);
    return safe_file_commit(&file, error);
}

static bool open_series(struct runner *runner, struct gabion_error *error) {
    const struct runner_request *request = runner->request;
    // First, because to continue a series is to drop what lies beyond the checkpoint.
    if (request->resume && runner->output->vtk_every > 0 &&
        !vtk_check_names(request->directory, error))
        return false;
    if (request->resume && !checkpoint_set_aside(request->directory, step_of(runner), error))
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
        folder_drop_frames(request->directory, step_of(runner) + 1);
    return true;
}

// Warnings are shown even where the run is quiet: its results are doubtful.
static void report_warning(void *user, const char *text) {
    struct runner *runner = user;
    char line[REPORT_SIZE];
    snprintf(line, sizeof line, "warning: %s", text);
    log_line(runner->log, "%s", line);
    show(runner, line);
}

static const struct remarks *remarks_of(const struct runner *runner) {
    return case_remarks(runner->request->scene->file);
}

// What was found while the scene was built, when there was no log yet.
static void report_remarks(struct runner *runner) {
    const struct remarks *remarks = remarks_of(runner);
    for (size_t k = 0; k < remarks->count; k++)
        if (remarks->list[k].warning)
            report_warning(runner, remarks->list[k].text);
        else
            report(runner, "%s", remarks->list[k].text);
}

static int warnings_of(const struct runner *runner) {
    return runner->world->watches->warnings + remarks_warnings(remarks_of(runner));
}

// The library says at once what there is to say about the threads; what it says later are warnings.
static void report_library(void *user, enum gabion_log_level level, const char *text) {
    struct runner *runner = user;
    (void)level;
    if (runner->begun)
        report_warning(runner, text);
    else
        report(runner, "%s", text);
}

static void log_start(struct runner *runner) {
    const struct runner_request *request = runner->request;
    struct gabion_counts counts = {0};
    gabion_read_counts(runner->world, &counts, NULL);
    log_line(runner->log, "gabion %s: steps %" PRId64 " to %" PRId64 ", %d bodies, %d threads",
             GABION_VERSION, step_of(runner), request->target, counts.moving,
             gabion_threads(runner->world));
    if (request->parent[0] != '\0')
        log_line(runner->log, "%s %s",
                 request->resume ? "resumed from" : "begins with the state of", request->parent);
    report_remarks(runner);
    gabion_set_log(runner->world, GABION_LOG_WARNING, report_library, runner, NULL);
    runner->begun = true;
    if (runner->settings.time_budget > 0)
        report(runner,
               "not reproducible: solver.time_budget stops each step after %g s by the clock",
               runner->settings.time_budget);
}

static bool falls_on(int64_t step, int every) { return every > 0 && step % every == 0; }

static bool due(const struct runner *runner, int every) { return falls_on(step_of(runner), every); }

// All ranks call this before one of them writes a summary.
static void note_hash(struct runner *runner) { runner->hash = gabion_state_hash(runner->world); }

static struct summary summarise(const struct runner *runner) {
    return (struct summary){
        .status = runner->status != NULL ? runner->status : SUMMARY_RUNNING,
        .directory = runner->request->directory,
        .wall_time = wall_time(runner),
        .wall_time_total = runner->request->wall_time + wall_time(runner),
        .state_hash = runner->hash,
        .contact_sweeps = runner->start_contact_sweeps,
        .collapsed = runner->status != NULL && strcmp(runner->status, "collapsed") == 0,
        .warnings = warnings_of(runner),
        .output_times = {.all = runner->output_times.all,
                         .waited = runner->output_times.waited,
                         .beside = runner->pictures_beside + runner->history_beside},
    };
}

static void print_summary(const struct runner *runner) {
    if (!is_writer())
        return;
    struct summary summary = summarise(runner);
    summary_print(&summary, runner->world, stdout);
}

// Leaves the summary in the folder: with every checkpoint, so that one can look at a run that is at
// work or was killed, and at the end.
static bool write_summary(struct runner *runner, struct gabion_error *error) {
    struct summary summary = summarise(runner);
    return summary_write(&summary, runner->world, error);
}

// What resume --set changed is in case.yaml once a checkpoint has it: a run that is killed before
// goes on without it.
static bool settle_case(struct runner *runner, struct gabion_error *error) {
    if (runner->case_settled)
        return true;
    runner->case_settled = true;
    return write_case(runner, error);
}

static bool checkpoint_state(struct runner *runner, struct gabion_error *error) {
    const struct runner_request *request = runner->request;
    struct checkpoint_note note = {
        .case_text = case_text(request->scene->file),
        .wall_time = request->wall_time + wall_time(runner),
        .parent = request->parent,
        .reference = runner->reference_text,
        .rows = ranks_count() == 1 ? runner->rows_left : NULL,
    };
    return checkpoint_write(request->directory, runner->world, &note,
                            runner->output->checkpoint_keep, error);
}

static bool note_checkpoint(struct runner *runner, struct gabion_error *error) {
    log_line(runner->log, "checkpoint of step %" PRId64, runner->checkpoint_step);
    return settle_case(runner, error) && (runner->status != NULL || write_summary(runner, error));
}

// Calls a function that gives all ranks what each has, which may take the memory of one of them.
static bool gather(struct runner *runner, struct gabion_error *error,
                   bool (*function)(struct gabion_world *, struct gabion_error *)) {
    bool good = function(runner->world, error);
    if (!good && error->status == GABION_ERROR_MEMORY && ranks_count() > 1)
        leave_others(runner, error);
    return good;
}

static bool gather_bodies(struct runner *runner, struct gabion_error *error) {
    return gather(runner, error, gabion_gather_bodies);
}

// All ranks know which checkpoint is good, also where something failed after it.
static bool save(struct runner *runner, struct gabion_error *error) {
    if (!gather_bodies(runner, error))
        return false;
    note_hash(runner);
    if (!write_shared(runner, error, checkpoint_state, runner->world->contacts->memory_shared))
        return false;
    runner->checkpoint_step = step_of(runner);
    runner->checkpoint_time = clock_seconds();
    return write_alone(runner, error, note_checkpoint);
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
    runner->picture_step = step_of(runner);
    bool now = vtk_write(runner->vtk, runner->world, before ? error : &second);
    if (!now)
        note_lost(runner, step_of(runner));
    return before && now;
}

static bool write_frame(struct runner *runner, struct gabion_error *error) {
    runner->unsynced = true;
    if (frame_write(runner->request->directory, runner->world, error))
        return true;
    note_lost(runner, step_of(runner));
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
    if (runner->history && !falls_on(step, output->history_every) &&
        !history_drop_resumed(runner->history, error))
        return false;
    if (runner->vtk && !falls_on(step, output->vtk_every) && !vtk_drop(runner->vtk, step, error))
        return false;
    if (output->frames_every > 0 && !falls_on(step, output->frames_every))
        folder_drop_frames(runner->request->directory, step);
    return true;
}

static bool open_log(struct runner *runner, struct gabion_error *error) {
    runner->log = log_open(runner->request->directory, error);
    return runner->log != NULL;
}

static bool open_outputs(struct runner *runner, struct gabion_error *error) {
    bool resume = runner->request->resume;
    runner->case_settled = resume && runner->request->scene->changes == 0;
    return (resume || settle_case(runner, error)) && open_series(runner, error);
}

// The ranks that have no series write pieces of its frames.
static bool open_beside(struct runner *runner, struct gabion_error *error) {
    if (!is_writer() && runner->output->vtk_every > 0)
        runner->vtk = vtk_open_beside(runner->request->directory, runner->world, error);
    return ranks_agree(error);
}

static struct wanted wanted_by_step(const struct runner *runner) {
    const struct output_settings *output = runner->output;
    return (struct wanted){.row = due(runner, output->history_every),
                           .picture = due(runner, output->vtk_every),
                           .frame = due(runner, output->frames_every)};
}

// Rows and pictures. Goes on where rows or pictures of an earlier step could not be written: this
// step is complete, and a resumed run does not write it again.
static bool write_series(struct runner *runner, struct gabion_error *error) {
    double wall = runner->request->wall_time + wall_time(runner);
    struct gabion_error second = {0};
    if (!runner->stop_forgotten && step_of(runner) > runner->start_step &&
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

// Writes what is wanted of a step. A frame that can be written is, also where a picture cannot.
static bool write_wanted(struct runner *runner, struct wanted wanted, struct gabion_error *error) {
    struct gabion_error second = {0};
    runner->wanted = wanted;
    if (needs_bodies(runner) && !gather_bodies(runner, error))
        return false;
    if (needs_contacts(runner) && !gather(runner, error, gabion_gather))
        return false;
    bool shared = contacts_are_shared(runner->world->contacts);
    if (shared && wanted.picture && !write_shared(runner, error, write_pieces, shared))
        return false;
    bool written = write_alone(runner, error, write_series);
    bool framed =
        !wanted.frame || write_shared(runner, written ? error : &second, write_frame, shared);
    return written && framed;
}

// The first frame of a new run shows the interfaces that the first step will find.
static bool open_files(struct runner *runner, struct gabion_error *error) {
    if (step_of(runner) == 0)
        gabion_find_interfaces(runner->world, error);
    if (!ranks_agree(error) || !write_alone(runner, error, open_log))
        return false;
    log_start(runner);
    note_hash(runner);
    // A resumed run has its first frame already.
    struct wanted first = wanted_by_step(runner);
    first.row = false;
    return write_alone(runner, error, open_outputs) && open_beside(runner, error) &&
           (runner->request->resume || write_wanted(runner, first, error)) &&
           write_alone(runner, error, write_summary);
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

static bool close_history(struct runner *runner, struct gabion_error *error) {
    struct gabion_error second = {0};
    bool flushed = flush_history(runner, error);
    bool closed = history_close(runner->history, &runner->rows_left, flushed ? error : &second);
    runner->history = NULL;
    return flushed && closed;
}

// Returns false if what was written last may not be on disk.
static bool close_series(struct runner *runner, struct gabion_error *error) {
    struct gabion_error second = {0};
    bool synced = sync_pictures(runner, error);
    bool closed = close_history(runner, synced ? error : &second);
    if (runner->vtk != NULL)
        vtk_close(runner->vtk);
    background_destroy(runner->background);
    runner->background = NULL;
    return synced && closed;
}

// The row and the pictures of the last step where none of them is due: the end of a run is what one
// looks at first. What a world just restored would show is on disk already, with the contacts that
// it has lost.
static struct wanted wanted_at_end(const struct runner *runner) {
    const struct output_settings *output = runner->output;
    struct wanted by_step = wanted_by_step(runner);
    bool stepped = step_of(runner) > runner->start_step;
    bool shown = stepped || !runner->request->resume;
    return (struct wanted){.row = stepped && output->history_every > 0 && !by_step.row,
                           .picture = shown && output->vtk_every > 0,
                           .frame = shown && output->frames_every > 0 && !by_step.frame};
}

// Returns whether more of the run would be lost than the user allows. The clock decides only when a
// checkpoint is written, never what a step does.
static bool checkpoint_due(const struct runner *runner) {
    double allowed = 60 * runner->output->checkpoint_minutes;
    return due(runner, runner->output->checkpoint_every) ||
           (allowed > 0 && clock_past(runner->checkpoint_time + allowed));
}

static bool flush_series(struct runner *runner, struct gabion_error *error) {
    return sync_pictures(runner, error) && flush_history(runner, error);
}

__attribute__((format(printf, 2, 3))) static void append(struct gabion_error *error,
                                                         const char *format, ...) {
    size_t length = strlen(error->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + length, sizeof error->text - length, format, arguments);
    va_end(arguments);
}

// The run has gone on from a step while its pictures were written, to the next one at most.
static void explain_broken(const struct runner *runner, struct gabion_error *error) {
    int64_t first = runner->first_lost, last = runner->last_lost;
    if (first == NO_STEP)
        first = last = runner->last_step;
    append(error, "\n  lost: what the file named above should hold of step %" PRId64, first);
    if (last > first)
        append(error, ", and its like of step %" PRId64, last);
}

static void explain_failure(struct runner *runner, struct gabion_error *error) {
    const char *directory = runner->request->directory;
    int64_t step = runner->last_step, kept = runner->checkpoint_step;
    error_context(error, "after step %" PRId64 " (t = %.6g s)", step, runner->last_time);
    error->status = GABION_ERROR_RUN;
    if (kept == NO_CHECKPOINT)
        append(error, "\n  lost: %" PRId64 " steps; there is no checkpoint in %s",
               step - runner->start_step, directory);
    else {
        append(error, "\n  safe: the state of step %" PRId64 ", by its checkpoint in %s", kept,
               directory);
        if (kept < step)
            append(error, "\n  lost: the %" PRId64 " steps after it", step - kept);
        else if (runner->series_broken && runner->rows_left && runner->first_lost == NO_STEP)
            append(error, "\n  lost: nothing; the checkpoint has the rows that the history lacks");
        else if (runner->series_broken)
            explain_broken(runner, error);
        append(error, "\n  When the cause is removed, continue with: gabion resume %s", directory);
    }
    log_line(runner->log, "stopped: %s", error->text);
}

// Ends all ranks where memory ran out on this one: the others are waiting for it within the step.
static _Noreturn void leave_others(struct runner *runner, struct gabion_error *error) {
    explain_failure(runner, error);
    ranks_abort(error->text);
}

// Pieces that were written on other machines reach the disk from there.
static bool sync_beside(struct runner *runner, struct gabion_error *error) {
    struct gabion_error own = {0};
    if (!is_writer() && runner->unsynced && ranks_on_machine() < ranks_count() &&
        file_sync_all(runner->request->directory, &own))
        runner->unsynced = false;
    return ranks_agree(&own) || error_set(error, own.status, "%s", own.text);
}

// The checkpoint comes last: once it exists, everything up to its step is on disk.
static bool write_step(struct runner *runner, struct gabion_error *error) {
    bool saves = checkpoint_due(runner);
    return write_wanted(runner, wanted_by_step(runner), error) &&
           (!saves || (write_alone(runner, error, flush_series) && sync_beside(runner, error) &&
                       save(runner, error)));
}

// Returns why the run is over; NULL: it is not. A collapse in the last step is one.
static const char *end_status(const struct runner *runner) {
    const struct runner_request *request = runner->request;
    if (request->may_stop && gabion_collapsed(runner->world, NULL))
        return "collapsed";
    if (step_of(runner) >= request->target)
        return "completed";
    return request->may_stop && gabion_at_rest(runner->world) ? "at-rest" : NULL;
}

static void note_step(struct runner *runner) {
    runner->last_step = step_of(runner);
    runner->last_time = gabion_time(runner->world);
}

// The state of the run or, while each rank has contacts of its own, how its bodies move.
static uint64_t hash_common(const struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    size_t bytes = (size_t)bodies->count * sizeof *bodies->v;
    if (world->piece.stale) // the ghosts are compared as a step begins (engine/contact/detection.c)
        return HASH_START;
    if (!world->contacts->memory_shared)
        return gabion_state_hash(world);
    return hash_bytes(hash_bytes(HASH_START, bodies->v, bytes), bodies->w, bytes);
}

// Returns whether all ranks have the state of this one. Only a CHECK asks.
__attribute__((unused)) static bool is_same_everywhere(const struct runner *runner) {
    uint64_t hash = hash_common(runner->world), bits[] = {hash, ~hash};
    ranks_or(bits, 2);
    return ranks_all(bits[0] == hash && bits[1] == ~hash);
}

// A step that a watch stops the run after is complete, and is written as any other.
static bool go_on(struct runner *runner, struct gabion_error *error) {
    struct gabion_error second = {0};
    int64_t before = step_of(runner);
    bool well = gabion_step(runner->world, error);
    if (error->status == GABION_ERROR_MEMORY && ranks_count() > 1)
        leave_others(runner, error);
    if (step_of(runner) == before)
        return false;
    CHECK(is_same_everywhere(runner), "ranks differ after step %" PRId64, step_of(runner));
    note_step(runner);
    runner->series_broken = true; // until everything is written
    error = well ? error : &second;
    double begin = clock_seconds();
    runner->series_broken = !write_step(runner, error);
    runner->output_times.all += clock_seconds() - begin;
    return well && !runner->series_broken;
}

// A step that a signal made the run abandon is not an error: the state before it is whole.
static bool was_interrupted(struct runner *runner, struct gabion_error *error) {
    if (error->status != GABION_ERROR_STOPPED)
        return false;
    report(runner, "%s", error->text);
    *error = (struct gabion_error){0};
    runner->status = "interrupted";
    return true;
}

static bool run_steps(struct runner *runner, struct gabion_error *error) {
    while ((runner->status = end_status(runner)) == NULL) {
        if (ranks_any(interrupt_requested())) {
            runner->status = "interrupted";
            return true;
        }
        if (!attempt(runner, error, go_on))
            return was_interrupted(runner, error);
        progress_update(&runner->progress, runner->world);
    }
    return true;
}

// The results are on disk, but they cannot be trusted. Only where nothing else was wrong with the
// run is this a defect of the program.
static bool check_ledger(struct runner *runner, struct gabion_error *error) {
    struct gabion_energies energies;
    if (!gabion_read_energies(runner->world, &energies, error))
        return false;
    if (energies.closes)
        return true;
    bool doubtful =
        runner->world->watches->warnings > 0 || runner->world->run.unconverged_steps > 0;
    error_set(error, GABION_ERROR_RUN,
              "the energy ledger does not close: imbalance %.3e J against total work %.3e J. The "
              "results are on disk in %s. %s",
              energies.energy_error, energies.turnover, runner->request->directory,
              doubtful ? "Steps that were not solved, or that a warning names, come first: mend "
                         "these, and run again"
                       : "Nothing else is wrong with this run, so this is a defect of the program: "
                         "please report it with the case.yaml there");
    log_line(runner->log, "%s", error->text);
    return false;
}

// Leaves the last complete step on disk, whatever happened before. Where memory ran out it is left
// to the checkpoint, which needs least of it.
static bool finish(struct runner *runner, bool well, struct gabion_error *error) {
    struct gabion_error second = {0};
    double begin = clock_seconds();
    gather_bodies(runner, well ? error : &second); // the summary reads probes
    if (!runner->series_broken && error->status != GABION_ERROR_MEMORY &&
        !write_wanted(runner, wanted_at_end(runner), well ? error : &second)) {
        runner->series_broken = true;
        well = false;
    }
    if (!write_alone(runner, well ? error : &second, close_series) ||
        !sync_beside(runner, well ? error : &second))
        well = false;
    if (!is_writer() && runner->vtk)
        vtk_close(runner->vtk);
    if (runner->checkpoint_step != step_of(runner) && !save(runner, well ? error : &second))
        well = false;
    runner->output_times.all += clock_seconds() - begin;
    if (well)
        return check_ledger(runner, error);
    runner->status = "stopped";
    explain_failure(runner, error);
    return false;
}

static void report_sharing(struct runner *runner) {
    char text[REPORT_SIZE];
    if (sharing_lines_log(runner->world, text, sizeof text))
        log_line(runner->log, "%s", text);
    if (sharing_lines_advise(runner->world, text, sizeof text))
        report(runner, "%s", text);
}

// With --strict a run whose results are doubtful fails, although all of them are on disk.
static bool check_strictly(const struct runner *runner, struct gabion_error *error) {
    const struct gabion_world *world = runner->world;
    int64_t unsolved = world->run.unconverged_steps;
    if (!runner->request->strict || (warnings_of(runner) == 0 && unsolved == 0))
        return true;
    return error_set(error, GABION_ERROR_RUN,
                     "--strict: warnings: %d, unsolved steps: %" PRId64 "; the results are in %s",
                     warnings_of(runner), unsolved, runner->request->directory);
}

// A run that goes on keeps the start that its checkpoint holds.
static bool find_reference(struct runner *runner, struct gabion_error *error) {
    const char *text = runner->request->reference;
    struct vtk_reference *reference = &runner->reference;
    int group;
    if (!case_displacement_group(runner->request->scene->file, runner->world, &group, error) ||
        !(text != NULL ? vtk_reference_parse(reference, runner->world, group, text, error)
                       : vtk_reference_begin(reference, runner->world, group, error)))
        return false;
    vtk_reference_print(reference, runner->world, group, runner->reference_text);
    return true;
}

static bool start(struct runner *runner, const struct runner_request *request,
                  struct gabion_error *error) {
    struct gabion_world *world = request->scene->world;
    int64_t step = gabion_step_number(world);
    struct gabion_run_report before;
    *runner = (struct runner){
        .request = request,
        .world = world,
        .output = case_output(request->scene->file),
        .started = clock_seconds(),
        .checkpoint_time = clock_seconds(),
        .start_step = step,
        .checkpoint_step = request->resume ? step : NO_CHECKPOINT,
        .stop_forgotten = !request->resume,
        .first_lost = NO_STEP,
    };
    if (!gabion_get_settings(world, &runner->settings, error) ||
        !gabion_read_run_report(world, &before, error))
        return false;
    runner->start_contact_sweeps = before.contact_sweeps;
    note_step(runner);
    return find_reference(runner, error);
}

bool runner_run(const struct runner_request *request, struct gabion_error *error) {
    struct runner runner;
    if (!start(&runner, request, error))
        return false;
    runner.status = end_status(&runner);
    if (request->resume && runner.status != NULL) {
        note_hash(&runner);
        print_summary(&runner); // nothing to do, and no file is touched
        return check_strictly(&runner, error);
    }
    runner.status = NULL;
    interrupt_install();
    // One thread more writes pictures, and one the history.
    interrupt_before_cpu_limit(gabion_threads(request->scene->world) +
                               (runner.output->vtk_every > 0) + (runner.output->history_every > 0));
    gabion_set_stop_function(request->scene->world, interrupt_presses, NULL, NULL);
    progress_start(&runner.progress, step_of(&runner), request->target,
                   request->quiet || !is_writer());
    double begin = clock_seconds();
    bool opened = open_files(&runner, error);
    runner.output_times.all = clock_seconds() - begin;
    if (!opened) {
        struct gabion_error second = {0};
        close_series(&runner, &second);
        memory_free(runner.rows_left);
        log_close(runner.log);
        return false;
    }
    bool well = run_steps(&runner, error);
    progress_clear(&runner.progress);
    watch_end(runner.world, report_warning, &runner);
    report_sharing(&runner);
    well = finish(&runner, well, error) && check_strictly(&runner, error);
    struct gabion_error second = {0};
    note_hash(&runner);
    if (!write_alone(&runner, well ? error : &second, write_summary))
        well = false;
    log_line(runner.log, "%s at step %" PRId64 ", t = %.9g s, state-hash %016" PRIx64,
             runner.status, step_of(&runner), gabion_time(runner.world), runner.hash);
    memory_free(runner.rows_left);
    log_close(runner.log);
    print_summary(&runner);
    return well;
}
