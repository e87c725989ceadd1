#include "engine/solvers/panel.h"

#include <string.h>

static const struct method {
    const char *name;
    solver_function solve;
    bool joints; // takes them; unknowns of the others are cones or halflines
} methods[GABION_METHOD_COUNT] = {
    [GABION_METHOD_NSGS] = {"nsgs", solver_sweeps, true},
    [GABION_METHOD_PSOR] = {"psor", solver_psor, false},
    [GABION_METHOD_CPG] = {"cpg", solver_cpg, true},
    [GABION_METHOD_LEMKE] = {"lemke", solver_lemke, false},
    [GABION_METHOD_QP] = {"qp", solver_qp, false},
    [GABION_METHOD_NEWTON] = {"newton", solver_newton, true},
    [GABION_METHOD_BICG] = {"bicg", solver_bicg, true},
    [GABION_METHOD_ANDERSON] = {"anderson", solver_anderson, true},
    [GABION_METHOD_IPM] = {"ipm", solver_ipm, false},
    [GABION_METHOD_PROX] = {"prox", solver_prox, true},
    [GABION_METHOD_AUTO] = {"auto", solver_auto, true},
};

static const char *const locals[GABION_LOCAL_COUNT] = {
    [GABION_LOCAL_AUTO] = "auto",     [GABION_LOCAL_EXPLICIT] = "explicit",
    [GABION_LOCAL_NEWTON] = "newton", [GABION_LOCAL_LEMKE] = "lemke",
    [GABION_LOCAL_QP] = "qp",         [GABION_LOCAL_EXACT] = "exact",
};

const char *panel_name(enum gabion_method method) { return methods[method].name; }

const char *panel_local_name(enum gabion_local local) { return locals[local]; }

bool panel_takes_joints(enum gabion_method method) { return methods[method].joints; }

const char *panel_status(enum solver_status status) {
    static const char *const words[] = {[SOLVER_CONVERGED] = "converged",
                                        [SOLVER_CAP] = "cap",
                                        [SOLVER_STALLED] = "stalled",
                                        [SOLVER_REFUSED] = "refused"};
    return words[status];
}

// The start is measured first: it may be the answer, and no contacts are solved by nothing.
struct solver_result panel_solve(const struct friction_problem *problem, enum gabion_method method,
                                 const struct solver_settings *settings, double *r) {
    struct monitor monitor = monitor_open(problem, settings);
    if (problem->held && !methods[method].joints)
        monitor_refuse(&monitor, "%s takes no joints; use nsgs or newton", methods[method].name);
    else if (!monitor_check(&monitor, 0, r))
        methods[method].solve(&monitor, r);
    memcpy(r, monitor.best, friction_problem_size(problem) * sizeof *r);
    struct solver_result result = monitor.result;
    monitor_close(&monitor);
    return result;
}
