// Every algorithm on one contact problem.
#ifndef ENGINE_SOLVERS_PANEL_H
#define ENGINE_SOLVERS_PANEL_H

#include "engine/solvers/monitor.h"

// Starts from r (zero: cold) and leaves the best impulses there.
struct solver_result panel_solve(const struct friction_problem *problem, enum gabion_method method,
                                 const struct solver_settings *settings, double *r);

const char *panel_name(enum gabion_method method);
const char *panel_local_name(enum gabion_local local);
bool panel_takes_joints(enum gabion_method method);
const char *panel_status(enum solver_status status); // converged, cap, stalled, refused

// A method: moves r, asks the monitor after each iteration that is worth measuring, and returns
// when it says stop or when the method itself cannot get further. The panel returns monitor->best.
typedef void (*solver_function)(struct monitor *monitor, double *r);

void solver_sweeps(struct monitor *monitor, double *r); // nsgs, any local solver
void solver_psor(struct monitor *monitor, double *r);
void solver_cpg(struct monitor *monitor, double *r);
void solver_lemke(struct monitor *monitor, double *r);
void solver_qp(struct monitor *monitor, double *r);
void solver_newton(struct monitor *monitor, double *r);
void solver_bicg(struct monitor *monitor, double *r);
void solver_anderson(struct monitor *monitor, double *r);
void solver_ipm(struct monitor *monitor, double *r);
void solver_prox(struct monitor *monitor, double *r);
void solver_auto(struct monitor *monitor, double *r);

#endif
