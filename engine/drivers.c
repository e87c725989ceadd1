#include "engine/drivers.h"

#include "engine/problem.h"
#include "engine/signal.h"
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

// From where the body stands: a sine with a phase or a table that does not begin at zero must not
// make it jump.
static double displacement(const struct gabion_signal *signal, double time) {
    return signal_value(signal, time) - signal_value(signal, signal->start);
}

static vec3 path(const struct gabion_world *world, const struct driven_body *driven, int group,
                 double time) {
    vec3 x = driven->origin;
    for (int k = 0; k < world->driver_count; k++)
        if (world->drivers[k].group == group)
            x = vec3_add_scaled(x, displacement(&world->drivers[k].signal, time),
                                world->drivers[k].direction);
    return x;
}

void drivers_predict(struct gabion_world *world) {
    double t = world_time(world), h = world->settings.step, theta = world->settings.theta;
    struct problem *problem = world->problem;
    for (int k = 0; k < world->driven_count; k++) {
        const struct driven_body *driven = &world->driven[k];
        int32_t i = world->bodies.index_of[driven->id];
        if (i < 0)
            continue;
        int group = world->bodies.group[i];
        vec3 middle = path(world, driven, group, t + (1 - theta) * h);
        vec3 next = path(world, driven, group, t + h + (1 - theta) * h);
        problem->x_m[i] = middle;
        problem->v_free[i] = vec3_scale(1 / h, vec3_sub(next, middle));
    }
}

void drivers_integrate(struct gabion_world *world) {
    double end = (double)(world->step + 1) * world->settings.step;
    struct bodies *bodies = &world->bodies;
    for (int k = 0; k < world->driven_count; k++) {
        const struct driven_body *driven = &world->driven[k];
        int32_t i = bodies->index_of[driven->id];
        if (i < 0)
            continue;
        bodies->x[i] = path(world, driven, bodies->group[i], end);
        bodies->v[i] = world->problem->v_free[i];
    }
}
