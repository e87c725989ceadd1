#include "engine/contact/trial.h"

#include <string.h>

#include "engine/contact/pairs.h"
#include "parallel/memory.h"

// Takes over the lists of shapes as they are now, and keeps the own arrays of bodies.
static void share_shapes(struct trial *trial) {
    struct bodies *own = &trial->view.bodies, mine = *own;
    *own = trial->world->bodies;
    for (size_t k = 0; k < BODY_FIELDS; k++)
        state_set_array(own, &body_fields[k], state_array(&mine, &body_fields[k]));
    own->count = mine.count;
    own->moving = mine.moving;
    own->capacity = mine.capacity;
    own->id_count = mine.id_count;
    own->index_of = mine.index_of;
    own->id_capacity = mine.id_capacity;
    own->start_of = mine.start_of;
    own->start_count = mine.start_count;
    own->start_capacity = mine.start_capacity;
}

void trial_open(struct trial *trial, const struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    int materials = world->materials.count;
    *trial = (struct trial){.world = world, .view = *world};
    trial->view.bodies = (struct bodies){.id_count = bodies->id_count};
    struct bodies *own = &trial->view.bodies;
    bodies_reserve(own, (size_t)bodies->count + 2);
    for (size_t k = 0; bodies->count && k < BODY_FIELDS; k++)
        memcpy(state_array(own, &body_fields[k]), state_array(bodies, &body_fields[k]),
               (size_t)bodies->count * body_fields[k].stride);
    own->count = bodies->count;
    own->moving = bodies->moving;
    own->index_of = memory_reserve(NULL, &own->id_capacity, (size_t)own->id_count + 1,
                                   sizeof *own->index_of, "body ids");
    // Laws do not matter here, and need not be complete yet.
    trial->view.laws = (struct law_table){.materials = materials};
    trial->view.laws.of =
        memory_allocate((size_t)materials * (size_t)materials, sizeof *trial->view.laws.of, "laws");
    share_shapes(trial);
}

void trial_close(struct trial *trial) {
    struct bodies *own = &trial->view.bodies;
    for (size_t k = 0; k < BODY_FIELDS; k++)
        memory_free(state_array(own, &body_fields[k]));
    memory_free(own->index_of);
    memory_free(own->start_of);
    memory_free(trial->view.laws.of);
    contact_list_free(&trial->found);
}

int32_t trial_add(struct trial *trial, const struct gabion_body *body) {
    share_shapes(trial);
    bodies_append(&trial->view.bodies, bodies_new_id(&trial->view.bodies), body);
    return trial->view.bodies.count - 1;
}

void trial_drop(struct trial *trial) { trial->view.bodies.count--; }

void trial_move(struct trial *trial, int32_t i, vec3 x, quat q) {
    trial->view.bodies.x[i] = x;
    trial->view.bodies.q[i] = q;
}

void trial_resize(struct trial *trial, int32_t i, double radius) {
    trial->view.bodies.radius[i] = radius;
}

static double direct_gap(const struct bodies *bodies, int32_t c, int32_t a) {
    vec3 normal;
    mat3 axes = quat_matrix(bodies->q[a]);
    return pair_gap(bodies, bodies->x, &axes, c, a, &normal);
}

static struct pose pose_of(const struct bodies *bodies, int32_t i) {
    return (struct pose){bodies->x[i], quat_matrix(bodies->q[i])};
}

bool trial_meets(struct trial *trial, int32_t c, int32_t a, double slack) {
    const struct bodies *bodies = &trial->view.bodies;
    if (pairs_kind(bodies, c, a)->direct)
        return direct_gap(bodies, c, a) < -slack;
    struct pair pair = pairs_place(&trial->view, c, a, pose_of(bodies, c), pose_of(bodies, a));
    pair.loose = true;
    trial->found.count = 0;
    pairs_nearest_there(&pair, 0, &trial->found);
    for (size_t k = 0; k < trial->found.count; k++)
        if (trial->found.list[k].gap < -slack)
            return true;
    return false;
}
