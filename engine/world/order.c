#include "engine/world/order.h"

#include "geometry/curve.h"
#include "parallel/memory.h"
#include "parallel/sort.h"

// Returns the new place of each body, -1 where it left.
static int32_t *apply_order(struct gabion_world *world, const int32_t *order, int32_t count,
                            int32_t moving) {
    int32_t old_count = world->bodies.count;
    int32_t *new_index = memory_allocate((size_t)old_count, sizeof *new_index, "body order");
    for (int32_t i = 0; i < old_count; i++)
        new_index[i] = -1;
    for (int32_t k = 0; k < count; k++)
        new_index[order[k]] = k;
    bodies_permute(&world->bodies, order, count, moving);
    return new_index;
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

int32_t *order_bodies(struct gabion_world *world) {
    struct bodies *bodies = &world->bodies;
    size_t n = (size_t)bodies->count;
    struct memory_part part[] = {{.bytes = n * sizeof(uint64_t)}, {.bytes = n * sizeof(uint32_t)}};
    void *lent = memory_borrow_parts(part, 2, "body order");
    uint64_t *key = part[0].start;
    uint32_t *order = part[1].start;
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
    sort_by_key(world->team, key, order, n, 64);
    int32_t *new_index = apply_order(world, (const int32_t *)order, bodies->count, moving);
    memory_return(lent);
    return new_index;
}

int32_t *order_remove(struct gabion_world *world, const bool *leaves) {
    struct bodies *bodies = &world->bodies;
    int32_t *order = memory_allocate((size_t)bodies->count, sizeof *order, "body order");
    int32_t count = 0, moving = 0;
    for (int32_t i = 0; i < bodies->count; i++) {
        if (leaves[i])
            continue;
        order[count++] = i;
        moving += i < bodies->moving;
    }
    int32_t *new_index = apply_order(world, order, count, moving);
    memory_free(order);
    return new_index;
}
