// What the ranks of a run (parallel/ranks.h) must do together before one of them reads contacts.
#include "engine/api/entry.h"
#include "engine/contact/shared.h"

static void gather(struct call *call) {
    contacts_complete(call->world);
    contacts_complete_memory(call->world->contacts, call->world->bodies.moving);
    call->result = 0;
}

bool gabion_gather_contacts(struct gabion_world *world, struct gabion_error *error) {
    return call_run(world, gather, NULL, error) >= 0;
}

bool entry_whole(const struct gabion_world *world, struct gabion_error *error) {
    if (!entry_readable(world, error))
        return false;
    return !contacts_are_shared(world->contacts) ||
           entry_reject(error, "each rank has its own contacts: call gabion_gather_contacts on all "
                               "ranks before contacts are read on one");
}
