// The table of the whole state: the parts of all rooms, in the order in which they are hashed.
#ifndef ENGINE_API_STATE_H
#define ENGINE_API_STATE_H

#include "engine/contact/contact_state.h"
#include "engine/world/world_state.h"

#define STATE_PARTS 31
extern const struct state_part *const state_parts[STATE_PARTS];

#endif
