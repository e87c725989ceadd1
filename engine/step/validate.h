// Validators: check conditions that hold in every scene between the phases of a step.
//
// Each returns false with an error that names the first body or contact that is wrong, and changes
// nothing. A debug build calls them after every phase (parallel/check.h); other builds call none of
// them.
#ifndef ENGINE_STEP_VALIDATE_H
#define ENGINE_STEP_VALIDATE_H

#include "engine/world/world.h"

// Checks bodies: ids and indices refer to each other, shapes exist, states are finite, quaternions
// have unit length, moving bodies have a mass and fixed ones have none.
bool validate_bodies(const struct bodies *bodies, struct gabion_error *error);

// Checks that midpoint positions, axes and free velocities are finite.
bool validate_midpoint(const struct gabion_world *world, struct gabion_error *error);

// Checks contacts: bodies are in range and in canonical order, the first one moves, normals have
// unit length, laws are in range, gaps and points are finite.
bool validate_contacts(const struct gabion_world *world, struct gabion_error *error);

// Checks that impulses lie in their friction cones, or in the polygonal cones that the settings ask
// for.
bool validate_impulses(const struct gabion_world *world, struct gabion_error *error);

// Checks everything that must hold after this phase.
bool validate_phase(const struct gabion_world *world, enum phase phase, struct gabion_error *error);

// Aborts a debug build where validate_phase fails; does nothing in other builds.
void validate_after(const struct gabion_world *world, enum phase phase);

#endif
