// The methods that solve a contact problem.
#ifndef ENGINE_SOLVERS_METHODS_H
#define ENGINE_SOLVERS_METHODS_H

#include "engine/solvers/monitor.h"

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
