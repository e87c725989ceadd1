#include "engine/world/events.h"

#include <stdlib.h>
#include <string.h>

#include "parallel/memory.h"

// The length of the step before this one: it may have changed since.
static double last_length(const struct gabion_world *world) {
    return world->step == world->pace.step ? world->pace.before : world->settings.step;
}

bool events_done(const struct gabion_world *world, double time) {
    double h = last_length(world);
    return world->step > 0 && time <= world_time(world) - h + 1e-6 * h;
}

// Returns whether the step starting at t applies an event of time T: T lies in (t - h, t], up to
// rounding, where h is the length of the step before.
static bool falls_due(const struct gabion_world *world, double time) {
    double t = world_time(world), slack = 1e-6 * world->settings.step;
    return time <= t + slack && !events_done(world, time);
}

// Notes that the state has changed. Bodies that were at rest may not stay so.
static void disturb(struct gabion_world *world) {
    world->changed = true;
    world->rest_since = NAN;
}

static int compare_pending(const void *a, const void *b) {
    const struct pending_body *first = a, *second = b;
    double s = first->body.insert_time, t = second->body.insert_time;
    return s != t ? (s > t) - (s < t) : (first->id > second->id) - (first->id < second->id);
}

void events_insert(struct gabion_world *world) {
    double t = world_time(world), slack = 1e-6 * world->settings.step;
    int due = 0;
    if (world->step == 0 && world->pending_count > 1)
        qsort(world->pending, (size_t)world->pending_count, sizeof *world->pending,
              compare_pending);
    while (due < world->pending_count && world->pending[due].body.insert_time <= t + slack) {
        bodies_append(&world->bodies, world->pending[due].id, &world->pending[due].body);
        due++;
    }
    world->entered = world->changed = due > 0;
    if (due == 0)
        return;
    disturb(world);
    world->pending_count -= due;
    memmove(world->pending, world->pending + due,
            (size_t)world->pending_count * sizeof *world->pending);
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

void events_reset(struct gabion_world *world) {
    for (int k = 0; k < world->event_count; k++) {
        const struct event *event = &world->events[k];
        if (event->kind != EVENT_RESET || !falls_due(world, event->time))
            continue;
        reset_group(world, event);
        disturb(world);
    }
}

static bool group_leaves(const struct gabion_world *world, int group) {
    for (int k = 0; k < world->event_count; k++) {
        const struct event *event = &world->events[k];
        if (event->kind == EVENT_REMOVAL && event->group == group && falls_due(world, event->time))
            return true;
    }
    return false;
}

static bool any_removal(const struct gabion_world *world) {
    for (int k = 0; k < world->event_count; k++)
        if (world->events[k].kind == EVENT_REMOVAL && falls_due(world, world->events[k].time))
            return true;
    return false;
}

bool *events_leaving(struct gabion_world *world) {
    int32_t count = world->bodies.count;
    if (!any_removal(world))
        return NULL;
    disturb(world);
    bool *leaves = memory_allocate((size_t)count, sizeof *leaves, "removal"), any = false;
    for (int32_t i = 0; i < count; i++) {
        leaves[i] = group_leaves(world, world->bodies.group[i]);
        any |= leaves[i];
    }
    if (any)
        return leaves;
    memory_free(leaves);
    return NULL;
}
