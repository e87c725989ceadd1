// The phases of a step that are the same in both schemes (moreau.h, galizzi.h).
#ifndef ENGINE_STEP_STEP_H
#define ENGINE_STEP_STEP_H

#include "engine/motion/midpoint.h"
#include "engine/solvers/sweep/workspace.h"
#include "engine/step/corrective.h"
#include "engine/world/world.h"

// Makes one step by the scheme of the settings. Returns false on an error that stops the run; the
// state is then that of the last complete step.
bool world_step(struct gabion_world *world, struct gabion_error *error);

// Puts back the state of the last complete step after one that failed, also where memory ran out in
// the middle. Returns false where that is not possible: bodies were entering or leaving, or the
// state had begun to change. Other data of the step are lost; its contacts are gone.
bool step_undo(struct gabion_world *world);

// Runs a phase and adds its time to the run's report.
void step_phase(struct gabion_world *world, enum phase phase, void (*work)(struct gabion_world *));

// Phases at the start of a step, in this order.
void step_enter(struct gabion_world *world);   // keeps what probes read of contacts, lets bodies
                                               // enter, sorts them, puts driven ones on their path
void step_leave(struct gabion_world *world);   // resets velocities, and lets bodies leave
void step_account(struct gabion_world *world); // books the energy of these events in the ledger
void step_interfaces(struct gabion_world *world); // finds the masonry interfaces of the first step
// Rejects bodies that entered in this step and do not fit into a hollow body.
bool step_fits(struct gabion_world *world, struct gabion_error *error);

// Returns the velocity of a body at the end of the step, as the solve left it.
static inline struct body_velocity step_velocity(const void *context, int32_t body) {
    const struct gabion_world *world = context;
    return world->galizzi ? corrective_velocity(world, body)
                          : solver_workspace_velocity(world->workspace, body);
}

// Returns whether the step is to be abandoned, then with an error. Asked after the phases that take
// longest besides the solve, which asks by itself.
bool step_stopped(const struct gabion_world *world, struct gabion_error *error);

// Checks those velocities before they become state. Returns false with an error where one is not a
// number, where the solver rejected the problem or was asked to stop, or where an unsolved step
// stops the run (solver.on_cap).
bool step_check(struct gabion_world *world, struct gabion_error *error);

// Mark the places between which the state does not change, or is put back by step_undo: after the
// bodies that enter and leave, and after the last check. From there on nobody can stop the step any
// more.
void step_begin(struct gabion_world *world);
void step_commit(struct gabion_world *world);

// Integrates free bodies with those velocities, and driven ones along their path.
void step_integrate(struct gabion_world *world);

// Counts a complete step.
void step_count(struct gabion_world *world);

#endif
