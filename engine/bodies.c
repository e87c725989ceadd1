#include "engine/bodies.h"

#include <string.h>

#include "geometry/mass.h"
#include "parallel/memory.h"

// One list of the per-body arrays serves growing, permuting and freeing.
#define BODY_ARRAYS(EACH)                                                                          \
    EACH(id)                                                                                       \
    EACH(shape_index)                                                                              \
    EACH(material)                                                                                 \
    EACH(group)                                                                                    \
    EACH(shape)                                                                                    \
    EACH(lock)                                                                                     \
    EACH(radius)                                                                                   \
    EACH(mass)                                                                                     \
    EACH(inertia)                                                                                  \
    EACH(x)                                                                                        \
    EACH(q)                                                                                        \
    EACH(v)                                                                                        \
    EACH(w)

void bodies_free(struct bodies *bodies) {
#define FREE(array) memory_free(bodies->array);
    BODY_ARRAYS(FREE)
    FREE(index_of)
    FREE(half_spaces)
#undef FREE
    *bodies = (struct bodies){0};
}

void bodies_reserve(struct bodies *bodies, size_t count) {
    if (count <= bodies->capacity)
        return;
    size_t wanted = bodies->capacity + bodies->capacity / 2;
    if (wanted < count)
        wanted = count;
#define GROW(array)                                                                                \
    bodies->array = memory_resize(bodies->array, wanted, sizeof *bodies->array, "bodies");
    BODY_ARRAYS(GROW)
#undef GROW
    bodies->capacity = wanted;
}

static int32_t add_half_space(struct bodies *bodies, const struct gabion_body *body) {
    bodies->half_spaces =
        memory_reserve(bodies->half_spaces, &bodies->half_space_capacity,
                       bodies->half_space_count + 1, sizeof *bodies->half_spaces, "half-spaces");
    bodies->half_spaces[bodies->half_space_count] = (struct half_space){
        .normal = body->normal,
        .tangent = body->tangent,
        .extent = {body->extent[0], body->extent[1]},
    };
    return (int32_t)bodies->half_space_count++;
}

int32_t bodies_new_id(struct bodies *bodies) {
    bodies->index_of =
        memory_reserve(bodies->index_of, &bodies->id_capacity, (size_t)bodies->id_count + 1,
                       sizeof *bodies->index_of, "body ids");
    bodies->index_of[bodies->id_count] = -1;
    return bodies->id_count++;
}

void bodies_append(struct bodies *bodies, int32_t id, const struct gabion_body *body) {
    int32_t i = bodies->count++;
    bodies_reserve(bodies, (size_t)bodies->count);
    bool free = !body->fixed, sphere = body->shape == GABION_SPHERE;
    double mass = body->mass > 0 ? body->mass : sphere_mass(body->radius, body->density);
    bool given = body->inertia.x > 0 || body->inertia.y > 0 || body->inertia.z > 0;
    bodies->id[i] = id;
    bodies->shape_index[i] = sphere ? -1 : add_half_space(bodies, body);
    bodies->material[i] = (uint16_t)body->material;
    bodies->group[i] = (uint16_t)body->group;
    bodies->shape[i] = (uint8_t)body->shape;
    bodies->lock[i] = (uint8_t)body->lock;
    bodies->radius[i] = sphere ? body->radius : 0;
    bodies->mass[i] = free ? mass : 0;
    bodies->inertia[i] = !free   ? vec3_zero()
                         : given ? body->inertia
                                 : sphere_inertia(body->radius, mass);
    bodies->x[i] = body->position;
    bodies->q[i] = quat_normalize(body->orientation);
    bodies->v[i] = body->velocity;
    bodies->w[i] = body->spin;
    bodies->index_of[id] = i;
}

static void *permuted(void *old, size_t size, const int32_t *order, int32_t count,
                      size_t capacity) {
    char *fresh = memory_allocate(capacity, size, "sorted bodies"), *from = old;
    for (int32_t k = 0; k < count; k++)
        memcpy(fresh + (size_t)k * size, from + (size_t)order[k] * size, size);
    memory_free(old);
    return fresh;
}

void bodies_permute(struct bodies *bodies, const int32_t *order, int32_t count, int32_t moving) {
    for (int32_t i = 0; i < bodies->count; i++)
        bodies->index_of[bodies->id[i]] = -1;
#define PERMUTE(array)                                                                             \
    bodies->array = permuted(bodies->array, sizeof *bodies->array, order, count, bodies->capacity);
    BODY_ARRAYS(PERMUTE)
#undef PERMUTE
    bodies->count = count;
    bodies->moving = moving;
    bodies_index(bodies);
}

void bodies_index(struct bodies *bodies) {
    for (int32_t i = 0; i < bodies->count; i++)
        bodies->index_of[bodies->id[i]] = i;
}
