#include "engine/solvers/monitor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/solvers/local/cone.h"
#include "parallel/clock.h"
#include "parallel/memory.h"

struct monitor monitor_open(const struct friction_problem *problem,
                            const struct solver_settings *settings) {
    struct monitor monitor = {.problem = problem, .settings = settings};
    monitor.best =
        memory_allocate(friction_problem_size(problem), sizeof *monitor.best, "impulses");
    monitor.best_measure = monitor.last = INFINITY;
    monitor.result.error = (struct friction_error){INFINITY, INFINITY};
    monitor.result.status = SOLVER_STALLED;
    return monitor;
}

void monitor_close(struct monitor *monitor) { memory_free(monitor->best); }

static double chosen(const struct solver_settings *settings, const struct friction_error *error) {
    return settings->measure == GABION_MEASURE_SCALED ? error->scaled : error->fclib;
}

static bool out_of_time(const struct solver_settings *settings) {
    return settings->deadline > 0 && clock_seconds() >= settings->deadline;
}

bool monitor_check(struct monitor *monitor, int iterations, const double *r) {
    const struct solver_settings *settings = monitor->settings;
    struct solver_result *result = &monitor->result;
    struct friction_error error = residual_of(monitor->problem, r);
    monitor->last = chosen(settings, &error);
    monitor->iterations = monitor->before + iterations;
    result->iterations = monitor->iterations;
    if (settings->record)
        settings->record(settings->context, monitor->iterations, &error);
    if (monitor->last < monitor->best_measure) {
        monitor->best_measure = monitor->last;
        result->error = error;
        memcpy(monitor->best, r, friction_problem_size(monitor->problem) * sizeof *r);
    }
    if (monitor->best_measure <= settings->tolerance)
        result->status = SOLVER_CONVERGED;
    else if (monitor->iterations >= settings->max_iterations || out_of_time(settings))
        result->status = SOLVER_CAP;
    else
        return false;
    return true;
}

// Into the cone; of a joint what it holds.
static vec3 admit(const struct friction_problem *problem, int32_t a, vec3 r) {
    uint8_t held = friction_held(problem, a);
    return held ? hold_keep(held, r) : cone_clamp(r, problem->mu[a]);
}

bool monitor_check_admitted(struct monitor *monitor, int iterations, const double *r,
                            double *admitted) {
    const struct friction_problem *problem = monitor->problem;
    for (int32_t a = 0; a < problem->contacts; a++)
        friction_set(admitted, a, admit(problem, a, friction_get(r, a)));
    return monitor_check(monitor, iterations, admitted);
}

bool monitor_done(const struct monitor *monitor) {
    return monitor->result.status == SOLVER_CONVERGED || monitor->result.status == SOLVER_CAP ||
           monitor->result.status == SOLVER_REFUSED;
}

void monitor_refuse(struct monitor *monitor, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(monitor->result.note, sizeof monitor->result.note, format, arguments);
    va_end(arguments);
    monitor->result.status = SOLVER_REFUSED;
}

void monitor_stage(struct monitor *monitor) { monitor->before = monitor->iterations; }
