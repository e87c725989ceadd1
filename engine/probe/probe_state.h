// What probes count from step to step, as parts of the table of the state (engine/world/state.h).
#ifndef ENGINE_PROBE_PROBE_STATE_H
#define ENGINE_PROBE_PROBE_STATE_H

#include "engine/world/world_state.h"

extern const struct state_part state_flows, state_turns;

#endif
