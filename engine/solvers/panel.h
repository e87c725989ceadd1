// Solves a contact problem (engine/problem/contact_problem.h) by any of the methods, and answers
// questions about methods.
#ifndef ENGINE_SOLVERS_PANEL_H
#define ENGINE_SOLVERS_PANEL_H

#include "engine/solvers/methods.h"

// Solves the problem, starting from r (zero for a cold start), and leaves the solution in r: the
// best impulses that the method measured, or those of its last sweep. r is a vector over slots if
// the problem has views, else over rows. `workspace` keeps memory between solves and, after nsgs,
// the velocities; NULL: nothing is kept.
struct solver_result panel_solve(struct contact_problem *problem, enum gabion_method method,
                                 const struct solver_settings *settings,
                                 struct solver_workspace *workspace, double *r);

const char *panel_name(enum gabion_method method);
const char *panel_local_name(enum gabion_local local);
bool panel_takes_joints(enum gabion_method method);
// Returns whether a method visits every contact at least once. The other methods may accept their
// start impulses unchanged, so these must lie in the friction cones.
bool panel_visits_all(enum gabion_method method);
// Returns whether a method with a local solver replaces Coulomb's cone by a polygonal one.
bool solver_has_polygon(enum gabion_method method, enum gabion_local local);
const char *panel_status(enum solver_status status); // converged, cap, stalled, rejected

#endif
