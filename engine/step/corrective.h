// The phases of the corrective scheme (engine/step/galizzi.c) that no other scheme has. They hand
// their results on in world->galizzi, which exists between corrective_begin and corrective_end.
#ifndef ENGINE_STEP_CORRECTIVE_H
#define ENGINE_STEP_CORRECTIVE_H

#include "engine/motion/midpoint.h"
#include "engine/world/world.h"

void corrective_begin(struct gabion_world *world);
void corrective_end(struct gabion_world *world);

// Corrects the accelerations at the contacts that are closed when the step begins.
void corrective_accelerations(struct gabion_world *world);

// Keeps the state before bodies move, and puts it back when the step fails.
void corrective_keep_past(struct gabion_world *world);
void corrective_restore_past(struct gabion_world *world);

// Finds the displacements that take away the overlaps to which the motion led, and makes them.
void corrective_positions(struct gabion_world *world);
void corrective_move_apart(struct gabion_world *world);

// Corrects the velocities at the contacts that are closed when the step ends, with restitution, and
// makes them the state.
void corrective_velocities(struct gabion_world *world);
void corrective_take_velocities(struct gabion_world *world);

// Adds the impulses of the accelerations to those of the velocities, for output.
void corrective_add_start(struct gabion_world *world);

// Returns the velocity of a body as the last correction left it.
struct body_velocity corrective_velocity(const struct gabion_world *world, int32_t body);

#endif
