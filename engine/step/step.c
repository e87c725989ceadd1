#include "engine/step/step.h"

#include "engine/contact/detection.h"
#include "engine/contact/interfaces.h"
#include "engine/contact/shared.h"
#include "engine/motion/motion.h"
#include "engine/probe/probe.h"
#include "engine/solvers/panel.h"
#include "engine/solvers/sweep/workspace.h"
#include "engine/step/contradiction.h"
#include "engine/step/corrective.h"
#include "engine/step/galizzi.h"
#include "engine/step/moreau.h"
#include "engine/step/moves.h"
#include "engine/step/sharing.h"
#include "engine/step/solve.h"
#include "engine/step/validate.h"
#include "engine/world/drivers.h"
#include "engine/world/events.h"
#include "engine/world/fall.h"
#include "engine/world/hollow_fit.h"
#include "engine/world/order.h"
#include "parallel/clock.h"
#include "parallel/memory.h"
#include "parallel/stop.h"

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
    validate_after(world, phase);
}

bool world_step(struct gabion_world *world, struct gabion_error *error) {
    double budget = world->settings.time_budget;
    world->start = (struct step_start){
        .report = world->report,
        .memory = world->memory,
        .local_fallbacks = world->run.local_fallbacks,
    };
    world->deadline = budget > 0 ? clock_seconds() + budget : 0;
    if (world->settings.scheme == GABION_SCHEME_CORRECTIVE ? galizzi_step(world, error)
                                                           : moreau_step(world, error))
        return true;
    world->start.kept = true; // it was, or has been put back
    step_undo(world);
    return false;
}

// What is read from now on is the last complete step, whose contacts are gone. Trying again does
// the same again.
bool step_undo(struct gabion_world *world) {
    if (!world->start.kept)
        return false;
    if (world->galizzi)
        corrective_restore_past(world);
    world->report = world->start.report;
    world->memory = world->start.memory;
    world->run.local_fallbacks = world->start.local_fallbacks;
    contacts_void_list(world->contacts);
    return true;
}

// Bodies that enter and leave -------------------------------------------------------------------

static void follow_order(struct gabion_world *world, int32_t *new_index, int32_t old_moving) {
    contacts_reorder(world, new_index, old_moving);
    memory_free(new_index);
}

void step_enter(struct gabion_world *world) {
    probes_keep(world);
    events_insert(world);
    int32_t moving = world->bodies.moving;
    if (world->entered || world->step % ORDER_INTERVAL == 0) {
        piece_gather(world);
        follow_order(world, order_bodies(world), moving);
    }
    if (world->entered || world->step == 0)
        drivers_adopt(world);
}

void step_leave(struct gabion_world *world) {
    events_reset(world);
    int32_t moving = world->bodies.moving;
    bool *leaves = events_leaving(world);
    if (leaves)
        follow_order(world, order_remove(world, leaves), moving);
    memory_free(leaves);
}

void step_account(struct gabion_world *world) {
    if (world->changed || world->step == 0)
        ledger_events(world);
}

void step_interfaces(struct gabion_world *world) {
    if (world->step == 0)
        interfaces_find(world);
}

bool step_fits(struct gabion_world *world, struct gabion_error *error) {
    if (world->step > 0 && !world->entered && !world->misfit)
        return true;
    world->misfit = !hollow_fit_check(world, error);
    return !world->misfit || error_context(error, "step %lld", (long long)world->step + 1);
}

// The end of a step -----------------------------------------------------------------------------

static int32_t first_not_finite(const struct gabion_world *world) {
    int32_t i = piece_begin(world), end = piece_end(world);
    while (i < end && isfinite(body_velocity_square(step_velocity(world, i))))
        i++;
    return piece_first(world, i < end ? i : world->bodies.moving - 1);
}

bool step_stopped(const struct gabion_world *world, struct gabion_error *error) {
    return stop_agreed() &&
           !error_set(error, GABION_ERROR_STOPPED,
                      "step %lld was abandoned, as the program asked; the state of the last "
                      "complete step is kept",
                      (long long)world->step + 1);
}

bool step_check(struct gabion_world *world, struct gabion_error *error) {
    if (stop_seen() && step_stopped(world, error))
        return false;
    if (world->report.rejection[0])
        return error_set(error, GABION_ERROR_RUN, "step %lld: solver.method %s: %s",
                         (long long)world->step + 1, panel_name(world->settings.method),
                         world->report.rejection);
    if (!contradiction_check(world, error))
        return false;
    moves_measure(world, step_velocity, world, &world->report);
    if (isnan(world->report.max_speed))
        return error_set(error, GABION_ERROR_RUN,
                         "step %lld: the velocity of body %d is not a number; the state of the "
                         "last complete step is kept. Try a smaller time.step",
                         (long long)world->step + 1, world->bodies.id[first_not_finite(world)]);
    if (!world->report.converged && world->settings.on_cap == GABION_CAP_STOP)
        return error_set(error, GABION_ERROR_RUN,
                         "step %lld: residual %.3g after %d sweeps, above solver.tolerance %.3g, "
                         "and solver.on_cap is stop. Go on with a higher "
                         "solver.max_sweeps or solver.tolerance (resume --set)",
                         (long long)world->step + 1, world->report.residual, world->report.sweeps,
                         world->settings.tolerance);
    return true;
}

void step_begin(struct gabion_world *world) {
    contacts_begin(world, solve_shares(world));
    world->start.kept = true;
}

void step_commit(struct gabion_world *world) {
    world->start.kept = false;
    stop_use(NULL);
}

void step_integrate(struct gabion_world *world) {
    motion_integrate_free(world, step_velocity, world);
    motion_integrate_driven(world);
}

void step_count(struct gabion_world *world) {
    double time;
    world->report.candidates = contacts_total(world);
    world->report.bodies = detection_finite(&world->bodies);
    world->step++;
    world->run.steps++;
    world->run.unconverged_steps += !world->report.converged;
    world->run.fallback_steps += world->report.fell_back;
    int64_t sweeps =
        world->report.spent[GABION_METHOD_NSGS] + world->report.spent[GABION_METHOD_PSOR];
    world->run.sweeps += sweeps;
    world->run.contact_sweeps += (int64_t)world->report.rows * sweeps;
    sharing_count_step(world);
    for (int method = 0; method < GABION_METHOD_COUNT; method++)
        world->run.spent[method] += world->report.spent[method];
    fall_note(world);
    time = world_time(world);
    if (!(world->report.max_speed <= world->settings.rest_speed))
        world->rest_since = NAN;
    else if (isnan(world->rest_since))
        world->rest_since = time;
}
