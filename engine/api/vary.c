#include "engine/api/vary.h"

#include "engine/api/entry.h"
#include "engine/api/materials.h"
#include "engine/world/drivers.h"

void world_vary_begin(struct gabion_world *world) { world->varies = true; }

// Bodies that enter later start their path at its beginning, and would miss what came before.
static bool check_waiting(const struct gabion_world *world, struct gabion_error *error) {
    for (int d = 0; d < world->driver_count; d++)
        for (int k = 0; k < world->pending_count; k++)
            if (world->pending[k].body.group == world->drivers[d].group)
                return error_set(error, GABION_ERROR_INPUT,
                                 "body %d of group %s, which a driver moves, has still to enter; "
                                 "change the run after that, or start a new run",
                                 world->pending[k].id, world->groups.name[world->drivers[d].group]);
    return true;
}

static void continue_paths(struct call *call) {
    struct gabion_world *world = call->world;
    drivers_continue(world);
    ledger_events(world);
    world->rest_since = NAN;
    call->result = 0;
}

bool world_vary_end(struct gabion_world *world, const struct gabion_settings *settings,
                    struct gabion_error *error) {
    bool good = check_waiting(world, error) && laws_check(world, error) &&
                gabion_set_settings(world, settings, error) &&
                call_run(world, continue_paths, NULL, error) >= 0;
    world->varies = false;
    return good;
}
