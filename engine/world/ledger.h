// The energy ledger: books every change of energy by its cause. What no cause explains is the
// error.
//
//   energy_error = dE - contact - joint - driver - applied - theta - projection - removed
//   E = kinetic + potential
//
// accumulated over the run. For constant forces and any theta this closes to rounding
// (validation: the identity of Renouf, Acary, Dumont 2005, section 8.1).
#ifndef ENGINE_WORLD_LEDGER_H
#define ENGINE_WORLD_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "geometry/vec.h"

struct ledger {
    double kinetic, potential; // now
    double contact_work;       // 1/2 sum (u+ + u-).r: friction, impact, restitution
    double joint_work;         // the same sum over joints: work of their corrections and of theta
    double driver_work;        // done by prescribed bodies on the others
    double applied_work;       // applied forces; change of gravity under a ramp
    double theta_work;         // -(theta - 1/2) h F.(v+ - v-), and the gyroscopic counterpart
    double projection_work;    // bodies moved apart: their weight, and the turn of unequal moments
    double removed_energy;     // events: bodies that entered or left, velocities that were reset
    // Parts of contact_work that contacts created (engine/step/gain.h): beyond their law, and
    // together in impacts.
    double contact_gain, impact_gain;
    double gain_scale; // sum of |u_free.r|: what contacts had to deal with
    double energy_error;
    double explained; // work of the step in progress, until ledger_close
    double turnover;  // sum of |work| of every kind and step, the scale of energy_error
};

struct gabion_world;
struct bodies;

// Measures the energies anew after events (or before the first step) and books the difference as
// removed_energy.
void ledger_events(struct gabion_world *world);
// Gives a body another velocity and spin between steps and books the difference as removed_energy.
void ledger_set_velocity(struct gabion_world *world, int32_t i, vec3 velocity, vec3 spin);
// Measures the energies at the end of the step and adds to energy_error what the work of the step
// does not explain.
void ledger_close(struct gabion_world *world);
// Measures the energies anew after bodies were moved apart and books the difference as
// projection_work.
void ledger_projection(struct gabion_world *world);

// Return the kinetic energy of a body, and that of its rotation alone.
double ledger_kinetic_energy(const struct bodies *bodies, int32_t i);
double ledger_spin_energy(const struct bodies *bodies, int32_t i);

// Returns whether energy_error is larger than rounding allows, which means that the program has a
// defect.
bool ledger_failed(const struct ledger *ledger);

#endif
