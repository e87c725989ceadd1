// Stepping on behalf of a program: its step function, its log, and the forces it applied.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "engine/api/entry.h"
#include "engine/api/log.h"
#include "engine/step/step.h"
#include "parallel/memory.h"
#include "parallel/team.h"

// Log -----------------------------------------------------------------------------------------

void world_log(const struct gabion_world *world, enum gabion_log_level level, const char *format,
               ...) {
    const struct listeners *listeners = &world->listeners;
    char text[1024];
    va_list arguments;
    if (!listeners->log || level < listeners->least)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    listeners->log(listeners->log_user, level, text);
}

bool gabion_set_log(struct gabion_world *world, enum gabion_log_level least,
                    gabion_log_function function, void *user, struct gabion_error *error) {
    if ((unsigned)least > GABION_LOG_WARNING)
        return entry_reject(error, "least: the level %d does not exist", (int)least);
    if (!entry_take(world, error))
        return false;
    world->listeners.log = function;
    world->listeners.log_user = user;
    world->listeners.least = least;
    const char *note = team_note(world->team);
    if (note[0])
        world_log(world, GABION_LOG_WARNING, "%s", note);
    entry_leave(world);
    return true;
}

#define OVERLAP_WORTH_A_WARNING 0.2 // of the smaller body's size

static void log_step(struct gabion_world *world) {
    const struct gabion_step_report *report = &world->report;
    world_log(world, GABION_LOG_DEBUG,
              "step %" PRId64 ": t = %.9g s, %" PRId64 " contacts, %d sweeps, residual %.2e",
              world->step, world_time(world), report->contacts, (int)report->sweeps,
              report->residual);
    if (!report->converged && world->settings.on_cap == GABION_CAP_WARN)
        world_log(world, GABION_LOG_WARNING,
                  "step %" PRId64 ": residual %.2e after %d sweeps, above the tolerance of %.2e",
                  world->step, report->residual, (int)report->sweeps, world->settings.tolerance);
    if (world->listeners.overlap_reported ||
        !(report->max_overlap_relative > OVERLAP_WORTH_A_WARNING))
        return;
    world->listeners.overlap_reported = true;
    world_log(world, GABION_LOG_WARNING,
              "step %" PRId64 ": bodies %" PRId32 " and %" PRId32
              " overlap by %.0f %% of the smaller "
              "one's size; contact.projection: auto moves them apart as far as there is room; "
              "further overlaps are not reported",
              world->step, report->overlap_body_a, report->overlap_body_b,
              100 * report->max_overlap_relative);
}

// Steps ---------------------------------------------------------------------------------------

static void do_step(struct call *call) {
    struct gabion_world *world = call->world;
    if (world->listeners.called) {
        error_set(call->error, GABION_ERROR_INPUT, "a step function may not step its own world");
        return;
    }
    if (!world_step(world, call->error))
        return;
    memory_free(world->applied);
    world->applied = NULL;
    call->result = 0;
}

// Lets the program's stop function be seen by the work of the step. Where memory runs out before
// the state has changed, the last complete step can still be read.
static bool try_step(struct gabion_world *world, struct gabion_error *error) {
    world->listeners.stop.seen = false;
    struct stop *before = stop_use(&world->listeners.stop);
    bool done = call_run(world, do_step, NULL, error) >= 0;
    stop_use(before);
    if (world->condition == WORLD_BROKEN && step_undo(world))
        world->condition = WORLD_SPENT;
    return done;
}

// Calls the step and log functions of the program. Returns false where the step function asks to
// stop.
static bool notify_listeners(struct gabion_world *world) {
    struct listeners *listeners = &world->listeners;
    log_step(world);
    if (!listeners->step)
        return true;
    listeners->called = true;
    bool on = listeners->step(world, listeners->step_user);
    listeners->called = false;
    return on;
}

bool gabion_step(struct gabion_world *world, struct gabion_error *error) {
    if (!entry_take(world, error))
        return false;
    bool done = try_step(world, error);
    if (done)
        notify_listeners(world);
    entry_leave(world);
    return done;
}

static int64_t run(struct gabion_world *world, int64_t steps, struct gabion_error *error) {
    int64_t done = 0;
    for (bool on = true; on && done < steps; done++) {
        if (!try_step(world, error))
            return -1;
        on = notify_listeners(world);
    }
    world_log(world, GABION_LOG_INFO, "%" PRId64 " steps done, t = %.9g s%s", done,
              world_time(world), done < steps ? ": the step function asked to stop" : "");
    return done;
}

int64_t gabion_run(struct gabion_world *world, int64_t steps, struct gabion_error *error) {
    if (steps < 0) {
        entry_reject(error, "the number of steps must not be negative, found %" PRId64, steps);
        return -1;
    }
    if (!entry_take(world, error))
        return -1;
    int64_t done = run(world, steps, error);
    entry_leave(world);
    return done;
}

bool gabion_set_step_function(struct gabion_world *world, gabion_step_function function, void *user,
                              struct gabion_error *error) {
    if (!entry_take(world, error))
        return false;
    world->listeners.step = function;
    world->listeners.step_user = user;
    entry_leave(world);
    return true;
}

bool gabion_set_stop_function(struct gabion_world *world, gabion_stop_function function, void *user,
                              struct gabion_error *error) {
    if (!entry_take(world, error))
        return false;
    world->listeners.stop = (struct stop){.asked = function, .user = user};
    entry_leave(world);
    return true;
}
