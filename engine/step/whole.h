// Steps that ranks share (engine/contact/shared.h, engine/world/piece.h), for parts that need all
// of them.
#ifndef ENGINE_STEP_WHOLE_H
#define ENGINE_STEP_WHOLE_H

struct gabion_world;

// Gives every rank all bodies of the step in progress, before they are integrated: where they were
// as it began and at its midpoint, and the velocities that the last solve found. All ranks follow
// all bodies from then on; contacts remain shared.
void whole_bodies(struct gabion_world *world);

// Gives every rank the contacts and pairs of the step, too.
void whole_step(struct gabion_world *world);

#endif
