#include "engine/world/bodies.h"

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
    for (size_t k = 0; k < bodies->polyhedron_count; k++)
        polyhedron_free(bodies->polyhedra[k]);
    for (size_t k = 0; k < bodies->clump_count; k++)
        clump_free(bodies->clumps[k]);
    FREE(index_of)
    FREE(start_of)
    FREE(half_spaces)
    FREE(polyhedra)
    FREE(clumps)
    FREE(hollows)
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

static int32_t add_hollow(struct bodies *bodies, const struct gabion_body *body) {
    bool drum = body->shape == GABION_DRUM;
    bodies->hollows =
        memory_reserve(bodies->hollows, &bodies->hollow_capacity, bodies->hollow_count + 1,
                       sizeof *bodies->hollows, "containers");
    bodies->hollows[bodies->hollow_count] = (struct hollow){
        .axis = drum ? body->normal : vec3_zero(),
        .radius = body->radius,
        .half_length = drum ? 0.5 * body->length : 0,
        .ends = drum && body->ends,
    };
    return (int32_t)bodies->hollow_count++;
}

int32_t bodies_new_id(struct bodies *bodies) {
    bodies->index_of =
        memory_reserve(bodies->index_of, &bodies->id_capacity, (size_t)bodies->id_count + 1,
                       sizeof *bodies->index_of, "body ids");
    bodies->index_of[bodies->id_count] = -1;
    return bodies->id_count++;
}

// From the drawing frame to the shape's own.
static void place_own_frame(vec3 *x, quat *q, vec3 centre, quat axes) {
    *x = vec3_add(*x, mat3_apply(quat_matrix(*q), centre));
    *q = quat_multiply(*q, axes);
}

void bodies_place(const struct bodies *bodies, const struct gabion_body *body, vec3 *x, quat *q,
                  double *radius) {
    *x = body->position;
    *q = quat_normalize(body->orientation);
    *radius = body->shape == GABION_SPHERE ? body->radius : 0;
    if (shape_is_wall(body->shape))
        *q = (quat){1, 0, 0, 0};
    if (body->shape == GABION_POLYHEDRON) {
        const struct polyhedron *shape = bodies->polyhedra[body->polyhedron];
        *radius = shape->radius;
        place_own_frame(x, q, shape->centre, shape->axes);
    }
    if (body->shape == GABION_CLUMP) {
        const struct clump *shape = bodies->clumps[body->clump];
        *radius = shape->radius;
        place_own_frame(x, q, shape->centre, shape->axes);
    }
}

static int32_t shape_index_of(struct bodies *bodies, const struct gabion_body *body) {
    switch (body->shape) {
    case GABION_SPHERE:
        return -1;
    case GABION_HALF_SPACE:
        return add_half_space(bodies, body);
    case GABION_POLYHEDRON:
        return body->polyhedron;
    case GABION_CLUMP:
        return body->clump;
    case GABION_HOLLOW_SPHERE:
    case GABION_DRUM:
        break;
    }
    return add_hollow(bodies, body);
}

void bodies_weigh(const struct bodies *bodies, const struct gabion_body *body, double *mass,
                  vec3 *inertia) {
    double volume = 0;
    vec3 moment = vec3_zero(); // per unit of mass
    bool given = body->inertia.x > 0 || body->inertia.y > 0 || body->inertia.z > 0;
    if (body->shape == GABION_SPHERE) {
        volume = sphere_mass(body->radius, 1);
        moment = sphere_inertia(body->radius, 1);
    } else if (body->shape == GABION_CLUMP) {
        const struct clump *shape = bodies->clumps[body->clump];
        volume = shape->volume;
        moment = vec3_scale(1 / shape->volume, shape->inertia);
    } else if (body->shape == GABION_POLYHEDRON) {
        const struct polyhedron *shape = bodies->polyhedra[body->polyhedron];
        volume = shape->volume;
        moment = vec3_scale(1 / shape->volume, shape->inertia);
    }
    *mass = body->fixed ? 0 : body->mass > 0 ? body->mass : body->density * volume;
    *inertia = body->fixed ? vec3_zero() : given ? body->inertia : vec3_scale(*mass, moment);
}

// Displacements of blocks are counted from here.
static void remember_start(struct bodies *bodies, int32_t id, vec3 x) {
    size_t count = (size_t)id + 1;
    bodies->start_of = memory_reserve(bodies->start_of, &bodies->start_capacity, count,
                                      sizeof *bodies->start_of, "first positions");
    while (bodies->start_count < count)
        bodies->start_of[bodies->start_count++] = vec3_zero();
    bodies->start_of[id] = x;
}

void bodies_append(struct bodies *bodies, int32_t id, const struct gabion_body *body) {
    int32_t i = bodies->count++;
    bodies_reserve(bodies, (size_t)bodies->count);
    bodies->id[i] = id;
    bodies->shape_index[i] = shape_index_of(bodies, body);
    bodies->material[i] = (uint16_t)body->material;
    bodies->group[i] = (uint16_t)body->group;
    bodies->shape[i] = (uint8_t)body->shape;
    bodies->lock[i] = (uint8_t)body->lock;
    bodies_weigh(bodies, body, &bodies->mass[i], &bodies->inertia[i]);
    bodies_place(bodies, body, &bodies->x[i], &bodies->q[i], &bodies->radius[i]);
    bodies->v[i] = body->velocity;
    bodies->w[i] = body->spin;
    bodies->index_of[id] = i;
    if (body->shape == GABION_POLYHEDRON)
        remember_start(bodies, id, bodies->x[i]);
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
