// Every algorithm on one contact problem.
#ifndef ENGINE_SOLVERS_PANEL_H
#define ENGINE_SOLVERS_PANEL_H

#include "engine/solvers/monitor.h"

// Starts from r (zero: cold) and leaves the answer there: the best impulses that a method measured,
// or those of its last sweep. r goes over the slots of a problem with views, else over its rows.
// `workspace` keeps memory between solves, and after nsgs the velocities; NULL: none is kept.
struct solver_result panel_solve(struct contact_problem *problem, enum gabion_method method,
                                 const struct solver_settings *settings,
                                 struct solver_workspace *workspace, double *r);

const char *panel_name(enum gabion_method method);
const char *panel_local_name(enum gabion_local local);
bool panel_takes_joints(enum gabion_method method);
// Returns whether a method visits every contact at least once, whatever the start: others find a
// step that is solved as it stands, and their start must lie in the cones.
bool panel_visits_all(enum gabion_method method);
// Returns whether a choice of solvers answers for a polygon in place of Coulomb's cone.
bool solver_has_polygon(enum gabion_method method, enum gabion_local local);
const char *panel_status(enum solver_status status); // converged, cap, stalled, refused

// The one list of methods, in the order of enum gabion_method: EACH(enum name, name in files, takes
// joints, works on slots). The unknowns of methods that take no joints are cones or halflines. A
// method on slots works on the views of a problem that has them; the others need its rows.
#define SOLVER_METHODS(EACH)                                                                       \
    EACH(NSGS, nsgs, true, true)                                                                   \
    EACH(PSOR, psor, false, false)                                                                 \
    EACH(CPG, cpg, true, false)                                                                    \
    EACH(LEMKE, lemke, false, false)                                                               \
    EACH(QP, qp, false, false)                                                                     \
    EACH(NEWTON, newton, true, false)                                                              \
    EACH(BICG, bicg, true, false)                                                                  \
    EACH(ANDERSON, anderson, true, false)                                                          \
    EACH(IPM, ipm, false, false)                                                                   \
    EACH(PROX, prox, true, false)                                                                  \
    EACH(AUTO, auto, true, false)

// A method moves r, asks the monitor after each iteration that is worth measuring, and returns when
// it says stop or when the method itself cannot get further. It sees the problem, its settings and
// nothing else: monitor->problem, monitor->settings. solver_nsgs, solver_psor, ... are these.
typedef void (*solver_function)(struct monitor *monitor, double *r);
#define SOLVER_DECLARE(id, name, joints, slots)                                                    \
    void solver_##name(struct monitor *monitor, double *r);
SOLVER_METHODS(SOLVER_DECLARE)
#undef SOLVER_DECLARE

#endif
