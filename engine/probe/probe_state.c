#include "engine/probe/probe_state.h"

#include <limits.h>

#include "engine/probe/probe.h"
#include "parallel/memory.h"

// A member added to one of these needs a line below, and another version of the checkpoint format.
_Static_assert(sizeof(struct flow) == 64 && sizeof(struct turn) == 56, "tables of the state");

static void *probes_of(const struct state *state) { return state->world->probes; }

// Flows -----------------------------------------------------------------------------------------

#define FLOW(member) STATE_ELEMENT(struct probes, flows, struct flow, member)

static size_t flow_rows(const struct state *state) { return state->world->probes->flow_count; }

static void reserve_flows(struct state *state, size_t rows) {
    struct probes *probes = state->world->probes;
    probes->stale = true;
    probes->flow_count = rows;
    probes->flows =
        memory_reserve(probes->flows, &probes->flow_capacity, rows, sizeof *probes->flows, "flows");
}

static const struct state_field flow_fields[] = {
    {"flows/key", "1", STATE_INT64, 1, VALUE_ANY, FLOW(key), STATE_MEASURED},
    {"flows/mass", "kg", STATE_REAL, VALUE_FINITE, FLOW(mass), STATE_MEASURED},
    {"flows/back_mass", "kg", STATE_REAL, VALUE_FINITE, FLOW(back_mass), STATE_MEASURED},
    {"flows/count", "1", STATE_INT64, 1, VALUE_ANY, FLOW(count), STATE_MEASURED},
    {"flows/back_count", "1", STATE_INT64, 1, VALUE_ANY, FLOW(back_count), STATE_MEASURED},
    {"flows/window_mass", "kg", STATE_REAL, VALUE_FINITE, FLOW(window_mass), STATE_MEASURED},
    {"flows/window_steps", "1", STATE_INT64, 1, VALUE_ANY, FLOW(window_steps), STATE_MEASURED},
    {"flows/rate", "kg/s", STATE_REAL, VALUE_FINITE, FLOW(rate), STATE_MEASURED},
};
const struct state_part state_flows = {
    .group = "flows",
    STATE_FIELDS(flow_fields),
    .hash = STATE_HASH_ROWS,
    .most = INT_MAX,
    .later = true,
    .owner = probes_of,
    .rows = flow_rows,
    .reserve = reserve_flows,
};

// Turns -----------------------------------------------------------------------------------------

#define TURNED(member) STATE_ELEMENT(struct probes, turns, struct turn, member)

static size_t turn_rows(const struct state *state) { return state->world->probes->turn_count; }

static void reserve_turns(struct state *state, size_t rows) {
    struct probes *probes = state->world->probes;
    probes->stale = true;
    probes->turn_count = rows;
    probes->turns =
        memory_reserve(probes->turns, &probes->turn_capacity, rows, sizeof *probes->turns, "turns");
}

static const struct state_field turn_fields[] = {
    {"turns/key", "1", STATE_INT64, 1, VALUE_ANY, TURNED(key), STATE_MEASURED},
    {"turns/id", "1", STATE_INTEGER, VALUE_ID, TURNED(id), STATE_MEASURED},
    {"turns/start", "1", STATE_QUATERNION, VALUE_FINITE, TURNED(start), STATE_MEASURED},
    {"turns/angle", "rad", STATE_REAL, VALUE_FINITE, TURNED(angle), STATE_MEASURED},
};
const struct state_part state_turns = {
    .group = "turns",
    STATE_FIELDS(turn_fields),
    .hash = STATE_HASH_ROWS,
    .most = INT32_MAX,
    .later = true,
    .owner = probes_of,
    .rows = turn_rows,
    .reserve = reserve_turns,
};
