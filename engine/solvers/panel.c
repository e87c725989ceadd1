#include "engine/solvers/panel.h"

#include <math.h>
#include <string.h>

#include "engine/solvers/local/local.h"
#include "engine/solvers/sweep/workspace.h"
#include "parallel/memory.h"

static const struct method {
    const char *name;
    solver_function solve;
    bool joints, slots;
} methods[GABION_METHOD_COUNT] = {
#define METHOD(id, name, joints, slots)                                                            \
    [GABION_METHOD_##id] = {#name, solver_##name, joints, slots},
    SOLVER_METHODS(METHOD)
#undef METHOD
};

const char *panel_name(enum gabion_method method) { return methods[method].name; }

const char *panel_local_name(enum gabion_local local) { return local_name(local); }

bool panel_takes_joints(enum gabion_method method) { return methods[method].joints; }

const char *panel_status(enum solver_status status) {
    static const char *const words[] = {[SOLVER_CONVERGED] = "converged",
                                        [SOLVER_CAP] = "cap",
                                        [SOLVER_STALLED] = "stalled",
                                        [SOLVER_REJECTED] = "rejected"};
    return words[status];
}

bool solver_has_polygon(enum gabion_method method, enum gabion_local local) {
    bool by_contact = local == GABION_LOCAL_LEMKE || local == GABION_LOCAL_QP;
    return method == GABION_METHOD_LEMKE || method == GABION_METHOD_QP ||
           (method == GABION_METHOD_NSGS && by_contact);
}

bool panel_visits_all(enum gabion_method method) { return method == GABION_METHOD_NSGS; }

// Solves on the rows of the problem. Measures the start first, because it may be the solution
// already; a problem without contacts always is.
static void solve_rows(struct monitor *monitor, enum gabion_method method, double *r) {
    if (monitor->problem->held && !methods[method].joints)
        monitor_reject(monitor, "%s takes no joints; use nsgs or newton", methods[method].name);
    else if (!monitor_check(monitor, 0, r))
        methods[method].solve(monitor, r);
    if (monitor->best)
        memcpy(r, monitor->best, contact_problem_size(monitor->problem) * sizeof *r);
}

static void solve_slots(struct monitor *monitor, struct contact_problem *problem,
                        enum gabion_method method, vec3 *slots) {
    contact_problem_materialise(problem);
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "impulses");
    contact_problem_to_rows(problem, slots, r);
    solve_rows(monitor, method, r);
    contact_problem_from_rows(problem, r, slots);
    memory_free(r);
}

// Replaces impulses that are not finite by zero. Velocities that are NaN cause them; the residual
// then reports that the problem is not solved.
static void drop_if_not_finite(const struct contact_problem *problem, double *r) {
    size_t size = 3 * contact_problem_slots(problem), k = 0;
    while (k < size && isfinite(r[k]))
        k++;
    if (k < size)
        memset(r, 0, size * sizeof *r);
}

struct solver_result panel_solve(struct contact_problem *problem, enum gabion_method method,
                                 const struct solver_settings *settings,
                                 struct solver_workspace *workspace, double *r) {
    struct monitor monitor = monitor_open(problem, settings);
    bool keeps = problem->views.midpoint || problem->face == FACE_BODIES;
    struct solver_workspace *own = workspace || !keeps ? NULL : solver_workspace_create();
    monitor.workspace = own ? own : workspace;
    monitor.stage = monitor.result.finished = method;
    if (problem->views.midpoint && solver_has_polygon(method, settings->local))
        contact_problem_materialise(
            problem); // the residual of the polygonal cone is measured on rows
    if (methods[method].slots)
        methods[method].solve(&monitor, r);
    else if (problem->views.midpoint)
        solve_slots(&monitor, problem, method, (vec3 *)r);
    else
        solve_rows(&monitor, method, r);
    struct solver_result result = monitor.result;
    if (!isfinite(result.error.scaled))
        drop_if_not_finite(problem, r);
    solver_workspace_free(own);
    monitor_close(&monitor);
    return result;
}
