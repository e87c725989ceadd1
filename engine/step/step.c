#include "engine/step/step.h"

#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/step/galizzi.h"
#include "engine/contact/detection.h"
#include "engine/world/events.h"
#include "engine/world/hollow_fit.h"
#include "engine/motion/motion.h"
#include "engine/problem/problem.h"
#include "engine/step/projection.h"
#include "engine/step/solution.h"
#include "engine/solvers/panel.h"
#include "parallel/clock.h"

const char *const phase_names[PHASE_COUNT] = {
    [PHASE_EVENTS] = "events", [PHASE_PREDICT] = "predict",     [PHASE_BROAD] = "broad",
    [PHASE_NARROW] = "narrow", [PHASE_CONTACTS] = "contacts",   [PHASE_PROBLEM] = "problem",
    [PHASE_SOLVE] = "solve",   [PHASE_INTEGRATE] = "integrate", [PHASE_PROJECT] = "project",
    [PHASE_LEDGER] = "ledger",
};

void step_phase(struct gabion_world *world, enum phase phase, void (*work)(struct gabion_world *)) {
    double start = clock_seconds();
    work(world);
    world->phase_time[phase] += clock_seconds() - start;
}

static void solve(struct gabion_world *world) {
    struct nsgs_result result = solution_find(world);
    struct gabion_step_report *report = &world->report;
    report->sweeps = result.sweeps;
    report->converged = result.converged;
    report->residual = result.residual;
    report->residual_fclib = result.residual_fclib;
    memcpy(report->refusal, result.refusal, sizeof report->refusal);
    report->colours = world->problem->colours;
    world->run.local_fallbacks += result.local_fallbacks;
    problem_store(world);
}

static double speed2(const struct solver_body *body) {
    vec3 v = solver_v(body), s = solver_s(body);
    return vec3_dot(v, v) + vec3_dot(s, s);
}

// Largest speed, and the place where a NaN is caught before it reaches the state.
static void measure_speed(void *context, size_t begin, size_t end, double *out) {
    const struct solver_body *bodies = context;
    for (size_t i = begin; i < end; i++) {
        vec3 v = solver_v(&bodies[i]);
        out[0] = isfinite(speed2(&bodies[i])) ? fmax(out[0], vec3_dot(v, v)) : NAN;
        if (isnan(out[0]))
            return;
    }
}

bool step_check(struct gabion_world *world, struct gabion_error *error) {
    double v2;
    if (world->report.refusal[0])
        return error_set(error, GABION_ERROR_RUN, "step %lld: solver.method %s: %s",
                         (long long)world->step + 1, panel_name(world->settings.method),
                         world->report.refusal);
    team_max(world->team, (size_t)world->bodies.moving, 1, measure_speed, world->problem->bodies,
             &v2);
    world->report.max_speed = sqrt(v2);
    if (isnan(v2)) {
        int32_t i = 0;
        while (i + 1 < world->bodies.moving && isfinite(speed2(&world->problem->bodies[i])))
            i++;
        return error_set(error, GABION_ERROR_RUN,
                         "step %lld: the velocity of body %d is not a number; the state of the "
                         "last complete step is kept. Try a smaller time.step",
                         (long long)world->step + 1, world->bodies.id[i]);
    }
    if (!world->report.converged && world->settings.on_cap == GABION_CAP_STOP)
        return error_set(error, GABION_ERROR_RUN,
                         "step %lld: residual %.3g after %d sweeps, above solver.tolerance %.3g, "
                         "and solver.on_cap is stop. Go on with a higher "
                         "solver.max_sweeps or solver.tolerance (resume --set)",
                         (long long)world->step + 1, world->report.residual, world->report.sweeps,
                         world->settings.tolerance);
    return true;
}

void step_count(struct gabion_world *world) {
    double time;
    world->report.candidates = (int64_t)world->contacts->count;
    world->report.bodies = 0;
    for (int32_t i = 0; i < world->bodies.count; i++)
        world->report.bodies += !bodies_is_wall(&world->bodies, i);
    world->step++;
    world->run.steps++;
    world->run.unconverged_steps += !world->report.converged;
    world->run.sweeps += world->report.sweeps;
    world->run.contact_sweeps += (int64_t)world->problem->active * world->report.sweeps;
    time = world_time(world);
    if (!(world->report.max_speed <= world->settings.rest_speed))
        world->rest_since = NAN;
    else if (isnan(world->rest_since))
        world->rest_since = time;
}

// Bodies come in at the start and from the waiting ones.
bool step_begin(struct gabion_world *world, struct gabion_error *error) {
    int waiting = world->pending_count;
    double budget = world->settings.time_budget;
    world->deadline = budget > 0 ? clock_seconds() + budget : 0;
    step_phase(world, PHASE_EVENTS, events_apply);
    if (world->step > 0 && world->pending_count == waiting)
        return true;
    return hollow_fit_check(world, error) ||
           error_context(error, "step %lld", (long long)world->step + 1);
}

bool world_step(struct gabion_world *world, struct gabion_error *error) {
    if (world->settings.scheme == GABION_SCHEME_CORRECTIVE)
        return corrective_step(world, error);
    if (!step_begin(world, error))
        return false;
    step_phase(world, PHASE_PREDICT, motion_predict);
    step_phase(world, PHASE_BROAD, detection_broad);
    step_phase(world, PHASE_NARROW, detection_narrow);
    step_phase(world, PHASE_CONTACTS, contacts_match);
    step_phase(world, PHASE_PROBLEM, problem_build);
    step_phase(world, PHASE_SOLVE, solve);
    if (!step_check(world, error))
        return false;
    step_phase(world, PHASE_LEDGER, ledger_work);
    step_phase(world, PHASE_INTEGRATE, motion_integrate);
    step_phase(world, PHASE_CONTACTS, contacts_remember);
    step_phase(world, PHASE_CONTACTS, joints_remember);
    step_phase(world, PHASE_LEDGER, ledger_close);
    if (world->settings.projection > 0) {
        step_phase(world, PHASE_PROJECT, projection_apply);
        step_phase(world, PHASE_LEDGER, ledger_projection);
    }
    step_phase(world, PHASE_LEDGER, ledger_contacts);
    step_count(world);
    return true;
}
