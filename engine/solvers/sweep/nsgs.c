#include "engine/solvers/sweep/nsgs.h"

#include <stdio.h>

#include "engine/solvers/local/local.h"
#include "engine/solvers/local/polygon.h"
#include "engine/solvers/methods.h"
#include "engine/solvers/sweep/momentum.h"
#include "engine/solvers/sweep/packed.h"
#include "engine/solvers/sweep/row_sweep.h"
#include "engine/solvers/sweep/workspace.h"

struct nsgs {
    const struct sweeper *sweeper;
    void *context;
    struct monitor *monitor;
    const struct residual_sums *total; // what the sweeper measured
    double floor;
    size_t contacts; // and points of joints
    // Returns whether the law of a polygon is obeyed; NULL: there is no polygon.
    bool (*settled)(struct nsgs *nsgs);
    struct sweep_judge *judge; // NULL: sweep until solved or at the cap
    bool done;
};

static bool gives_up(const struct nsgs *nsgs, int sweeps, const struct contact_error *error) {
    const struct monitor *monitor = nsgs->monitor;
    struct sweep_judge *judge = nsgs->judge;
    if (!judge)
        return false;
    if (sweeps == 0) {
        judge->first = error->scaled;
        judge->rate = rate_open(monitor->last);
        return error->scaled > judge->coldest;
    }
    double left = rate_left(&judge->rate, sweeps, monitor->last, monitor->settings->tolerance);
    judge->expected = sweeps + left;
    return rate_hopeless(sweeps, left, judge->worth) ||
           (error->scaled <= judge->enough && rate_hopeless(sweeps, left, judge->effort));
}

static void check(struct nsgs *nsgs, int sweeps) {
    nsgs->sweeper->check(nsgs->context);
    struct contact_error error = residual_error(nsgs->total, nsgs->floor);
    nsgs->done = monitor_note(nsgs->monitor, sweeps, &error) ||
                 (nsgs->settled && nsgs->settled(nsgs)) || gives_up(nsgs, sweeps, &error);
    if (!nsgs->done)
        nsgs->sweeper->extrapolate(nsgs->context, 0);
}

// The residual is a norm over all contacts: while a single one still changes by more than the whole
// may, a check would be wasted. The FCLIB measure has other units and is checked without this hint.
static bool worth_checking(const struct nsgs *nsgs, const struct sweep_sums *change) {
    const struct solver_settings *settings = nsgs->monitor->settings;
    double allowed = settings->tolerance * residual_scale(nsgs->total, nsgs->floor) +
                     residual_rounding(nsgs->total, nsgs->floor);
    return settings->measure != GABION_MEASURE_SCALED || sqrt(change->largest2) <= allowed;
}

// So many sweeps after a check that the hint did not ask for comes another one. A check computes
// the velocities anew, without the rounding errors that many sweeps have gathered: where bodies
// drift together fast, the hint never comes below these, and impulses that follow them are solved
// only shortly after.
#define SECOND_CHECK 4

// Returns the sweep of the next check that is due whatever the hint says, because it may be wrong.
// A judge wants to see the rate of convergence.
static int force_check(const struct nsgs *nsgs, int sweep) {
    if (!nsgs->judge)
        return 4 * sweep > 64 ? 4 * sweep : 64;
    return sweep > 0 ? sweep + 1 + sweep / 2 : (int)fmin(fmax(nsgs->judge->worth / 2, 2), 16);
}

static void run(struct nsgs *nsgs) {
    const struct sweeper *sweeper = nsgs->sweeper;
    const struct solver_settings *settings = nsgs->monitor->settings;
    struct momentum momentum = momentum_open(nsgs->contacts);
    int cap = settings->max_iterations - nsgs->monitor->before, next_check = 1;
    int forced_check = force_check(nsgs, 0);
    bool again = false; // the next forced check is a second one
    sweeper->start(nsgs->context);
    if (nsgs->judge)
        check(nsgs, 0);
    if (nsgs->done)
        return;
    for (int sweep = 1;; sweep++) {
        double beta = settings->momentum ? momentum_beta(&momentum) : 0;
        bool late = monitor_late(nsgs->monitor);
        sweeper->sweep(nsgs->context, beta);
        struct sweep_sums change = sweeper->change(nsgs->context);
        momentum_update(&momentum, &change);
        bool due = late || (sweep >= next_check && worth_checking(nsgs, &change));
        if (!due && sweep < forced_check && sweep < cap) {
            sweeper->extrapolate(nsgs->context, beta);
            continue;
        }
        check(nsgs, sweep);
        if (nsgs->done || late)
            return;
        // A check costs as much as four sweeps and takes their momentum once: the distance to the
        // next one grows with the work done.
        next_check = sweep + 1 + sweep / 4;
        again = !due && !nsgs->judge && !again;
        forced_check = again ? sweep + SECOND_CHECK : force_check(nsgs, sweep);
    }
}

