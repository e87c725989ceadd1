// Validators: what must hold of a world between the phases of a step, whatever the scene is.
//
// Each returns false with an error that names the first body or contact that is wrong, and changes
// nothing. A debug build calls them after every phase (parallel/check.h); others call none of them.
#ifndef ENGINE_STEP_VALIDATE_H
#define ENGINE_STEP_VALIDATE_H

#include "engine/world/world.h"

// Bodies: ids and indices lead to each other, shapes exist, states are finite, quaternions are
// unit, moving bodies have a mass and fixed ones have none.
bool validate_bodies(const struct bodies *bodies, struct gabion_error *error);

// Midpoint positions, axes and free velocities are finite.
bool validate_midpoint(const struct gabion_world *world, struct gabion_error *error);

// Contacts: bodies in range and in canonical order, the first one moving; unit normals; laws in
// range; finite gaps and points.
bool validate_contacts(const struct gabion_world *world, struct gabion_error *error);

// Impulses lie in their friction cones, or in the polygons that the settings put in their place.
bool validate_impulses(const struct gabion_world *world, struct gabion_error *error);

// All that must hold after this phase.
bool validate_phase(const struct gabion_world *world, enum phase phase, struct gabion_error *error);

// In a debug build aborts where validate_phase fails; in others does nothing.
void validate_after(const struct gabion_world *world, enum phase phase);

#endif
