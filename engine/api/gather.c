// What the ranks of a run (parallel/ranks.h) must do together before one of them reads bodies or
// contacts.
#include "engine/api/entry.h"
#include "engine/contact/shared.h"

static void gather(struct call *call) {
    piece_gather(call->world);
    contacts_complete(call->world);
    contacts_complete_memory(call->world->contacts, call->world->bodies.moving);
    call->result = 0;
}

static void gather_bodies(struct call *call) {
    piece_gather(call->world);
    call->result = 0;
}

bool gabion_gather_bodies(struct gabion_world *world, struct gabion_error *error) {
    return call_run(world, gather_bodies, NULL, error) >= 0;
}

bool gabion_gather(struct gabion_world *world, struct gabion_error *error) {
    return call_run(world, gather, NULL, error) >= 0;
}

bool entry_bodies(const struct gabion_world *world, struct gabion_error *error) {
    if (!entry_readable(world, error))
        return false;
    return !world->piece.stale || entry_reject(error, "each rank has its own bodies: call "
                                                      "gabion_gather on all ranks before bodies "
                                                      "are read on one");
}

bool entry_whole(const struct gabion_world *world, struct gabion_error *error) {
    if (!entry_bodies(world, error))
        return false;
    return !contacts_are_shared(world->contacts) ||
           entry_reject(error, "each rank has its own contacts: call gabion_gather on all ranks "
                               "before contacts are read on one");
}
