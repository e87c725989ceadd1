#include "engine/world/drivers.h"

#include "engine/world/signal.h"
#include "parallel/memory.h"

static bool is_driven(const struct gabion_world *world, int group) {
    for (int k = 0; k < world->driver_count; k++)
        if (world->drivers[k].group == group)
            return true;
    return false;
}

void drivers_adopt(struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    if (world->driver_count == 0)
        return;
    bool *known = memory_allocate((size_t)bodies->id_count, sizeof *known, "driven bodies");
    for (int k = 0; k < world->driven_count; k++)
        known[world->driven[k].id] = true;
    world->driven =
        memory_resize(world->driven, (size_t)(world->driven_count + bodies->count - bodies->moving),
                      sizeof *world->driven, "driven bodies");
    for (int32_t i = bodies->moving; i < bodies->count; i++)
        if (!known[bodies->id[i]] && is_driven(world, bodies->group[i]))
            world->driven[world->driven_count++] =
                (struct driven_body){bodies->id[i], bodies->x[i], bodies->q[i]};
    memory_free(known);
}

bool drivers_turn(const struct gabion_world *world) {
    for (int k = 0; k < world->driver_count; k++)
        if (world->drivers[k].turns)
            return true;
    return false;
}

struct placement drivers_path(const struct gabion_world *world, int k, double time) {
    const struct driven_body *driven = &world->driven[k];
    int group = world->bodies.group[world->bodies.index_of[driven->id]];
    struct placement at = {driven->origin, driven->orientation};
    for (int d = 0; d < world->driver_count; d++) {
        const struct driver *driver = &world->drivers[d];
        if (driver->group != group || !driver->turns)
            continue;
        quat turn = quat_about(driver->direction, signal_change(&driver->signal, time));
        vec3 arm = mat3_apply(quat_matrix(turn), vec3_sub(at.x, driver->pivot));
        at.x = vec3_add(driver->pivot, arm);
        at.q = quat_normalize(quat_multiply(turn, at.q));
    }
    for (int d = 0; d < world->driver_count; d++) {
        const struct driver *driver = &world->drivers[d];
        if (driver->group == group && !driver->turns)
            at.x = vec3_add_scaled(at.x, signal_change(&driver->signal, time), driver->direction);
    }
    return at;
}

static bool is_at(const struct bodies *bodies, int32_t i, const struct placement *at) {
    vec3 x = bodies->x[i];
    quat q = bodies->q[i];
    return x.x == at->x.x && x.y == at->x.y && x.z == at->x.z && q.w == at->q.w && q.x == at->q.x &&
           q.y == at->q.y && q.z == at->q.z;
}

// Returns where a path begins that leads to a place at a time: drivers_path backwards.
static struct placement path_origin(const struct gabion_world *world, int group,
                                    struct placement at, double time) {
    for (int d = 0; d < world->driver_count; d++) {
        const struct driver *driver = &world->drivers[d];
        if (driver->group == group && !driver->turns)
            at.x = vec3_add_scaled(at.x, -signal_change(&driver->signal, time), driver->direction);
    }
    for (int d = world->driver_count - 1; d >= 0; d--) {
        const struct driver *driver = &world->drivers[d];
        if (driver->group != group || !driver->turns)
            continue;
        quat turn = quat_about(driver->direction, -signal_change(&driver->signal, time));
        vec3 arm = mat3_apply(quat_matrix(turn), vec3_sub(at.x, driver->pivot));
        at.x = vec3_add(driver->pivot, arm);
        at.q = quat_normalize(quat_multiply(turn, at.q));
    }
    return at;
}

void drivers_continue(struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    double time = world_time(world);
    drivers_adopt(world);
    for (int k = 0; k < world->driven_count; k++) {
        struct driven_body *driven = &world->driven[k];
        int32_t i = bodies->index_of[driven->id];
        if (i < 0)
            continue;
        struct placement at = drivers_path(world, k, time);
        if (is_at(bodies, i, &at))
            continue;
        at = path_origin(world, bodies->group[i], (struct placement){bodies->x[i], bodies->q[i]},
                         time);
        driven->origin = at.x;
        driven->orientation = at.q;
    }
}
