#include "io/run/runner.h"

#include <inttypes.h>

#include "engine/contact/contacts.h"
#include "engine/step/watch.h"
#include "engine/world/world.h"
#include "io/run/interrupt.h"
#include "io/run/log.h"
#include "io/run/progress.h"
#include "io/run/runner_checkpoint.h"
#include "io/run/runner_failure.h"
#include "io/run/runner_messages.h"
#include "io/run/runner_series.h"
#include "io/run/runner_summary.h"
#include "io/run/runner_together.h"
#include "io/vtk/vtk.h"
#include "parallel/check.h"
#include "parallel/clock.h"
#include "parallel/hash.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

static bool open_log(struct runner *runner, struct gabion_error *error) {
    runner->log = log_open(runner->request->directory, error);
    return runner->log != NULL;
}

static bool open_outputs(struct runner *runner, struct gabion_error *error) {
    bool resume = runner->request->resume;
    runner->case_settled = resume && runner->request->scene->changes == 0;
    return (resume || runner_settle_case(runner, error)) && runner_open_series(runner, error);
}

// The first frame of a new run shows the interfaces that the first step will find.
static bool open_files(struct runner *runner, struct gabion_error *error) {
    if (runner_step(runner) == 0)
        gabion_find_interfaces(runner->world, error);
    if (!ranks_agree(error) || !runner_write_alone(runner, error, open_log))
        return false;
    runner_log_start(runner);
    runner_note_hash(runner);
    // A resumed run has its first frame already.
    struct wanted first = runner_wanted_by_step(runner);
    first.row = false;
    return runner_write_alone(runner, error, open_outputs) && runner_open_beside(runner, error) &&
           (runner->request->resume || runner_write_wanted(runner, first, error)) &&
           runner_write_alone(runner, error, runner_write_summary);
}

// The checkpoint comes last: once it exists, everything up to its step is on disk.
static bool write_step(struct runner *runner, struct gabion_error *error) {
    bool saves = runner_checkpoint_due(runner);
    return runner_write_wanted(runner, runner_wanted_by_step(runner), error) &&
           (!saves || (runner_write_alone(runner, error, runner_flush_series) &&
                       runner_sync_beside(runner, error) && runner_save(runner, error)));
}

// Returns why the run is over; NULL: it is not. A collapse in the last step is one.
static const char *end_status(const struct runner *runner) {
    const struct runner_request *request = runner->request;
    if (request->may_stop && gabion_collapsed(runner->world, NULL))
        return "collapsed";
    if (runner_step(runner) >= request->target)
        return "completed";
    return request->may_stop && gabion_at_rest(runner->world) ? "at-rest" : NULL;
}

static void note_step(struct runner *runner) {
    runner->last_step = runner_step(runner);
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
    int64_t before = runner_step(runner);
    bool well = gabion_step(runner->world, error);
    if (error->status == GABION_ERROR_MEMORY && ranks_count() > 1)
        runner_leave_others(runner, error);
    if (runner_step(runner) == before)
        return false;
    CHECK(is_same_everywhere(runner), "ranks differ after step %" PRId64, runner_step(runner));
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
    runner_report(runner, "%s", error->text);
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
        if (!runner_attempt(runner, error, go_on))
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
    runner_gather_bodies(runner, well ? error : &second); // the summary reads probes
    if (!runner->series_broken && error->status != GABION_ERROR_MEMORY &&
        !runner_write_wanted(runner, runner_wanted_at_end(runner), well ? error : &second)) {
        runner->series_broken = true;
        well = false;
    }
    if (!runner_write_alone(runner, well ? error : &second, runner_close_series) ||
        !runner_sync_beside(runner, well ? error : &second))
        well = false;
    if (!runner_is_writer() && runner->vtk)
        vtk_close(runner->vtk);
    if (runner->checkpoint_step != runner_step(runner) &&
        !runner_save(runner, well ? error : &second))
        well = false;
    runner->output_times.all += clock_seconds() - begin;
    if (well)
        return check_ledger(runner, error);
    runner->status = "stopped";
    runner_explain_failure(runner, error);
    return false;
}

// With --strict a run whose results are doubtful fails, although all of them are on disk.
static bool check_strictly(const struct runner *runner, struct gabion_error *error) {
    const struct gabion_world *world = runner->world;
    int64_t unsolved = world->run.unconverged_steps;
    if (!runner->request->strict || (runner_warnings(runner) == 0 && unsolved == 0))
        return true;
    return error_set(error, GABION_ERROR_RUN,
                     "--strict: warnings: %d, unsolved steps: %" PRId64 "; the results are in %s",
                     runner_warnings(runner), unsolved, runner->request->directory);
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
    // Rows that the history lacks are something to do.
    if (request->resume && runner.status != NULL && request->rows == NULL) {
        runner_note_hash(&runner);
        runner_print_summary(&runner); // nothing to do, and no file is touched
        return check_strictly(&runner, error);
    }
    runner.status = NULL;
    interrupt_install();
    // One thread more writes pictures, and one the history.
    interrupt_before_cpu_limit(gabion_threads(request->scene->world) +
                               (runner.output->vtk_every > 0) + (runner.output->history_every > 0));
    gabion_set_stop_function(request->scene->world, interrupt_presses, NULL, NULL);
    progress_start(&runner.progress, runner_step(&runner), request->target,
                   request->quiet || !runner_is_writer());
    double begin = clock_seconds();
    bool opened = open_files(&runner, error);
    runner.output_times.all = clock_seconds() - begin;
    if (!opened) {
        struct gabion_error second = {0};
        runner_close_series(&runner, &second);
        memory_free(runner.rows_left);
        log_close(runner.log);
        return false;
    }
    bool well = run_steps(&runner, error);
    progress_clear(&runner.progress);
    watch_end(runner.world, runner_report_warning, &runner);
    runner_report_sharing(&runner);
    well = finish(&runner, well, error) && check_strictly(&runner, error);
    struct gabion_error second = {0};
    runner_note_hash(&runner);
    if (!runner_write_alone(&runner, well ? error : &second, runner_write_summary))
        well = false;
    log_line(runner.log, "%s at step %" PRId64 ", t = %.9g s, state-hash %016" PRIx64,
             runner.status, runner_step(&runner), gabion_time(runner.world), runner.hash);
    memory_free(runner.rows_left);
    log_close(runner.log);
    runner_print_summary(&runner);
    return well;
}
