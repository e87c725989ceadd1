// The table of the whole state: the parts of all rooms, in the order in which they are hashed.
#ifndef ENGINE_API_STATE_H
#define ENGINE_API_STATE_H

#include "engine/contact/contact_state.h"
#include "engine/probe/probe_state.h"
#include "engine/world/world_state.h"

#define STATE_PARTS 37
extern const struct state_part *const state_parts[STATE_PARTS];

// Where ranks have memory of contacts of their own: makes the state, on all ranks at once, the one
// that has this rank's part of it (contacts_own_memory), to be freed with `own`. Returns false
// where they do not.
bool state_begin_sharing(struct state *state, struct contacts *own);

// Returns whether each rank has rows of its own of this part; else all ranks have all rows.
bool state_is_shared(const struct state_part *part, const struct state *state);

#endif
