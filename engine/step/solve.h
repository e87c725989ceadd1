// Solves the contact problem of a step: chooses the method, tries another one when it fails, and
// writes the report.
#ifndef ENGINE_STEP_SOLVE_H
#define ENGINE_STEP_SOLVE_H

#include "engine/problem/contact_problem.h"
#include "engine/solvers/monitor.h"
#include "engine/world/world.h"

// An observer receives the problem of each step before it is solved, with the impulses over slots
// that the solve starts from. Set world->observer to install one.
struct step_observer {
    void (*see)(struct step_observer *observer, struct contact_problem *problem, const vec3 *start);
};

// An observer that keeps a copy of the problem of the last solve, with its start. The caller frees
// it with contact_problem_free.
struct step_keeper {
    struct step_observer observer; // {step_keep}
    struct contact_problem *problem;
};
void step_keep(struct step_observer *observer, struct contact_problem *problem, const vec3 *start);

// Builds the contact problem, with views, of the current step; between steps, of the last one. Free
// it with contact_problem_free.
struct contact_problem *solve_problem(const struct gabion_world *world);
// Likewise, of its joints alone.
struct contact_problem *solve_joints(const struct gabion_world *world);

// Returns the speeds below which velocities do not matter in this step.
struct least_speeds solve_least_speeds(const struct gabion_world *world);

// Returns the solver settings of a run, with the deadline of its step in progress.
struct solver_settings solve_settings(const struct gabion_world *world);

// Phases of a step, in this order.

// Moves the start impulses into their friction cones for methods that may accept them unchanged.
void solve_admit(struct gabion_world *world);
// Returns whether the ranks of a run share the contacts of this step: where all that will look at
// them is made for that. Only sweeps are.
bool solve_shares(const struct gabion_world *world);
// Returns what to change so that ranks share contacts whatever the number of bodies is; NULL:
// nothing.
const char *solve_sharing_advice(const struct gabion_settings *settings);

// Lays the problem out.
void solve_open(struct gabion_world *world);
// Finds the impulses: they are left in world->contacts, the velocities they give in the workspace.
void solve_run(struct gabion_world *world);
void solve_close(struct gabion_world *world);

#endif
