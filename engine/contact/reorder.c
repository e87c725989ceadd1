// Updates the contact memory after the bodies were sorted anew.
#include <string.h>

#include "engine/contact/shared.h"
#include "engine/world/world.h"
#include "parallel/memory.h"
#include "parallel/sort.h"

// Contact memory follows the bodies: indices change, and where the two bodies of a contact change
// places its impulse and the velocity of its collision change sign.
struct memory_list {
    uint64_t *key; // c << 32 | a, new indices
    uint32_t *from;
    bool *swapped;
    size_t count;
};

static void list_memory(const struct contacts *contacts, int32_t old_moving,
                        const int32_t *new_index, int32_t new_moving, struct memory_list *list) {
    for (int32_t c = 0; c < old_moving; c++)
        for (uint32_t m = contacts->memory_start[c]; m < contacts->memory_start[c + 1]; m++) {
            int32_t i = new_index[c], j = new_index[contacts->memory[m].a];
            if (i < 0 || j < 0 || (i >= new_moving && j >= new_moving))
                continue;
            uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
            list->key[list->count] = low << 32 | high;
            list->from[list->count] = m;
            list->swapped[m] = j < i;
            list->count++;
        }
}

static void remap_collisions(struct contacts *contacts, const struct memory_list *list) {
    if (!contacts->memory_collision)
        return;
    vec3 *fresh = memory_allocate(list->count, sizeof *fresh, "collisions");
    for (size_t k = 0; k < list->count; k++) {
        vec3 collision = contacts->memory_collision[list->from[k]];
        fresh[k] = list->swapped[list->from[k]] ? vec3_negate(collision) : collision;
    }
    memory_free(contacts->memory_collision);
    contacts->memory_collision = fresh;
    contacts->memory_collision_capacity = list->count;
}

void contacts_reorder(struct gabion_world *world, const int32_t *new_index, int32_t old_moving) {
    struct contacts *contacts = world->contacts;
    int32_t moving = world->bodies.moving;
    contacts_complete_memory(contacts, old_moving);
    contacts_forget_cuts(world);
    size_t n = contacts->memory_count;
    struct memory_part part[] = {{.bytes = n * sizeof(uint64_t)},
                                 {.bytes = n * sizeof(uint32_t)},
                                 {.bytes = n * sizeof(bool)}};
    void *lent = memory_borrow_parts(part, 3, "contact order");
    struct memory_list list = {part[0].start, part[1].start, part[2].start, 0};
    if (contacts->memory_start)
        list_memory(contacts, old_moving, new_index, moving, &list);
    sort_by_key(world->team, list.key, list.from, list.count, 64);

    struct contact_memory *fresh = memory_borrow(list.count * sizeof *fresh, "contact memory");
    contacts->memory_start = memory_reserve(contacts->memory_start, &contacts->start_capacity,
                                            (size_t)moving + 1, sizeof(uint32_t), "contact memory");
    uint32_t *start = contacts->memory_start;
    for (int32_t c = 0; c <= moving; c++)
        start[c] = 0;
    for (size_t k = 0; k < list.count; k++) {
        struct contact_memory memory = contacts->memory[list.from[k]];
        memory.a = (int32_t)(list.key[k] & 0xffffffffu);
        if (list.swapped[list.from[k]])
            memory.impulse = vec3_negate(memory.impulse);
        fresh[k] = memory;
        start[(list.key[k] >> 32) + 1]++;
    }
    for (int32_t c = 0; c < moving; c++)
        start[c + 1] += start[c];
    if (list.count > 0)
        memcpy(contacts->memory, fresh, list.count * sizeof *fresh);
    memory_return(fresh);
    contacts->memory_count = list.count;
    remap_collisions(contacts, &list);
    memory_return(lent);
    contacts_void_list(contacts);
}
