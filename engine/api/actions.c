// Defines what acts on groups (drivers, tilt, forces, events) and the probes that measure them.
#include <limits.h>

#include "engine/api/entry.h"
#include "engine/api/materials.h"
#include "engine/probe/probe.h"
#include "engine/step/watch.h"
#include "engine/world/given_region.h"
#include "parallel/memory.h"

// Every action has a group, a direction or axis and a signal.
struct action {
    const char *what;
    int group;
    vec3 direction, pivot;
    const struct gabion_signal *signal;
    bool path; // the signal is a displacement or an angle
};

static bool group_exists(const struct gabion_world *world, int group) {
    return group >= 0 && group < world->groups.count;
}

static bool action_fits(const struct call *call) {
    const struct action *action = call->arguments;
    const char *defect = signal_defect(action->signal);
    double length = vec3_length(action->direction);
    if (!group_exists(call->world, action->group))
        return error_set(call->error, GABION_ERROR_INPUT, "%s: the group does not exist",
                         action->what);
    if (!(length > 0 && isfinite(length)))
        defect = "the direction or axis must not be zero";
    else if (!vec3_finite(action->pivot))
        defect = "the pivot must be finite";
    if (!defect && action->path && signal_jumps(action->signal))
        defect = "a displacement or angle cannot jump; two points of its table have the same time: "
                 "give the jump some time";
    const char *name = call->world->groups.name[action->group];
    return !defect || error_set(call->error, GABION_ERROR_INPUT, "%s%s%s: %s", action->what,
                                name[0] ? " on group " : "", name, defect);
}

// Drivers -------------------------------------------------------------------------------------

static bool is_fixed(const struct gabion_world *world, int group, struct gabion_error *error) {
    const struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->count; i++)
        if (bodies->group[i] == group && bodies->mass[i] > 0)
            return error_set(error, GABION_ERROR_INPUT,
                             "driver on group %s: body %d is not fixed; only fixed bodies can "
                             "follow a path (say fixed: true)",
                             world->groups.name[group], bodies->id[i]);
    for (int k = 0; k < world->pending_count; k++)
        if (world->pending[k].body.group == group && !world->pending[k].body.fixed)
            return error_set(error, GABION_ERROR_INPUT,
                             "driver on group %s: body %d, which enters later, is not fixed; only "
                             "fixed bodies can follow a path",
                             world->groups.name[group], world->pending[k].id);
    return true;
}

// Bodies get onto their paths with the first step. A restored world knows those that were on one.
static bool is_driven(const struct gabion_world *world, int32_t id) {
    for (int k = 0; k < world->driven_count; k++)
        if (world->driven[k].id == id)
            return true;
    return false;
}

static bool may_drive(const struct gabion_world *world, int group, struct gabion_error *error) {
    const struct bodies *bodies = &world->bodies;
    if (!is_fixed(world, group, error))
        return false;
    for (int32_t i = 0; world->step > 0 && !world->varies && i < bodies->count; i++)
        if (bodies->group[i] == group && !is_driven(world, bodies->id[i]))
            return error_set(
                error, GABION_ERROR_INPUT,
                "driver on group %s: drivers are defined before the first step; begin a new run "
                "with the state of this one (from) and the driver",
                world->groups.name[group]);
    return true;
}

static void append_driver(struct call *call, const struct driver *driver) {
    struct gabion_world *world = call->world;
    const struct action *action = call->arguments;
    world->drivers = memory_resize(world->drivers, (size_t)world->driver_count + 1,
                                   sizeof *world->drivers, "drivers");
    struct driver *own = &world->drivers[world->driver_count];
    *own = *driver;
    own->signal = signal_copy(action->signal);
    call->result = world->driver_count++;
}

static void add_driver(struct call *call) {
    const struct action *action = call->arguments;
    if (action_fits(call) && may_drive(call->world, action->group, call->error))
        append_driver(call,
                      &(struct driver){.group = action->group, .direction = action->direction});
}

static void add_rotation(struct call *call) {
    const struct action *action = call->arguments;
    if (action_fits(call) && may_drive(call->world, action->group, call->error))
        append_driver(call,
                      &(struct driver){.group = action->group,
                                       .turns = true,
                                       .direction = vec3_scale(1 / vec3_length(action->direction),
                                                               action->direction),
                                       .pivot = action->pivot});
}

bool gabion_add_driver(struct gabion_world *world, int group, vec3 direction,
                       const struct gabion_signal *signal, struct gabion_error *error) {
    struct action action = {"driver", group, direction, vec3_zero(), signal, true};
    return call_run(world, add_driver, &action, error) >= 0;
}

bool gabion_add_rotation(struct gabion_world *world, int group, vec3 pivot, vec3 axis,
                         const struct gabion_signal *signal, struct gabion_error *error) {
    struct action action = {"driver", group, axis, pivot, signal, true};
    return call_run(world, add_rotation, &action, error) >= 0;
}

// Loads ---------------------------------------------------------------------------------------

static void set_tilt(struct call *call) {
    struct gabion_world *world = call->world;
    const struct action *action = call->arguments;
    if (!action_fits(call))
        return;
    signal_free(&world->tilt);
    world->tilt = signal_copy(action->signal);
    world->watches->tilt = false;
    world->tilt_axis = vec3_scale(1 / vec3_length(action->direction), action->direction);
    if (world->step > 0)
        ledger_events(world); // the potential energy has changed
    call->result = 0;
}

bool gabion_set_tilt(struct gabion_world *world, vec3 axis, const struct gabion_signal *signal,
                     struct gabion_error *error) {
    struct action action = {"tilt", 0, axis, vec3_zero(), signal, true};
    return call_run(world, set_tilt, &action, error) >= 0;
}

