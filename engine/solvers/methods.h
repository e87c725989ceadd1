// The list of methods that solve a contact problem (engine/problem/contact_problem.h), and their
// common signature. docs/solvers.md describes each method.
#ifndef ENGINE_SOLVERS_METHODS_H
#define ENGINE_SOLVERS_METHODS_H

#include "engine/solvers/monitor.h"

// The only list of methods, in the order of enum gabion_method: EACH(enum name, name in files,
// takes joints, works on slots). A method that takes no joints handles only impulses in friction
// cones or on half-lines. A method that works on slots uses the views of a problem that has them;
// all others need its rows.
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
    EACH(ADMM, admm, true, false)                                                                  \
    EACH(AUTO, auto, true, true)

// A method improves r, calls the monitor after each iteration that is worth measuring, and returns
// when the monitor says stop or when it cannot improve r any further. It sees what the
// monitor holds (problem, settings, workspace) and nothing else. The functions are solver_nsgs,
// solver_psor and so on.
typedef void (*solver_function)(struct monitor *monitor, double *r);
#define SOLVER_DECLARE(id, name, joints, slots)                                                    \
    void solver_##name(struct monitor *monitor, double *r);
SOLVER_METHODS(SOLVER_DECLARE)
#undef SOLVER_DECLARE

#endif
