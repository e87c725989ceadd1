// Mechanisms that jam. A joint asks for the velocity that continues a smooth motion, half a step's
// turn ahead of its directions at q_m (engine/world/joints.h). Contacts ask for rest at q_m. Where
// a contact that sticks leaves a mechanism no freedom, the two demands contradict each other by the
// square of the angle turned, and in a nearly flat triangle of bars the answer to that is a
// velocity hundreds of times as large: energy comes in, tenfold from step to step. So does a gap of
// a joint that is pulled shut against the contact.
#ifndef ENGINE_STEP_JAM_H
#define ENGINE_STEP_JAM_H

#include "engine/world/world.h"

// Looks for sets of bodies with contacts and joints that gained energy in the solve. Their joints
// then ask for rest as well, and the position pass closes their gaps at the end of the step
// (world->jammed). Returns whether there was one: the step has to be solved again.
bool jam_found(struct gabion_world *world);

#endif