// Polygons ------------------------------------------------------------------------------------

static bool has_polygon(const struct solver_settings *settings) {
    return settings->local == GABION_LOCAL_LEMKE || settings->local == GABION_LOCAL_QP;
}

// Returns whether sweeps with a polygonal cone have converged to the law of that cone. The residual
// of the round cone does not vanish there; what remains is the difference between the two cones.
static bool polygon_settled(struct monitor *monitor, const double *r) {
    const struct solver_settings *settings = monitor->settings;
    double residual = polygon_residual(monitor->problem, &settings->cone, r);
    if (!(residual <= settings->tolerance))
        return false;
    char name[40];
    polygon_name(&settings->cone, name, sizeof name);
    snprintf(monitor->result.note, sizeof monitor->result.note, "solved for the %s to %.1e", name,
             residual);
    return true;
}

static bool packed_settled(struct nsgs *nsgs) {
    const struct contact_problem *problem = nsgs->monitor->problem;
    const struct packed *packed = nsgs->context;
    vec3 *slots = memory_allocate(contact_problem_slots(problem), sizeof *slots, "impulses");
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "impulses");
    sweep_plan_store(packed->plan, slots);
    contact_problem_to_rows(problem, slots, r);
    bool settled = polygon_settled(nsgs->monitor, r);
    memory_free(slots);
    memory_free(r);
    return settled;
}

static bool rows_settled(struct nsgs *nsgs) {
    const struct row_sweep *rows = nsgs->context;
    return polygon_settled(nsgs->monitor, rows->state.r);
}

// Both kinds of problem -----------------------------------------------------------------------

static void note_substitutions(struct monitor *monitor, size_t count) {
    monitor->result.substitutions = (int64_t)count;
    if (count > 0 && monitor->result.note[0] == '\0')
        snprintf(monitor->result.note, sizeof monitor->result.note,
                 "local %s cannot serve %zu contacts whose blocks are not diagonal: newton did",
                 local_name(monitor->settings->local), count);
}

static void solve_packed(struct monitor *monitor, struct sweep_judge *judge, vec3 *r) {
    static const struct sweeper sweeper = {packed_start, packed_sweep, packed_change,
                                           packed_extrapolate, packed_check};
    struct sweep_plan *plan =
        workspace_plan(monitor->workspace, monitor->problem, monitor->settings, r);
    // From here on r is read no more until it is stored.
    struct packed packed = packed_open(plan, monitor->settings, r);
    struct nsgs nsgs = {.sweeper = &sweeper,
                        .context = &packed,
                        .monitor = monitor,
                        .total = &packed.total,
                        .judge = judge,
                        .floor = plan->least.floor,
                        .contacts = plan->total.active,
                        .settled = has_polygon(monitor->settings) ? packed_settled : NULL};
    if (plan->total.active > 0) {
        run(&nsgs);
    } else {
        packed_rest(&packed);
        monitor_note(monitor, 0, &(struct contact_error){0});
    }
    sweep_plan_store(plan, r);
    sweep_plan_share(plan);
    note_substitutions(monitor, plan->total.substitutions);
    monitor->result.local_fallbacks += packed_close(&packed);
}

static void solve_rows(struct monitor *monitor, double *r) {
    static const struct sweeper sweeper = {row_start, row_sweep, row_change, row_extrapolate,
                                           row_check};
    struct row_sweep rows = row_sweep_open(monitor->problem, monitor->settings, r);
    struct nsgs nsgs = {.sweeper = &sweeper,
                        .context = &rows,
                        .monitor = monitor,
                        .total = &rows.total,
                        .floor = monitor->problem->least.floor,
                        .contacts = (size_t)monitor->problem->contacts,
                        .settled = has_polygon(monitor->settings) ? rows_settled : NULL};
    if (monitor->problem->contacts > 0)
        run(&nsgs);
    else
        monitor_note(monitor, 0, &(struct contact_error){0});
    note_substitutions(monitor, rows.substitutions);
    monitor->result.local_fallbacks += row_sweep_close(&rows);
}

void nsgs_judged(struct monitor *monitor, struct sweep_judge *judge, vec3 *r) {
    solve_packed(monitor, judge, r);
}

void solver_nsgs(struct monitor *monitor, double *r) {
    if (monitor->problem->views.midpoint)
        solve_packed(monitor, NULL, (vec3 *)r);
    else
        solve_rows(monitor, r);
}
