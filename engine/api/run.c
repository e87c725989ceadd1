// Stepping on behalf of a program: its step function, its log, and the forces it applied.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "engine/api/entry.h"
#include "engine/api/log.h"
#include "engine/api/materials.h"
#include "engine/step/step.h"
#include "engine/step/watch.h"
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

static void log_step(const struct gabion_world *world) {
    const struct gabion_step_report *report = &world->report;
    world_log(world, GABION_LOG_DEBUG,
              "step %" PRId64 ": t = %.9g s, %" PRId64 " contacts, %d sweeps, residual %.2e",
              world->step, world_time(world), report->contacts, (int)report->sweeps,
              report->residual);
}

// Watches -------------------------------------------------------------------------------------

static void log_warning(void *context, const char *text) {
    world_log(context, GABION_LOG_WARNING, "%s", text);
}

static bool stop_at(const struct gabion_world *world, const char *found,
                    struct gabion_error *error) {
    bool asked = world->settings.watch != GABION_WATCH_WARN, hopeless = world->watches->hopeless;
    if (found[0] == '\0' || !(asked || hopeless))
        return true;
    if (error)
        error_set(error, GABION_ERROR_RUN, "%s%s", found,
                  hopeless ? "" : " (watch.policy is stop)");
    return false;
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
static bool notify_listeners(struct gabion_world *world, char found[WATCH_FOUND_SIZE]) {
    struct listeners *listeners = &world->listeners;
    log_step(world);
    watch_step(world, log_warning, world, found);
    if (!listeners->step)
        return true;
    listeners->called = true;
    bool on = listeners->step(world, listeners->step_user);
    listeners->called = false;
    return on;
}

// Does one step with all that belongs to it. `on` becomes false where the step function asks to
// stop. The caller has taken the world.
static bool whole_step(struct gabion_world *world, bool *on, struct gabion_error *error) {
    char found[WATCH_FOUND_SIZE] = "";
    if (!laws_check(world, error))
        return false;
    watch_signals(world, log_warning, world, found);
    if (!stop_at(world, found, error) || !try_step(world, error))
        return false;
    *on = notify_listeners(world, found);
    return stop_at(world, found, error);
}

bool gabion_step(struct gabion_world *world, struct gabion_error *error) {
    bool on;
    if (!entry_take(world, error))
        return false;
    bool done = whole_step(world, &on, error);
    entry_leave(world);
    return done;
}

static int64_t run(struct gabion_world *world, int64_t steps, struct gabion_error *error) {
    int64_t done = 0;
    for (bool on = true; on && done < steps; done++)
        if (!whole_step(world, &on, error))
            return -1;
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
