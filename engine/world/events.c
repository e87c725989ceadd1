#include "engine/world/events.h"

#include <stdlib.h>
#include <string.h>

#include "engine/contact/interfaces.h"
#include "engine/world/drivers.h"
#include "engine/world/ledger.h"
#include "engine/world/order.h"
#include "parallel/memory.h"

// The step starting at t carries the event of time T when T lies in (t - h, t], but for rounding.
static bool falls_due(const struct gabion_world *world, double time) {
    double h = world->settings.step, t = world_time(world), slack = 1e-6 * h;
    return time <= t + slack && (world->step == 0 || time > t - h + slack);
}

static int compare_pending(const void *a, const void *b) {
    const struct pending_body *first = a, *second = b;
    double s = first->body.insert_time, t = second->body.insert_time;
    return s != t ? (s > t) - (s < t) : (first->id > second->id) - (first->id < second->id);
}

static bool insert_bodies(struct gabion_world *world) {
    double t = world_time(world), slack = 1e-6 * world->settings.step;
    int due = 0;
    while (due < world->pending_count && world->pending[due].body.insert_time <= t + slack) {
        bodies_append(&world->bodies, world->pending[due].id, &world->pending[due].body);
        due++;
    }
    if (due == 0)
        return false;
    world->pending_count -= due;
    memmove(world->pending, world->pending + due,
            (size_t)world->pending_count * sizeof *world->pending);
    return true;
}

static void remove_group(struct gabion_world *world, int group) {
    int32_t count = world->bodies.count;
    bool *leaves = memory_allocate((size_t)count, sizeof *leaves, "removal"), any = false;
    for (int32_t i = 0; i < count; i++) {
        leaves[i] = world->bodies.group[i] == group;
        any |= leaves[i];
    }
    if (any)
        order_remove(world, leaves);
    memory_free(leaves);
}

static void reset_group(struct gabion_world *world, const struct event *event) {
    struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->moving; i++) {
        if (bodies->group[i] != event->group)
            continue;
        for (int axis = 0; axis < 3; axis++) {
            if (!(bodies->lock[i] >> axis & 1))
                vec3_set(&bodies->v[i], axis, vec3_get(event->velocity, axis));
            if (!(bodies->lock[i] >> (axis + 3) & 1))
                vec3_set(&bodies->w[i], axis, vec3_get(event->spin, axis));
        }
    }
}

void events_apply(struct gabion_world *world) {
    if (world->step == 0 && world->pending_count > 1)
        qsort(world->pending, (size_t)world->pending_count, sizeof *world->pending,
              compare_pending);
    bool entered = insert_bodies(world), changed = entered;
    if (entered || world->step % ORDER_INTERVAL == 0)
        order_bodies(world);
    if (entered || world->step == 0)
        drivers_adopt(world);
    for (int k = 0; k < world->event_count; k++) {
        const struct event *event = &world->events[k];
        if (!falls_due(world, event->time))
            continue;
        changed = true;
        if (event->kind == EVENT_REMOVAL)
            remove_group(world, event->group);
        else
            reset_group(world, event);
    }
    if (changed || world->step == 0)
        ledger_events(world);
    if (world->step == 0)
        interfaces_find(world);
}
