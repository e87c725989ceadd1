#include "engine/world/fall.h"

#include "engine/world/loads.h"

static bool is_watched(const struct gabion_world *world, int32_t i) {
    const struct bodies *bodies = &world->bodies;
    return bodies->mass[i] > 0 && (world->fall_group < 0 || bodies->group[i] == world->fall_group);
}

static bool has_fallen(const struct gabion_settings *settings, const struct gabion_fall *fall) {
    return (settings->fall_distance > 0 && fall->distance >= settings->fall_distance) ||
           (settings->fall_speed > 0 && fall->speed >= settings->fall_speed);
}

bool fall_find(const struct gabion_world *world, struct gabion_fall *fall) {
    const struct gabion_settings *settings = &world->settings;
    const struct bodies *bodies = &world->bodies;
    vec3 down = loads_down(world, world_time(world));
    bool found = false;
    if (!(settings->fall_distance > 0) && !(settings->fall_speed > 0))
        return false;
    for (int32_t i = 0; i < bodies->count; i++) {
        int32_t id = bodies->id[i];
        if (!is_watched(world, i) || (found && id > fall->body))
            continue;
        vec3 moved = vec3_sub(bodies->x[i], bodies->start_of[id]);
        struct gabion_fall one = {id, vec3_dot(moved, down), vec3_dot(bodies->v[i], down)};
        if (!has_fallen(settings, &one))
            continue;
        *fall = one;
        found = true;
    }
    return found;
}
