#include "engine/world/schedule.h"

#include "engine/world/events.h"
#include "engine/world/signal.h"

// Groups --------------------------------------------------------------------------------------

static bool is_in_run(const struct gabion_world *world, int group, bool fixed) {
    const struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->count; i++)
        if (bodies->group[i] == group && (bodies->mass[i] == 0) == fixed)
            return true;
    return false;
}

// Returns when the last body of the group enters; -INFINITY: none waits.
static double last_entry(const struct gabion_world *world, int group, bool fixed) {
    double last = -INFINITY;
    for (int k = 0; k < world->pending_count; k++) {
        const struct gabion_body *body = &world->pending[k].body;
        if (body->group == group && body->fixed == fixed)
            last = fmax(last, body->insert_time);
    }
    return last;
}

// Returns the last removal of the group that is still to come; -INFINITY: none.
static double last_removal(const struct gabion_world *world, int group) {
    double last = -INFINITY;
    for (int k = 0; k < world->event_count; k++) {
        const struct event *event = &world->events[k];
        if (event->kind == EVENT_REMOVAL && event->group == group && !event->in_region &&
            !events_done(world, event->time))
            last = fmax(last, event->time);
    }
    return last;
}

// Returns the time at which the fixed or the moving bodies of a group have left; INFINITY where
// some stay, -INFINITY where there are none. What acts on nobody need not be waited for.
static double group_end(const struct gabion_world *world, int group, bool fixed) {
    double entry = last_entry(world, group, fixed), removal = last_removal(world, group);
    if (entry == -INFINITY && !is_in_run(world, group, fixed))
        return -INFINITY;
    return removal >= entry && removal > -INFINITY ? removal : INFINITY;
}

// Entries -------------------------------------------------------------------------------------

// `end` is that of the signal. The bodies are looked at only where it matters.
static double action_end(const struct gabion_world *world, int group, bool fixed, double end) {
    return end <= world_time(world) - world->settings.rest_duration
               ? end
               : fmin(end, group_end(world, group, fixed));
}

static struct scheduled driver_entry(const struct gabion_world *world,
                                     const struct driver *driver) {
    double end = signal_path_end(&driver->signal);
    return (struct scheduled){SCHEDULE_DRIVER, driver->group,
                              action_end(world, driver->group, true, end)};
}

static struct scheduled force_entry(const struct gabion_world *world, const struct force *force) {
    double end = signal_force_end(&force->signal);
    return (struct scheduled){SCHEDULE_FORCE, force->group,
                              action_end(world, force->group, false, end)};
}

static struct scheduled event_entry(const struct event *event) {
    return (struct scheduled){event->kind == EVENT_RESET ? SCHEDULE_RESET : SCHEDULE_REMOVAL,
                              event->group, event->time};
}

static struct scheduled insertion_entry(const struct gabion_world *world) {
    double last = -INFINITY;
    for (int k = 0; k < world->pending_count; k++)
        last = fmax(last, world->pending[k].body.insert_time);
    return (struct scheduled){SCHEDULE_INSERTION, 0, last};
}

static bool has_gravity(const struct gabion_world *world) {
    return vec3_length(world->settings.gravity) > 0;
}

static struct scheduled ramp_entry(const struct gabion_world *world) {
    const struct gabion_settings *settings = &world->settings;
    bool ramp = has_gravity(world) && settings->gravity_ramp_end > settings->gravity_ramp_start;
    return (struct scheduled){SCHEDULE_GRAVITY_RAMP, 0,
                              ramp ? settings->gravity_ramp_end : -INFINITY};
}

static struct scheduled tilt_entry(const struct gabion_world *world) {
    return (struct scheduled){SCHEDULE_TILT, 0,
                              has_gravity(world) ? signal_path_end(&world->tilt) : -INFINITY};
}

int schedule_count(const struct gabion_world *world) {
    return world->driver_count + world->force_count + world->event_count + 3;
}

struct scheduled schedule_entry(const struct gabion_world *world, int k) {
    if (k < world->driver_count)
        return driver_entry(world, &world->drivers[k]);
    k -= world->driver_count;
    if (k < world->force_count)
        return force_entry(world, &world->forces[k]);
    k -= world->force_count;
    if (k < world->event_count)
        return event_entry(&world->events[k]);
    k -= world->event_count;
    return k == 0 ? insertion_entry(world) : k == 1 ? ramp_entry(world) : tilt_entry(world);
}

static double over_since(const struct gabion_world *world, const struct scheduled *entry) {
    switch (entry->kind) {
    case SCHEDULE_RESET:
    case SCHEDULE_REMOVAL:
        return events_done(world, entry->until) ? -INFINITY : INFINITY;
    case SCHEDULE_INSERTION:
        return entry->until > -INFINITY ? INFINITY : -INFINITY;
    case SCHEDULE_DRIVER:
    case SCHEDULE_FORCE:
    case SCHEDULE_GRAVITY_RAMP:
    case SCHEDULE_TILT:
        break;
    }
    return entry->until;
}

double schedule_over_since(const struct gabion_world *world) {
    double since = -INFINITY;
    for (int k = 0; k < schedule_count(world) && since < INFINITY; k++) {
        struct scheduled entry = schedule_entry(world, k);
        since = fmax(since, over_since(world, &entry));
    }
    return since;
}
