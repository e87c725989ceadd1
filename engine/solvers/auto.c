// The default chain: accelerated sweeps, interior point, proximal Newton, proximal point, each from
// the best impulses so far and only when the one before stalls. Sweeps are cheap and win on easy
// problems and where factors would be dense; the interior point method takes ten to twenty
// factorisations whatever the rank of W; where it jams the proximal methods still get through. What
// each was worth on which problems is in docs/measurements.md.
#include <string.h>

#include "engine/solvers/krylov/anderson.h"
#include "engine/solvers/sweep/row_sweep.h"
#include "engine/solvers/newton/ipm.h"
#include "engine/solvers/methods.h"
#include "engine/solvers/newton/proximal_newton.h"

// How long sweeps may go without a tenfold gain depends on what a factorisation would cost. That
// grows with the square of the neighbours of a contact, the cost of a sweep in proportion to them.
#define WINDOW_SHORT  15
#define WINDOW_LONG   100
#define WINDOW_BODIES 25

#define FEW 10 // contacts

#define FACTORISATIONS 60   // of a stage
#define COST_MOST      2e11 // multiplications of one; beyond, only sweeps are left

// Proximal Newton gets slowly through where all else stalls (beds of grains, after 100 to 300
// factorisations, while sweeps stand still for tens of thousands): it may take longer where
// factorisations are cheap.
#define NEWTON_MOST 400
#define NEWTON_WORK 4e9 // multiplications in all

static int window(const struct contact_problem *problem) {
    if (problem->face == FACE_BODIES)
        return WINDOW_BODIES;
    double neighbours = (double)problem->matrix.start[problem->contacts] / problem->contacts;
    double factorisation = 300 + 32 * neighbours * neighbours, sweep = 9 + 1.8 * neighbours;
    return (int)fmin(fmax(0.15 * factorisation / sweep, WINDOW_SHORT), WINDOW_LONG);
}

// The next stage starts from the best.
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

// Few contacts that hardly touch each other are solved by one sweep, in less time than the memory
// of an accelerated one takes to set up.
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
