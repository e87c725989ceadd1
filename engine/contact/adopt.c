#include "engine/contact/adopt.h"

#include "engine/contact/contacts.h"
#include "engine/world/order.h"
#include "engine/world/world.h"
#include "parallel/memory.h"

void kept_contacts_add(struct kept_contacts *kept, struct kept_contact contact) {
    kept->list = memory_reserve(kept->list, &kept->capacity, kept->count + 1, sizeof *kept->list,
                                "kept contacts");
    kept->list[kept->count++] = contact;
}

void kept_contacts_free(struct kept_contacts *kept) {
    memory_free(kept->list);
    *kept = (struct kept_contacts){0};
}

// Makes room for the memory of contacts, with an empty range for each of `rows` bodies.
static void make_room(struct contacts *contacts, size_t rows, size_t count) {
    contacts->memory_start = memory_reserve(contacts->memory_start, &contacts->start_capacity,
                                            rows + 1, sizeof(uint32_t), "contact memory");
    for (size_t k = 0; k <= rows; k++)
        contacts->memory_start[k] = 0;
    contacts->memory_count = count;
    contacts->memory = memory_reserve_aligned(contacts->memory, &contacts->memory_capacity, count,
                                              sizeof *contacts->memory, "contact memory");
    contacts->memory_collision =
        memory_reserve_aligned(contacts->memory_collision, &contacts->memory_collision_capacity,
                               count, sizeof *contacts->memory_collision, "collisions");
}

// Fills the memory by id instead of index, in the order of the first ids and then of the list.
static void fill_by_id(struct contacts *contacts, size_t ids, const struct kept_contacts *kept) {
    uint32_t *start = contacts->memory_start;
    for (size_t k = 0; k < kept->count; k++)
        start[kept->list[k].first + 1]++;
    for (size_t id = 0; id < ids; id++)
        start[id + 1] += start[id];
    uint32_t *next = memory_allocate(ids + 1, sizeof *next, "contact memory");
    for (size_t k = 0; k < kept->count; k++) {
        const struct kept_contact *from = &kept->list[k];
        uint32_t place = start[from->first] + next[from->first]++;
        contacts->memory[place] =
            (struct contact_memory){from->second, from->feature, from->point, from->impulse};
        contacts->memory_collision[place] = from->collision;
    }
    memory_free(next);
}

static void drop_collisions(struct contacts *contacts) {
    memory_free(contacts->memory_collision);
    contacts->memory_collision = NULL;
    contacts->memory_collision_capacity = 0;
}

// Ids are indices of an order in which all bodies come by id: the way from that order to the
// sorted one is what contacts_reorder does.
size_t contacts_adopt(struct gabion_world *world, const struct kept_contacts *kept) {
    struct contacts *contacts = world->contacts;
    memory_free(order_bodies(world));
    make_room(contacts, (size_t)world->bodies.id_count, kept->count);
    fill_by_id(contacts, (size_t)world->bodies.id_count, kept);
    contacts_reorder(world, world->bodies.index_of, world->bodies.id_count);
    if (world->settings.gap != GABION_GAP_STABILIZED)
        drop_collisions(contacts);
    return contacts->memory_count;
}
