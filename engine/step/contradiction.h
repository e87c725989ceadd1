// Joints that no motion can keep: a bar between a post and a hand that moves away from it, a body
// with locked translations that a driver pulls at. No impulses solve such a step; those that a
// solver ends with grow without bound, and the energies with them.
#ifndef ENGINE_STEP_CONTRADICTION_H
#define ENGINE_STEP_CONTRADICTION_H

#include "engine/world/world.h"

// Looks whether the joints alone can be kept in this step, where the solver failed or a joint is so
// far open that a step cannot close it. Returns false with an error that names the joints if not.
bool contradiction_check(const struct gabion_world *world, struct gabion_error *error);

#endif
