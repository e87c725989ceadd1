#include "io/run/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "engine/contact/interfaces.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/run/history.h"
#include "io/run/interrupt.h"
#include "io/run/log.h"
#include "io/run/progress.h"
#include "io/run/summary.h"
#include "io/vtk/vtk.h"
#include "parallel/clock.h"

#define NO_CHECKPOINT           (-1)
#define OVERLAP_WORTH_A_WARNING 0.2 // of the smaller radius

struct runner {
    const struct runner_request *request;
    struct gabion_world *world;
    const struct output_settings *output;
    struct history *history; // NULL: switched off
    struct vtk_series *vtk;
    struct run_log *log;
    struct progress progress;
    double started; // clock
    int64_t start_step;
    int64_t checkpoint_step; // of the newest checkpoint known to be good
    struct gabion_run_report before;
    const char *status;
    int64_t capped_steps;   // of this command, that ended at the cap of sweeps
    double capped_residual; // the largest among them
    bool overlap_told;
    bool series_broken; // a step is complete, but not what should be written of it
};

static double wall_time(const struct runner *runner) { return clock_seconds() - runner->started; }

// To the log, and to the person in front of the screen.
__attribute__((format(printf, 2, 3))) static void tell(struct runner *runner, const char *format,
                                                       ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_line(runner->log, "%s", text);
    if (runner->request->quiet)
        return;
    progress_clear(&runner->progress);
    fprintf(stderr, "%s\n", text);
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
    if (runner->output->history_every > 0) {
        runner->history = history_open(request->directory, runner->world, request->resume, error);
        if (runner->history == NULL)
            return false;
    }
    if (runner->output->vtk_every > 0) {
        runner->vtk = vtk_open(request->directory, runner->world, request->resume,
                               runner->output->blocks, error);
        if (runner->vtk == NULL)
            return false;
    }
    if (request->resume)
        folder_drop_frames(request->directory, runner->world->step);
    return true;
}

static void log_start(struct runner *runner) {
    const struct runner_request *request = runner->request;
    const char *note = team_note(request->scene->team);
    log_line(runner->log, "gabion %s: steps %" PRId64 " to %" PRId64 ", %d bodies, %d threads",
             GABION_VERSION, runner->world->step, request->target,
             scene_moving_bodies(runner->world), team_size(request->scene->team));
    if (request->parent[0] != '\0')
        log_line(runner->log, "resumed from %s", request->parent);
    if (note[0] != '\0')
        tell(runner, "%s", note);
    if (runner->world->settings.time_budget > 0)
        tell(runner, "not reproducible: solver.time_budget stops each step after %g s by the clock",
             runner->world->settings.time_budget);
}

static bool due(const struct runner *runner, int every) {
    return every > 0 && runner->world->step % every == 0;
}

static bool write_checkpoint(struct runner *runner, struct gabion_error *error) {
    const struct runner_request *request = runner->request;
    struct checkpoint_note note = {
        .case_text = case_text(request->scene->file),
        .wall_time = request->wall_time + wall_time(runner),
        .parent = request->parent,
    };
    if (!checkpoint_write(request->directory, runner->world, &note, runner->output->checkpoint_keep,
                          error))
        return false;
    runner->checkpoint_step = runner->world->step;
    log_line(runner->log, "checkpoint of step %" PRId64, runner->checkpoint_step);
    return true;
}

static bool write_pictures(struct runner *runner, struct gabion_error *error) {
    if (due(runner, runner->output->vtk_every) && !vtk_write(runner->vtk, runner->world, error))
        return false;
    return !due(runner, runner->output->frames_every) ||
           frame_write(runner->request->directory, runner->world, error);
}

// A resumed run has its first frame already. That of a new one shows the interfaces that the first
// step will find.
static bool open_files(struct runner *runner, struct gabion_error *error) {
    if (runner->world->step == 0)
        interfaces_find(runner->world);
    runner->log = log_open(runner->request->directory, error);
    if (runner->log == NULL)
        return false;
    log_start(runner);
    return (runner->request->resume || write_case(runner, error)) && open_series(runner, error) &&
           (runner->request->resume || write_pictures(runner, error));
}

// False: what had been written last may not be on disk.
static bool close_series(struct runner *runner, struct gabion_error *error) {
    bool closed = runner->history == NULL || history_close(runner->history, error);
    if (runner->vtk != NULL)
        vtk_close(runner->vtk);
    return closed;
}

// The checkpoint comes last: once it exists, everything up to its step is on disk.
static bool write_step(struct runner *runner, struct gabion_error *error) {
    double wall = runner->request->wall_time + wall_time(runner);
    if (due(runner, runner->output->history_every) &&
        !history_write(runner->history, runner->world, wall, error))
        return false;
    if (!write_pictures(runner, error))
        return false;
    if (!due(runner, runner->output->checkpoint_every))
        return true;
    return (runner->history == NULL || history_flush(runner->history, error)) &&
           write_checkpoint(runner, error);
}

static const char *budget_text(const struct runner *runner) {
    return runner->world->settings.time_budget > 0 ? " or their time budget" : "";
}

// The first is told as it happens, the others are counted: a long run must not drown its reader.
static void warn_unconverged(struct runner *runner) {
    const struct gabion_world *world = runner->world;
    if (world->report.converged || world->settings.on_cap != GABION_CAP_WARN)
        return;
    runner->capped_residual = fmax(runner->capped_residual, world->report.residual);
    if (runner->capped_steps++ > 0)
        return;
    tell(runner,
         "warning: step %" PRId64
         " stopped at the cap of %d sweeps%s, residual %.2e (asked: %.2e); "
         "raise solver.max_sweeps or solver.tolerance; further such steps are counted at the end",
         world->step, world->settings.max_sweeps, budget_text(runner), world->report.residual,
         world->settings.tolerance);
}

