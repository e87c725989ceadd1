// Measures how far bodies overlap at the end of a step, and how many contacts carry force.
#ifndef ENGINE_STEP_OVERLAP_H
#define ENGINE_STEP_OVERLAP_H

#include "engine/world/world.h"

// Fills the step's report with the deepest overlaps of any two bodies, the mean overlap at the
// contacts of the step, the contacts that carry force and the error of joints.
void overlap_measure(struct gabion_world *world);

#endif
