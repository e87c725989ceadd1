// The solve of a step: which method, what helps when it fails, and what is reported.
#ifndef ENGINE_STEP_SOLVE_H
#define ENGINE_STEP_SOLVE_H

#include "engine/problem/contact_problem.h"
#include "engine/solvers/monitor.h"
#include "engine/world/world.h"

// Sees the problem of a step before it is solved, with the impulses that the solve starts from
// (over the slots of its views). Set world->observer to be called in every step.
struct step_observer {
    void (*see)(struct step_observer *observer, struct contact_problem *problem, const vec3 *start);
};

// Returns the problem of the contacts that the world has now, as views: of the step in progress, or
// of the last one. Free it with contact_problem_free.
struct contact_problem *solve_problem(const struct gabion_world *world);

// Returns the solver settings of a run, with the deadline of its step in progress.
struct solver_settings solve_settings(const struct gabion_world *world);

// Phases. Methods that may find a step solved as it stands need start impulses inside their cones.
void solve_admit(struct gabion_world *world);
// Lays the problem out.
void solve_open(struct gabion_world *world);
// Finds the impulses: they are left in world->contacts, the velocities they give in the workspace.
void solve_run(struct gabion_world *world);
void solve_close(struct gabion_world *world);

#endif
