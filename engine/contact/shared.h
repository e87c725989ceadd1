// Contacts that the ranks of a run share. Bodies are cut into pieces, one for each rank
// (parallel/cuts.h; engine/world/piece.h). The list of contacts of a rank then holds
// those that take in a body of its piece; a contact between pieces is in two lists, found by both
// ranks from the same numbers. As c < a, the contacts whose c is an own body are the end of the
// list: they are the rank's own contacts, and every contact is the own one of one rank.
//
// Results do not depend on any of this. What needs all contacts calls contacts_complete first, on
// all ranks at once: own contacts of the ranks, one after the other, are the canonical list.
#ifndef ENGINE_CONTACT_SHARED_H
#define ENGINE_CONTACT_SHARED_H

#include "engine/contact/contacts.h"
#include "parallel/team.h"

struct gabion_world;

// Begins a step: its contacts are shared among the ranks, if there are several and `share` says so,
// and its bodies where no part of the step needs all of them.
// Moves the cuts where the work of the last steps was unequal.
void contacts_begin(struct gabion_world *world, bool share);

// Gives every rank the whole list of the step.
void contacts_complete(struct gabion_world *world);
// Gives every rank the whole memory of the last step, in which there were `moving` moving bodies.
void contacts_complete_memory(struct contacts *contacts, int32_t moving);

// Describes the memory of the last step without gathering it. `own` is what the contacts are, but
// with this rank's own memory alone: the memory of all ranks, one after the other, is that of one
// process, and memory_start tells where that of each body begins there. Call it on all ranks at
// once, and then contacts_own_memory_free; it changes nothing.
void contacts_own_memory(const struct contacts *contacts, int32_t moving, struct contacts *own);
void contacts_own_memory_free(struct contacts *own);

// Returns the bodies whose rows of the state this rank writes where ranks share a file: moving ones
// of its piece, and on the last rank the fixed ones behind them. All ranks know all bodies.
struct own_bodies {
    int32_t begin, end;
};
struct own_bodies contacts_own_bodies(const struct contacts *contacts, int32_t count);

// Forgets where the cuts are, because bodies have another order now.
void contacts_forget_cuts(struct gabion_world *world);

// Counts the contacts to solve of each part of the bodies, for the next cuts, where that is due.
// Call it in each step while the contacts are shared.
void contacts_weigh(struct gabion_world *world);

static inline bool contacts_are_shared(const struct contacts *contacts) { return contacts->shared; }

// Returns whether a moving body is this rank's own, or all bodies are.
static inline bool contacts_own(const struct contacts *contacts, int32_t body) {
    return !contacts->shared || cuts_mine(&contacts->cuts, body);
}

// Returns the first own contact of the list; all later ones are own ones.
size_t contacts_own_begin(const struct contacts *contacts);

// Returns whether something holds on any rank that shares the contacts.
bool contacts_any(const struct contacts *contacts, bool mine);

// Sums `width` numbers over the contacts of all ranks, each counted once (team_sum).
void contacts_sum(const struct gabion_world *world, int width, sum_function f, void *context,
                  double *total);

// Returns how many contacts all ranks have together.
int64_t contacts_total(const struct gabion_world *world);

#endif
