// Two bodies that may touch: where, with what gap and along which normal, at q_m.
#ifndef ENGINE_PAIR_H
#define ENGINE_PAIR_H

#include "engine/world.h"
#include "geometry/manifold.h"

static inline bool pair_has_block(const struct bodies *bodies, int32_t c, int32_t a) {
    return bodies->shape[c] == GABION_POLYHEDRON || bodies->shape[a] == GABION_POLYHEDRON;
}

// Gap of a sphere c and a sphere or half-space a at the given positions, and the normal from a to
// c. `axes` are those of a, NULL where no half-space turns.
double pair_gap(const struct bodies *bodies, const vec3 *x, const mat3 *axes, int32_t c, int32_t a,
                vec3 *normal);

// The midpoint axes of a body, NULL where nothing turns that is not round.
const mat3 *pair_axes(const struct problem *problem, int32_t i);

// The one contact of such a pair, without impulse.
struct contact pair_contact(const struct gabion_world *world, int32_t c, int32_t a);

// The points of a pair with a polyhedron that are closer than `reach`. The normal points from a to
// c; features do not depend on which of the two is which.
void pair_manifold(const struct gabion_world *world, int32_t c, int32_t a, double reach,
                   struct manifold *manifold);

#endif
