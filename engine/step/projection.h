// The position pass at the end of a step, after Galizzi and Faure ("Animation efficace de solides
// en contact par modele physique", AFIG 2002, eq. 6.2). It solves J M^-1 J^T d = depths with d >= 0
// and moves overlapping bodies apart by M^-1 J^T d, without changing their velocities; J are the
// gradients of the gaps and M the masses. The same system brings the points of joints together
// (section 7).
#ifndef ENGINE_STEP_PROJECTION_H
#define ENGINE_STEP_PROJECTION_H

#include "engine/contact/contacts.h"
#include "engine/motion/midpoint.h"
#include "engine/step/correction.h"

// Moves bodies apart at the contacts of the step, with their gaps measured at its end, in
// settings.projection iterations or, where joints gave way to contacts (engine/step/jam.h), more.
void projection_apply(struct gabion_world *world);

// projection_find computes the smallest displacements that remove the overlaps of `contacts`;
// contacts that are open may close meanwhile and then push too. projection_move applies them.
struct correction projection_find(const struct gabion_world *world, const struct contact *contacts,
                                  int iterations);
void projection_move(struct gabion_world *world, const struct correction *correction);

// Displaces a body by `by.v`, and turns it by the angle `by.s` divided by its radius.
void projection_displace(struct bodies *bodies, int32_t i, struct body_velocity by);

#endif
