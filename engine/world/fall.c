#include "engine/world/fall.h"

#include "engine/world/loads.h"
#include "parallel/ranks.h"

static bool is_watched(const struct gabion_world *world, int32_t i) {
    const struct bodies *bodies = &world->bodies;
    return bodies->mass[i] > 0 && (world->fall_group < 0 || bodies->group[i] == world->fall_group);
}

static bool has_fallen(const struct gabion_settings *settings, const struct gabion_fall *fall) {
    return (settings->fall_distance > 0 && fall->distance >= settings->fall_distance) ||
           (settings->fall_speed > 0 && fall->speed >= settings->fall_speed);
}

static bool are_watched(const struct gabion_world *world) {
    return world->settings.fall_distance > 0 || world->settings.fall_speed > 0;
}

static bool find_among(const struct gabion_world *world, int32_t begin, int32_t end,
                       struct gabion_fall *fall) {
    const struct gabion_settings *settings = &world->settings;
    const struct bodies *bodies = &world->bodies;
    vec3 down = loads_down(world, world_time(world));
    bool found = false;
    for (int32_t i = begin; i < end; i++) {
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

bool fall_find(const struct gabion_world *world, struct gabion_fall *fall) {
    if (!are_watched(world))
        return false;
    if (!world->piece.stale)
        return find_among(world, 0, world->bodies.count, fall);
    if (world->fallen.body >= 0)
        *fall = world->fallen;
    return world->fallen.body >= 0;
}

// The rank whose body has the least id tells the others.
void fall_note(struct gabion_world *world) {
    struct gabion_fall *fall = &world->fallen;
    if (!are_watched(world) || !world->piece.stale)
        return;
    if (!find_among(world, piece_begin(world), piece_end(world), fall))
        fall->body = INT32_MAX;
    int32_t first = piece_first(world, fall->body);
    double of_first[] = {-INFINITY, -INFINITY};
    if (fall->body == first) {
        of_first[0] = fall->distance;
        of_first[1] = fall->speed;
    }
    ranks_max(of_first, 2);
    *fall = (struct gabion_fall){first < INT32_MAX ? first : -1, of_first[0], of_first[1]};
}
