// The method auto: a chain of accelerated sweeps, interior point, proximal Newton and proximal
// point. Each stage starts from the best impulses so far, and only when the one before stalls.
// Sweeps are cheap and win on easy problems and where factors would be dense; the interior point
// method takes ten to twenty factorisations whatever the rank of W; where it fails, the proximal
// methods often succeed. docs/measurements.md reports the gain of each stage by problem.
#include <string.h>

#include "engine/solvers/krylov/anderson.h"
#include "engine/solvers/sweep/row_sweep.h"
#include "engine/solvers/newton/ipm.h"
#include "engine/solvers/methods.h"
#include "engine/solvers/newton/proximal_newton.h"

// Sweeps that a tenfold gain may take before the next stage begins. The limit depends on the cost
// of a factorisation, which grows with the square of the neighbours of a contact, while that of a
// sweep is proportional to them.
#define WINDOW_SHORT  15
#define WINDOW_LONG   100
#define WINDOW_BODIES 25

#define FEW 10 // contacts

#define FACTORISATIONS 60   // at most, per stage
#define COST_MOST      2e11 // multiplications of a factorisation; above, only sweeps are used

// Proximal Newton converges slowly on problems where all other methods stall: on beds of grains in
// 100 to 300 factorisations, while tens of thousands of sweeps make no progress. Where
// factorisations are cheap it may therefore take more of them.
#define NEWTON_MOST 400
#define NEWTON_WORK 4e9 // multiplications in all

static int window(const struct contact_problem *problem) {
    if (problem->face == FACE_BODIES)
        return WINDOW_BODIES;
    double neighbours = (double)problem->matrix.start[problem->contacts] / problem->contacts;
    double factorisation = 300 + 32 * neighbours * neighbours, sweep = 9 + 1.8 * neighbours;
    return (int)fmin(fmax(0.15 * factorisation / sweep, WINDOW_SHORT), WINDOW_LONG);
}

// Begins the next stage from the best impulses so far. Returns false where the problem is solved or
// the iterations are used up.
static bool go_on(struct monitor *monitor, enum gabion_method next, double *r) {
    if (monitor->result.status == SOLVER_CONVERGED || monitor->result.status == SOLVER_CAP)
        return false;
    memcpy(r, monitor->best, contact_problem_size(monitor->problem) * sizeof *r);
    monitor_stage(monitor, next);
    return true;
}

static int budget(const struct monitor *monitor, int most) {
    int left = monitor->settings->max_iterations - monitor->before;
    return left < most ? left : most;
}

static int newton_most(const struct resolvent *resolvent) {
    double cost = fmax(resolvent_cost(resolvent), 1);
    return (int)fmin(fmax(NEWTON_WORK / cost, FACTORISATIONS), NEWTON_MOST);
}

// Tries a single sweep, which solves a few nearly independent contacts in less time than it takes
// to set up an accelerated sweep.
static bool one_sweep(struct monitor *monitor, double *r) {
    struct solver_settings exact = *monitor->settings;
    exact.local = GABION_LOCAL_EXACT;
    struct row_sweep sweeps = row_sweep_open(monitor->problem, &exact, r);
    row_sweep_once(&sweeps);
    row_sweep_close(&sweeps);
    monitor_stage(monitor, GABION_METHOD_NSGS);
    return monitor_check(monitor, 1, r);
}

void solver_auto(struct monitor *monitor, double *r) {
    if (monitor->problem->contacts <= FEW && one_sweep(monitor, r))
        return;
    monitor_stage(monitor, GABION_METHOD_ANDERSON);
    if (anderson_run(monitor, window(monitor->problem), r) || !go_on(monitor, GABION_METHOD_IPM, r))
        return;
    struct resolvent *resolvent = resolvent_create(monitor->problem);
    bool open = true;
    if (resolvent_cost(resolvent) <= COST_MOST) {
        if (!monitor->problem->held) // ipm takes no joints
            ipm_run(monitor, resolvent, budget(monitor, FACTORISATIONS), r);
        if ((open = go_on(monitor, GABION_METHOD_NEWTON, r))) {
            proximal_newton_run(monitor, resolvent, budget(monitor, newton_most(resolvent)), r);
            open = go_on(monitor, GABION_METHOD_PROX, r);
        }
    }
    resolvent_free(resolvent);
    if (open) {
        monitor_stage(monitor, GABION_METHOD_PROX);
        solver_prox(monitor, r);
    }
}