static void add_force(struct call *call) {
    struct gabion_world *world = call->world;
    const struct action *action = call->arguments;
    if (!action_fits(call))
        return;
    world->forces = memory_resize(world->forces, (size_t)world->force_count + 1,
                                  sizeof *world->forces, "forces");
    world->forces[world->force_count] =
        (struct force){action->group, action->direction, signal_copy(action->signal)};
    call->result = world->force_count++;
}

bool gabion_add_force(struct gabion_world *world, int group, vec3 direction,
                      const struct gabion_signal *signal, struct gabion_error *error) {
    struct action action = {"force", group, direction, vec3_zero(), signal, false};
    return call_run(world, add_force, &action, error) >= 0;
}

// Events --------------------------------------------------------------------------------------

static void append_event(struct call *call, const struct event *event) {
    struct gabion_world *world = call->world;
    if (!group_exists(world, event->group) && !(event->in_region && event->group == -1)) {
        error_set(call->error, GABION_ERROR_INPUT, "event: the group does not exist");
        return;
    }
    if (!isfinite(event->time) || !vec3_finite(event->velocity) || !vec3_finite(event->spin)) {
        error_set(call->error, GABION_ERROR_INPUT,
                  "event on group %s: time and velocity must be finite",
                  event->group < 0 ? "of all bodies" : world->groups.name[event->group]);
        return;
    }
    world->events = memory_resize(world->events, (size_t)world->event_count + 1,
                                  sizeof *world->events, "events");
    world->events[world->event_count] = *event;
    call->result = world->event_count++;
}

static void add_event(struct call *call) { append_event(call, call->arguments); }

bool gabion_add_reset(struct gabion_world *world, int group, double time, vec3 velocity, vec3 spin,
                      struct gabion_error *error) {
    struct event event = {
        .kind = EVENT_RESET, .group = group, .time = time, .velocity = velocity, .spin = spin};
    return call_run(world, add_event, &event, error) >= 0;
}

bool gabion_add_removal(struct gabion_world *world, int group, double time,
                        struct gabion_error *error) {
    struct event event = {.kind = EVENT_REMOVAL, .group = group, .time = time};
    return call_run(world, add_event, &event, error) >= 0;
}

static void add_region_removal(struct call *call) {
    struct event event = *(const struct event *)call->arguments;
    const char *defect = region_prepare(&event.region);
    if (!defect && !(event.until >= event.time))
        defect = "it ends before it begins";
    if (defect) {
        error_set(call->error, GABION_ERROR_INPUT, "removal by region: %s", defect);
        return;
    }
    event.region = region_copy(&event.region);
    append_event(call, &event);
    if (call->result < 0)
        region_free(&event.region);
}

bool gabion_add_region_removal(struct gabion_world *world, int group,
                               const struct gabion_region *region, double from, double until,
                               struct gabion_error *error) {
    if (!region)
        return entry_missing("region", error);
    if ((unsigned)region->kind >= GABION_REGION_COUNT ||
        (region->kind == GABION_REGION_MESH && region->triangles > 0 && !region->corner))
        return entry_reject(error,
                            "removal by region: the region has no known kind, or no corners");
    struct event event = {.kind = EVENT_REMOVAL,
                          .group = group,
                          .time = from,
                          .in_region = true,
                          .region = region_take(region),
                          .until = until};
    return call_run(world, add_region_removal, &event, error) >= 0;
}

// Falls ---------------------------------------------------------------------------------------

static void watch_fall(struct call *call) {
    int group = *(const int *)call->arguments;
    if (group != -1 && !group_exists(call->world, group)) {
        error_set(call->error, GABION_ERROR_INPUT, "falls: the group does not exist");
        return;
    }
    call->world->fall_group = group;
    call->result = 0;
}

bool gabion_watch_fall(struct gabion_world *world, int group, struct gabion_error *error) {
    return call_run(world, watch_fall, &group, error) >= 0;
}

// Probes --------------------------------------------------------------------------------------

static bool probe_groups_exist(const struct gabion_world *world, const struct gabion_probe *probe) {
    return (probe->group == -1 || group_exists(world, probe->group)) &&
           (probe->against == -1 || group_exists(world, probe->against));
}

static void define_probe(struct call *call) {
    const struct gabion_probe *probe = call->arguments;
    if (probe_groups_exist(call->world, probe))
        call->result = probes_add(call->world, probe, call->error);
    else
        error_set(call->error, GABION_ERROR_INPUT, "probe %.100s: the group does not exist",
                  probe->name);
}

struct gabion_probe gabion_default_probe(void) {
    return (struct gabion_probe){.quantity = GABION_POSITION, .group = -1, .against = -1};
}

int gabion_define_probe(struct gabion_world *world, const struct gabion_probe *probe,
                        struct gabion_error *error) {
    if (!probe)
        entry_missing("probe", error);
    else if (!probe->name)
        entry_missing("the name of the probe", error);
    else if (entry_index((int64_t)probe->quantity, GABION_QUANTITY_COUNT, "quantity", error))
        return (int)call_run(world, define_probe, probe, error);
    return -1;
}

int gabion_add_probe(struct gabion_world *world, const char *name, int group,
                     enum gabion_quantity quantity, struct gabion_error *error) {
    struct gabion_probe probe = gabion_default_probe();
    probe.name = name;
    probe.group = group;
    probe.quantity = quantity;
    if (group < 0) // stands for all bodies in the longer form only
        probe.group = INT_MAX;
    return gabion_define_probe(world, &probe, error);
}
