// Block Gauss-Seidel (Jourdan, Alart, Jean 1998; Renouf, Dubois, Alart 2004) with any local solver.
#include <stdio.h>

#include "engine/solvers/sweep/gauss_seidel.h"
#include "engine/solvers/panel.h"
#include "engine/solvers/local/polygon.h"

// A check costs as much as a sweep: their distance grows with the work done.
static int next_check(int sweep) { return sweep + 1 + sweep / 8; }

// Local solvers with a polygon for a cone come to rest where the polygon's law is obeyed, and there
// the measure of the round cone stays: how far the two are apart is the answer then.
static bool polygon_done(struct monitor *monitor, int sweep, const double *r) {
    const struct solver_settings *settings = monitor->settings;
    if (settings->local != GABION_LOCAL_LEMKE && settings->local != GABION_LOCAL_QP)
        return false;
    double residual = polygon_residual(monitor->problem, &settings->cone, r);
    if (!(residual <= settings->tolerance))
        return false;
    char name[40];
    polygon_name(&settings->cone, name, sizeof name);
    monitor->best_measure = INFINITY;
    monitor_check(monitor, sweep, r);
    snprintf(monitor->result.note, sizeof monitor->result.note, "solved for the %s to %.1e", name,
             residual);
    return true;
}

void solver_sweeps(struct monitor *monitor, double *r) {
    struct gauss_seidel sweeps = gauss_seidel_open(monitor->problem, monitor->settings, r);
    int cap = monitor->settings->max_iterations - monitor->before;
    for (int sweep = 1, check = 1;; sweep++) {
        gauss_seidel_sweep(&sweeps);
        if (sweep < check && sweep < cap)
            continue;
        if (monitor_check(monitor, sweep, r) || polygon_done(monitor, sweep, r))
            break;
        check = next_check(sweep);
        gauss_seidel_refresh(&sweeps); // rounding of many sweeps must not hide in the velocities
    }
    monitor->result.local_fallbacks += gauss_seidel_fallbacks(&sweeps);
    gauss_seidel_close(&sweeps);
}
