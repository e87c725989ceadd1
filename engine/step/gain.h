// Energy that contacts created. A contact that obeys its law takes energy or none, with two
// exceptions: a rebound returns a part of what it took, and friction in a rebound can return more
// than that, because Newton's restitution looks at the normal velocity alone (Kane 1984;
// validation 9.13). Impulses that obey no law, of a step that was not solved or of a defect, may do
// anything. The ledger books all of this as contact work; here the gains are told apart, since
// losses hide them.
#ifndef ENGINE_STEP_GAIN_H
#define ENGINE_STEP_GAIN_H

#include "engine/world/world.h"

// Adds what the impulses of the step created to ledger.contact_gain and ledger.impact_gain. Call it
// while the velocities of the bodies are those before the impulses.
void gain_of_step(struct gabion_world *world);

#endif
