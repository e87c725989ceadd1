// Ghosts: the bodies of other ranks that a rank follows beside its own (engine/world/piece.h).
//
// Each moving body has a horizon: a ball about its place at the midpoint of the step in which
// ghosts were listed. Two bodies of different ranks whose balls meet are ghosts of each other's
// rank. As long as no body reaches beyond its ball, all pairs that a search can find are among own
// bodies and ghosts; once one does, all bodies are gathered and the ghosts are listed anew. All
// ranks find the same pairs from the same numbers, so that lists need not be sent.
#ifndef ENGINE_CONTACT_GHOSTS_H
#define ENGINE_CONTACT_GHOSTS_H

#include "engine/world/world.h"
#include "geometry/grid_near.h"

struct ghosts;

struct ghosts *ghosts_create(void);
void ghosts_free(struct ghosts *ghosts);

// Returns whether the ghosts of all ranks are those that a search needs in which bodies at x have
// this reach. All ranks call it together.
bool ghosts_suffice(const struct ghosts *ghosts, const struct gabion_world *world, const vec3 *x,
                    const double *reach);

// Lists the ghosts anew, from the reach of all bodies at the midpoint. The world follows all bodies
// when it is called, and own ones and ghosts from then on.
void ghosts_list(struct ghosts *ghosts, struct gabion_world *world, const double *reach);

// The bodies among which a rank that follows its own bodies and ghosts looks for pairs.
struct near_candidates ghosts_candidates(const struct ghosts *ghosts);

#endif
