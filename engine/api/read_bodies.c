// Reading bodies: all of them as a view, or as copies.
#include "engine/api/entry.h"

bool gabion_view_bodies(const struct gabion_world *world, struct gabion_bodies *view,
                        struct gabion_error *error) {
    if (!entry_bodies(world, error))
        return false;
    if (!view)
        return entry_missing("bodies", error);
    const struct bodies *bodies = &world->bodies;
    *view = (struct gabion_bodies){
        .count = bodies->count,
        .id = bodies->id,
        .shape = bodies->shape,
        .shape_index = bodies->shape_index,
        .material = bodies->material,
        .group = bodies->group,
        .lock = bodies->lock,
        .radius = bodies->radius,
        .mass = bodies->mass,
        .inertia = bodies->inertia,
        .position = bodies->x,
        .orientation = bodies->q,
        .velocity = bodies->v,
        .spin = bodies->w,
        .ids = bodies->id_count,
        .index_of = bodies->index_of,
        .start = bodies->start_of,
        .starts = (int32_t)bodies->start_count,
    };
    return true;
}

static struct gabion_body_state state_of(const struct bodies *bodies, int32_t i) {
    return (struct gabion_body_state){
        .id = bodies->id[i],
        .shape = (enum gabion_shape)bodies->shape[i],
        .shape_index = bodies->shape_index[i],
        .material = bodies->material[i],
        .group = bodies->group[i],
        .fixed = !(bodies->mass[i] > 0),
        .lock = bodies->lock[i],
        .radius = bodies->radius[i],
        .mass = bodies->mass[i],
        .inertia = bodies->inertia[i],
        .position = bodies->x[i],
        .orientation = bodies->q[i],
        .velocity = bodies->v[i],
        .spin = bodies->w[i],
    };
}

int32_t entry_body(const struct gabion_world *world, int32_t id, struct gabion_error *error) {
    const struct bodies *bodies = &world->bodies;
    if (!entry_index(id, bodies->id_count, "body", error))
        return -1;
    if (bodies->index_of[id] < 0)
        entry_reject(error, "body %d is not in the run: it enters later, or it has left", id);
    return bodies->index_of[id];
}

bool gabion_get_body(const struct gabion_world *world, int32_t body,
                     struct gabion_body_state *state, struct gabion_error *error) {
    if (!entry_bodies(world, error))
        return false;
    if (!state)
        return entry_missing("state", error);
    int32_t i = entry_body(world, body, error);
    if (i >= 0)
        *state = state_of(&world->bodies, i);
    return i >= 0;
}

int32_t gabion_read_bodies(const struct gabion_world *world, struct gabion_body_state *states,
                           int32_t capacity, struct gabion_error *error) {
    if (!entry_bodies(world, error))
        return -1;
    if (!entry_capacity(capacity, states, "states", error))
        return -1;
    const struct bodies *bodies = &world->bodies;
    int32_t count = 0;
    for (int32_t id = 0; id < bodies->id_count && count < capacity; id++)
        if (bodies->index_of[id] >= 0)
            states[count++] = state_of(bodies, bodies->index_of[id]);
    return bodies->count;
}

bool gabion_get_waiting(const struct gabion_world *world, int32_t index, int32_t *id,
                        struct gabion_body *body, struct gabion_error *error) {
    if (!entry_readable(world, error))
        return false;
    if (!id || !body)
        return entry_missing("id or body", error);
    if (!entry_index(index, world->pending_count, "waiting body", error))
        return false;
    *id = world->pending[index].id;
    *body = world->pending[index].body;
    return true;
}
