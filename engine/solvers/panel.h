// Every algorithm on one contact problem.
#ifndef ENGINE_SOLVERS_PANEL_H
#define ENGINE_SOLVERS_PANEL_H

#include "engine/solvers/methods.h"

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

#endif
