// Contacts made by hand, for tests of what reads them.
#ifndef TESTS_UNIT_CONTACT_LIST_H
#define TESTS_UNIT_CONTACT_LIST_H

#include "engine/contact/contacts.h"
#include "engine/world/world.h"
#include "parallel/memory.h"

// Adds a contact with an impulse in world axes, on its body c.
static inline void contact_list_add(struct gabion_world *world, struct contact contact,
                                    vec3 impulse) {
    struct contacts *contacts = world->contacts;
    size_t count = contacts->count + 1;
    struct memory_account *before = memory_account_use(world->account);
    contacts->list =
        memory_reserve(contacts->list, &contacts->capacity, count, sizeof *contacts->list, "test");
    contacts->impulse = memory_reserve(contacts->impulse, &contacts->impulse_capacity, count,
                                       sizeof *contacts->impulse, "test");
    memory_account_use(before);
    contacts->list[contacts->count] = contact;
    contacts->impulse[contacts->count] = impulse;
    contacts->count = count;
}

#endif
