#include "engine/solvers/monitor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/solvers/local/cone.h"
#include "parallel/clock.h"
#include "parallel/memory.h"
#include "parallel/stop.h"

struct monitor monitor_open(struct contact_problem *problem,
                            const struct solver_settings *settings) {
    struct monitor monitor = {.problem = problem, .settings = settings};
    monitor.best_measure = monitor.last = INFINITY;
    monitor.result.error = (struct contact_error){INFINITY, INFINITY, INFINITY};
    monitor.result.status = SOLVER_STALLED;
    return monitor;
}

void monitor_close(struct monitor *monitor) { memory_free(monitor->best); }

static double chosen(const struct solver_settings *settings, const struct contact_error *error) {
    return settings->measure == GABION_MEASURE_SCALED ? error->scaled : error->fclib;
}

static bool out_of_time(const struct solver_settings *settings) {
    return stop_agreed() || clock_past(settings->deadline);
}

static void record(struct monitor *monitor, int iterations, const struct contact_error *error) {
    const struct solver_settings *settings = monitor->settings;
    monitor->last = chosen(settings, error);
    monitor->iterations = monitor->before + iterations;
    monitor->result.iterations = monitor->iterations;
    monitor->result.spent[monitor->stage] = monitor->spent_before + iterations;
    if (settings->record)
        settings->record(settings->context, monitor->iterations, error);
}

static bool decide(struct monitor *monitor, double measure) {
    const struct solver_settings *settings = monitor->settings;
    if (measure <= settings->tolerance)
        monitor->result.status = SOLVER_CONVERGED;
    else if (monitor->iterations >= settings->max_iterations || out_of_time(settings))
        monitor->result.status = SOLVER_CAP;
    else
        return false;
    return true;
}

static void keep_best(struct monitor *monitor, const double *r) {
    size_t size = contact_problem_size(monitor->problem);
    if (!monitor->best)
        monitor->best = memory_allocate(size, sizeof *monitor->best, "impulses");
    memcpy(monitor->best, r, size * sizeof *r);
}

bool monitor_within(const struct monitor *monitor, const struct contact_error *error) {
    return chosen(monitor->settings, error) <= monitor->settings->tolerance;
}

static const struct residual_base *base_of(struct monitor *monitor) {
    if (!monitor->based)
        monitor->base = residual_base(monitor->problem);
    monitor->based = true;
    return &monitor->base;
}

struct contact_error monitor_measure(struct monitor *monitor, const double *r) {
    return residual_from(base_of(monitor), monitor->problem, r);
}

bool monitor_check(struct monitor *monitor, int iterations, const double *r) {
    struct contact_error error = monitor_measure(monitor, r);
    return monitor_take(monitor, iterations, r, &error);
}

bool monitor_check_both(struct monitor *monitor, int iterations, const double *r, const double *u) {
    struct contact_error error = residual_from_both(base_of(monitor), monitor->problem, r, u);
    return monitor_take(monitor, iterations, r, &error);
}

bool monitor_take(struct monitor *monitor, int iterations, const double *r,
                  const struct contact_error *error) {
    record(monitor, iterations, error);
    if (monitor->last < monitor->best_measure) {
        monitor->best_measure = monitor->last;
        monitor->result.error = *error;
        monitor->result.finished = monitor->stage;
        keep_best(monitor, r);
    } else if (!monitor->best) {
        keep_best(monitor, r); // the measure is NaN: later stages continue from the start
    }
    return decide(monitor, monitor->best_measure);
}

bool monitor_note(struct monitor *monitor, int iterations, const struct contact_error *error) {
    record(monitor, iterations, error);
    monitor->result.error = *error;
    monitor->result.finished = monitor->stage;
    return decide(monitor, monitor->last);
}

bool monitor_check_admitted(struct monitor *monitor, int iterations, const double *r,
                            double *admitted) {
    const struct contact_problem *problem = monitor->problem;
    for (int32_t a = 0; a < problem->contacts; a++)
        contact_set(admitted, a, cone_admit(problem, a, contact_get(r, a)));
    return monitor_check(monitor, iterations, admitted);
}

bool monitor_late(const struct monitor *monitor) { return out_of_time(monitor->settings); }

bool monitor_done(const struct monitor *monitor) {
    return monitor->result.status == SOLVER_CONVERGED || monitor->result.status == SOLVER_CAP ||
           monitor->result.status == SOLVER_REJECTED;
}

void monitor_reject(struct monitor *monitor, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(monitor->result.note, sizeof monitor->result.note, format, arguments);
    va_end(arguments);
    monitor->result.status = SOLVER_REJECTED;
}

void monitor_stage(struct monitor *monitor, enum gabion_method method) {
    monitor->before = monitor->iterations;
    monitor->stage = method;
    monitor->spent_before = monitor->result.spent[method];
}
