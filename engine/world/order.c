#include "engine/world/order.h"

#include "engine/contact/contacts.h"
#include "geometry/curve.h"
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

static void remap_memory(struct gabion_world *world, int32_t old_moving, const int32_t *new_index) {
    struct contacts *contacts = world->contacts;
    int32_t moving = world->bodies.moving;
    size_t n = contacts->memory_count;
    struct memory_list list = {
        memory_allocate(n, sizeof *list.key, "contact order"),
        memory_allocate(n, sizeof *list.from, "contact order"),
        memory_allocate(n, sizeof *list.swapped, "contact order"),
        0,
    };
    if (contacts->memory_start)
        list_memory(contacts, old_moving, new_index, moving, &list);
    struct sort_scratch *scratch = sort_scratch_create();
    sort_by_key(world->team, list.key, list.from, list.count, 64, scratch);
    sort_scratch_free(scratch);

    struct contact_memory *fresh = memory_allocate(list.count, sizeof *fresh, "contact memory");
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
    memory_free(contacts->memory);
    contacts->memory = fresh;
    contacts->memory_count = contacts->memory_capacity = list.count;
    remap_collisions(contacts, &list);
    memory_free(list.key);
    memory_free(list.from);
    memory_free(list.swapped);
}

static void apply_order(struct gabion_world *world, const int32_t *order, int32_t count,
                        int32_t moving) {
    int32_t old_count = world->bodies.count, old_moving = world->bodies.moving;
    int32_t *new_index = memory_allocate((size_t)old_count, sizeof *new_index, "body order");
    for (int32_t i = 0; i < old_count; i++)
        new_index[i] = -1;
    for (int32_t k = 0; k < count; k++)
        new_index[order[k]] = k;
    bodies_permute(&world->bodies, order, count, moving);
    remap_memory(world, old_moving, new_index);
    memory_free(new_index);
    world->contacts->count = 0; // their indices are void
}

// Classes in the upper bits of the key: moving, fixed, wall.
#define CLASS_SHIFT 62

static uint64_t order_key(const struct bodies *bodies, int32_t i, vec3 low, double size) {
    if (bodies->mass[i] > 0)
        return curve_key(bodies->x[i], low, size);
    return (bodies_is_wall(bodies, i) ? 2ull : 1ull) << CLASS_SHIFT;
}

static void bound_moving(const struct bodies *bodies, vec3 *low, double *size) {
    vec3 high = {-INFINITY, -INFINITY, -INFINITY};
    *low = vec3_negate(high);
    for (int32_t i = 0; i < bodies->count; i++) {
        if (!(bodies->mass[i] > 0))
            continue;
        vec3 x = bodies->x[i];
        *low = vec3_make(fmin(low->x, x.x), fmin(low->y, x.y), fmin(low->z, x.z));
        high = vec3_make(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    vec3 span = vec3_sub(high, *low);
    *size = fmax(span.x, fmax(span.y, span.z));
    if (!(*size > 0))
        *size = 1;
}

void order_bodies(struct gabion_world *world) {
    struct bodies *bodies = &world->bodies;
    size_t n = (size_t)bodies->count;
    uint64_t *key = memory_allocate(n, sizeof *key, "body order");
    uint32_t *order = memory_allocate(n, sizeof *order, "body order");
    vec3 low;
    double size;
    bound_moving(bodies, &low, &size);
    // The sort is stable, so handing the bodies over by id breaks ties by id.
    int32_t k = 0, moving = 0;
    for (int32_t id = 0; id < bodies->id_count; id++) {
        int32_t i = bodies->index_of[id];
        if (i < 0)
            continue;
        key[k] = order_key(bodies, i, low, size);
        order[k++] = (uint32_t)i;
        moving += bodies->mass[i] > 0;
    }
    struct sort_scratch *scratch = sort_scratch_create();
    sort_by_key(world->team, key, order, n, 64, scratch);
    sort_scratch_free(scratch);
    apply_order(world, (const int32_t *)order, bodies->count, moving);
    memory_free(key);
    memory_free(order);
}

void order_remove(struct gabion_world *world, const bool *leaves) {
    struct bodies *bodies = &world->bodies;
    int32_t *order = memory_allocate((size_t)bodies->count, sizeof *order, "body order");
    int32_t count = 0, moving = 0;
    for (int32_t i = 0; i < bodies->count; i++) {
        if (leaves[i])
            continue;
        order[count++] = i;
        moving += i < bodies->moving;
    }
    apply_order(world, order, count, moving);
    memory_free(order);
}
