// The position pass at the end of a step, after Galizzi and Faure ("Animation efficace de solides
// en contact par modele physique", AFIG 2002, eq. 6.2): J M^-1 J^T d = depths pushes bodies that
// overlap apart by M^-1 J^T d, d >= 0, and leaves their velocities alone. Points of joints are
// brought together in the same system (section 7).
#ifndef ENGINE_STEP_PROJECTION_H
#define ENGINE_STEP_PROJECTION_H

#include "engine/contact/contacts.h"
#include "engine/step/correction.h"

// Moves bodies apart by the contacts of the step as they are after it, with settings.projection
// iterations.
void projection_apply(struct gabion_world *world);

// Finds the displacements that take the overlaps of `contacts` away, and those alone: nothing else
// moves. Contacts that are open may close on the way and then push too.
struct correction projection_find(const struct gabion_world *world, const struct contact *contacts,
                                  int iterations);
void projection_move(struct gabion_world *world, const struct correction *correction);

#endif
