#include "engine/world/drivers.h"

#include "engine/problem/problem.h"
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

struct placement {
    vec3 x;
    quat q;
};

static struct placement path(const struct gabion_world *world, const struct driven_body *driven,
                             int group, double time) {
    struct placement at = {driven->origin, driven->orientation};
    for (int k = 0; k < world->driver_count; k++) {
        const struct driver *driver = &world->drivers[k];
        if (driver->group != group || !driver->turns)
            continue;
        quat turn = quat_about(driver->direction, signal_change(&driver->signal, time));
        vec3 arm = mat3_apply(quat_matrix(turn), vec3_sub(at.x, driver->pivot));
        at.x = vec3_add(driver->pivot, arm);
        at.q = quat_normalize(quat_multiply(turn, at.q));
    }
    for (int k = 0; k < world->driver_count; k++) {
        const struct driver *driver = &world->drivers[k];
        if (driver->group == group && !driver->turns)
            at.x = vec3_add_scaled(at.x, signal_change(&driver->signal, time), driver->direction);
    }
    return at;
}

void drivers_predict(struct gabion_world *world) {
    double t = world_time(world), h = world->settings.step, theta = world->settings.theta;
    struct problem *problem = world->problem;
    bool turn = drivers_turn(world);
    for (int k = 0; k < world->driven_count; k++) {
        const struct driven_body *driven = &world->driven[k];
        int32_t i = world->bodies.index_of[driven->id];
        if (i < 0)
            continue;
        int group = world->bodies.group[i];
        struct placement middle = path(world, driven, group, t + (1 - theta) * h);
        struct placement next = path(world, driven, group, t + h + (1 - theta) * h);
        problem->x_m[i] = middle.x;
        problem->v_free[i] = vec3_scale(1 / h, vec3_sub(next.x, middle.x));
        if (!turn)
            continue;
        vec3 angle = quat_log(quat_multiply(next.q, quat_conjugate(middle.q)));
        problem->axes_m[i] = quat_matrix(middle.q);
        problem->s_free[i] = vec3_scale(bodies_spin_radius(&world->bodies, i) / h, angle);
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
        struct placement at = path(world, driven, bodies->group[i], end);
        bodies->x[i] = at.x;
        bodies->q[i] = at.q;
        bodies->v[i] = world->problem->v_free[i];
        bodies->w[i] = vec3_scale(1 / bodies_spin_radius(bodies, i), world->problem->s_free[i]);
    }
}
