// The parts of the state that contacts and interfaces own (engine/world/state.h).
#ifndef ENGINE_CONTACT_CONTACT_STATE_H
#define ENGINE_CONTACT_CONTACT_STATE_H

#include "engine/world/world_state.h"

// Collisions have as many rows as the memory, or none.
extern const struct state_part state_contact_starts, state_contact_memory, state_contact_collisions;

// Making room for interfaces frees their corners too.
extern const struct state_part state_interfaces, state_interface_corners;

#endif
