#include "engine/world/loads.h"

#include "engine/world/signal.h"

static vec3 tilted(const struct gabion_world *world, vec3 gravity, double time) {
    if (world->tilt.given.amplitude == 0)
        return gravity;
    quat turn = quat_about(world->tilt_axis, signal_change(&world->tilt, time));
    return mat3_apply(quat_matrix(turn), gravity);
}

vec3 loads_gravity(const struct gabion_world *world, double time) {
    const struct gabion_settings *settings = &world->settings;
    double start = settings->gravity_ramp_start, length = settings->gravity_ramp_end - start;
    double share = length > 0 ? signal_smooth_step((time - start) / length) : 1;
    return tilted(world, vec3_scale(share, settings->gravity), time);
}

vec3 loads_down(const struct gabion_world *world, double time) {
    vec3 gravity = world->settings.gravity;
    double g = vec3_length(gravity);
    return g > 0 ? tilted(world, vec3_scale(1 / g, gravity), time) : vec3_zero();
}

vec3 loads_step_gravity(const struct gabion_world *world) {
    double t = world_time(world), h = world->settings.step, theta = world->settings.theta;
    vec3 now = loads_gravity(world, t), next = loads_gravity(world, t + h);
    return vec3_add_scaled(vec3_scale(1 - theta, now), theta, next);
}

void loads_group_forces(const struct gabion_world *world, vec3 *force) {
    double t = world_time(world), h = world->settings.step, theta = world->settings.theta;
    for (int group = 0; group < world->groups.count; group++)
        force[group] = vec3_zero();
    for (int k = 0; k < world->force_count; k++) {
        const struct force *load = &world->forces[k];
        if (t + 0.5 * h < load->signal.given.start || t + 0.5 * h > load->signal.given.end)
            continue;
        double size = (1 - theta) * signal_value(&load->signal, t) +
                      theta * signal_value(&load->signal, t + h);
        vec3 *sum = &force[load->group];
        *sum = vec3_add_scaled(*sum, size, load->direction);
    }
}
