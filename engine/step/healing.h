// Moves bodies apart that overlap after a step, without changing their velocities. Solved steps
// hardly leave overlaps; what unsolved steps, imports and rounding leave would stay for ever,
// because contact does not push overlaps out.
//
// Where two bodies overlap by more than HEALING_BOUND of the smaller one's size, they are moved
// apart until half of that is left, by the least displacements in the metric of the masses (Galizzi
// and Faure 2002, eq. 6.2): min 1/2 d.M d with g + J d >= min(0, max(g, -half the bound)) at every
// contact, where g are the gaps at the present positions and J their gradients. Contacts that are
// open or touch take part, so that nothing is pushed into a third body. The half that is left keeps
// contacts closed: they go on carrying their load, and the pass is not needed again at once.
#ifndef ENGINE_STEP_HEALING_H
#define ENGINE_STEP_HEALING_H

#include "engine/world/world.h"

#define HEALING_BOUND 1e-3

// Returns whether some overlap of the step's report is to be removed: contact.projection is auto,
// and contact.gap is gap. The overlaps of moreau are part of that scheme and give their energy back
// in a rebound, and stabilized pushes overlaps out by itself.
bool healing_needed(const struct gabion_world *world);

// Moves the bodies, except those that leave each other by themselves. A step moves no point of a
// body by more than a fifth of the body's size.
void healing_apply(struct gabion_world *world);

#endif
