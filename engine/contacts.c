#include "engine/contacts.h"

#include "engine/world.h"
#include "parallel/memory.h"

#define CHUNK 4096

void contacts_free(struct contacts *contacts) {
    memory_free(contacts->list);
    memory_free(contacts->memory);
    memory_free(contacts->memory_start);
    *contacts = (struct contacts){0};
}

// Warm start: a contact of the last step with the same bodies and feature hands its impulse over.
// Lists per body are short and both in canonical order.
static void match_range(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    struct contacts *contacts = &world->contacts;
    for (size_t k = begin; k < end; k++) {
        struct contact *contact = &contacts->list[k];
        uint32_t stop = contacts->memory_start[contact->c + 1];
        for (uint32_t m = contacts->memory_start[contact->c]; m < stop; m++) {
            const struct contact_memory *memory = &contacts->memory[m];
            if (memory->a == contact->a && memory->feature == contact->feature) {
                contact->impulse = memory->impulse;
                break;
            }
        }
    }
}

void contacts_match(struct gabion_world *world) {
    if (world->contacts.memory_count > 0)
        team_for(world->team, world->contacts.count, CHUNK, match_range, world);
}

static bool carries(const struct contact *contact) {
    return contact->impulse.x != 0 || contact->impulse.y != 0 || contact->impulse.z != 0;
}

void contacts_remember(struct gabion_world *world) {
    struct contacts *contacts = &world->contacts;
    size_t moving = (size_t)world->bodies.moving, count = 0;
    contacts->memory_start = memory_reserve(contacts->memory_start, &contacts->start_capacity,
                                            moving + 1, sizeof(uint32_t), "contact memory");
    for (size_t k = 0; k < contacts->count; k++)
        count += carries(&contacts->list[k]);
    contacts->memory = memory_reserve_aligned(contacts->memory, &contacts->memory_capacity, count,
                                              sizeof *contacts->memory, "contact memory");
    contacts->memory_count = count;
    uint32_t place = 0;
    size_t next = 0;
    for (size_t k = 0; k < contacts->count; k++) {
        const struct contact *contact = &contacts->list[k];
        while (next <= (size_t)contact->c)
            contacts->memory_start[next++] = place;
        if (carries(contact))
            contacts->memory[place++] =
                (struct contact_memory){contact->a, contact->feature, contact->impulse};
    }
    while (next <= moving)
        contacts->memory_start[next++] = place;
}
