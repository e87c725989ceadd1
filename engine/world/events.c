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

// Returns whether a removal acts in the step that begins.
static bool removes_now(const struct gabion_world *world, const struct event *event) {
    double t = world_time(world), slack = 1e-6 * world->settings.step;
    if (event->kind != EVENT_REMOVAL)
        return false;
    if (event->in_region && event->until > event->time)
        return event->time <= t + slack && t <= event->until + slack;
    return falls_due(world, event->time);
}

// Walls have no place that could be in a region.
static bool removal_takes(const struct event *event, const struct bodies *bodies, int32_t i) {
    if (event->group < 0 ? bodies->mass[i] == 0 : bodies->group[i] != event->group)
        return false;
    return !event->in_region ||
           (!bodies_is_wall(bodies, i) && region_depth(&event->region, bodies->x[i]) >= 0);
}

#define CHUNK 1024 // bodies

struct leaving {
    const struct gabion_world *world;
    bool *leaves;
};

static void find_leaving(void *context, size_t begin, size_t end) {
    const struct leaving *leaving = context;
    const struct gabion_world *world = leaving->world;
    for (int k = 0; k < world->event_count; k++)
        if (removes_now(world, &world->events[k]))
            for (size_t i = begin; i < end; i++)
                leaving->leaves[i] |= removal_takes(&world->events[k], &world->bodies, (int32_t)i);
}

static bool find_leaving_known(struct gabion_world *world, struct leaving *leaving) {
    bool any = false;
    size_t known = piece_count(world, world->bodies.count);
    piece_for(world, world->bodies.count, CHUNK, find_leaving, leaving);
    for (size_t k = 0; k < known; k++)
        any |= leaving->leaves[piece_body(world, k)];
    return piece_any(world, any);
}

// Returns whether there are removals in this step. Those of whole groups disturb in any case.
static bool any_removal(struct gabion_world *world) {
    bool any = false;
    for (int k = 0; k < world->event_count; k++)
        if (removes_now(world, &world->events[k])) {
            any = true;
            if (!world->events[k].in_region)
                disturb(world);
        }
    return any;
}

bool *events_leaving(struct gabion_world *world) {
    size_t count = (size_t)world->bodies.count;
    if (!any_removal(world))
        return NULL;
    bool *leaves = memory_allocate(count, sizeof *leaves, "removal");
    struct leaving leaving = {world, leaves};
    if (find_leaving_known(world, &leaving)) {
        piece_gather(world);
        team_for(world->team, count, CHUNK, find_leaving, &leaving);
        disturb(world);
        return leaves;
    }
    memory_free(leaves);
    return NULL;
}