static void tell_unconverged(struct runner *runner) {
    if (runner->capped_steps == 0)
        return;
    tell(runner,
         "warning: %" PRId64 " of %" PRId64 " steps stopped at the cap of %d sweeps%s, largest "
         "residual %.2e (asked: %.2e); solver.max_sweeps: more sweeps; solver.on_cap: accept "
         "silences this",
         runner->capped_steps, runner->world->step - runner->start_step,
         runner->world->settings.max_sweeps, budget_text(runner), runner->capped_residual,
         runner->world->settings.tolerance);
}

static void warn_overlap(struct runner *runner) {
    const struct gabion_world *world = runner->world;
    double overlap = world->report.max_overlap_relative;
    if (runner->overlap_told || !(overlap > OVERLAP_WORTH_A_WARNING))
        return;
    runner->overlap_told = true;
    tell(runner,
         "warning: after step %" PRId64
         " (t = %.6g s) two bodies overlap by %.0f %% of the smaller "
         "radius%s; is a body with insert_time put where another one is? If not, try a smaller "
         "time.step",
         world->step, world_time(world), 100 * overlap,
         runner->history != NULL ? " (max_overlap_relative in history.csv follows it)" : "");
}

static bool run_steps(struct runner *runner, struct gabion_error *error) {
    const struct runner_request *request = runner->request;
    while (runner->world->step < request->target) {
        if (interrupt_requested()) {
            runner->status = "interrupted";
            return true;
        }
        if (request->stop_at_rest && gabion_at_rest(runner->world)) {
            runner->status = "at-rest";
            return true;
        }
        if (!gabion_step(runner->world, error))
            return false;
        warn_unconverged(runner);
        warn_overlap(runner);
        if (!write_step(runner, error)) {
            runner->series_broken = true;
            return false;
        }
        progress_update(&runner->progress, runner->world);
    }
    runner->status = "completed";
    return true;
}

__attribute__((format(printf, 2, 3))) static void append(struct gabion_error *error,
                                                         const char *format, ...) {
    size_t length = strlen(error->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + length, sizeof error->text - length, format, arguments);
    va_end(arguments);
}

static void explain_failure(struct runner *runner, struct gabion_error *error) {
    const char *directory = runner->request->directory;
    int64_t step = runner->world->step, kept = runner->checkpoint_step;
    error_context(error, "after step %" PRId64 " (t = %.6g s)", step, world_time(runner->world));
    error->status = GABION_ERROR_RUN;
    if (kept == NO_CHECKPOINT)
        append(error, "\n  lost: %" PRId64 " steps; there is no checkpoint in %s",
               step - runner->start_step, directory);
    else {
        append(error, "\n  safe: the state of step %" PRId64 ", by its checkpoint in %s", kept,
               directory);
        if (kept < step)
            append(error, "\n  lost: the %" PRId64 " steps after it", step - kept);
        else if (runner->series_broken)
            append(error, "\n  lost: what the file named above should hold of step %" PRId64, step);
        append(error, "\n  When the cause is removed: gabion resume %s", directory);
    }
    log_line(runner->log, "stopped: %s", error->text);
}

// Leaves the last complete step on disk, whatever happened before.
static bool finish(struct runner *runner, bool well, struct gabion_error *error) {
    struct gabion_error second = {0};
    if (!close_series(runner, well ? error : &second))
        well = false;
    if (runner->checkpoint_step != runner->world->step &&
        !write_checkpoint(runner, well ? error : &second))
        well = false;
    if (!well) {
        runner->status = "stopped";
        explain_failure(runner, error);
    } else if (ledger_failed(&runner->world->ledger)) {
        well = error_set(error, GABION_ERROR_RUN,
                         "the energy ledger does not close: error %.3e J of %.3e J turned over. "
                         "The results are on disk, but this is a defect of the program: please "
                         "report it with %s/case.yaml",
                         runner->world->ledger.energy_error, runner->world->ledger.turnover,
                         runner->request->directory);
        log_line(runner->log, "%s", error->text);
    }
    return well;
}

static void print_summary(const struct runner *runner) {
    struct summary summary = {
        .status = runner->status,
        .directory = runner->request->directory,
        .wall_time = wall_time(runner),
        .wall_time_total = runner->request->wall_time + wall_time(runner),
        .before = runner->before,
    };
    summary_print(&summary, runner->world, stdout);
}

bool runner_run(const struct runner_request *request, struct gabion_error *error) {
    struct runner runner = {
        .request = request,
        .world = request->scene->world,
        .output = case_output(request->scene->file),
        .started = clock_seconds(),
        .start_step = request->scene->world->step,
        .checkpoint_step = request->resume ? request->scene->world->step : NO_CHECKPOINT,
        .before = request->scene->world->run,
        .status = "completed",
    };
    if (request->resume && runner.world->step >= request->target) {
        print_summary(&runner); // nothing to do, and no file is touched
        return true;
    }
    interrupt_install();
    progress_start(&runner.progress, runner.world->step, request->target, request->quiet);
    if (!open_files(&runner, error)) {
        struct gabion_error second = {0};
        close_series(&runner, &second);
        log_close(runner.log);
        return false;
    }
    bool well = run_steps(&runner, error);
    progress_clear(&runner.progress);
    tell_unconverged(&runner);
    well = finish(&runner, well, error);
    log_line(runner.log, "%s at step %" PRId64 ", t = %.9g s, state-hash %016" PRIx64,
             runner.status, runner.world->step, world_time(runner.world),
             gabion_state_hash(runner.world));
    log_close(runner.log);
    print_summary(&runner);
    return well;
}
