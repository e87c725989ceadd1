#include "engine/world/bodies.h"

#include <string.h>

#include "parallel/memory.h"

#define BODY(member) STATE_ARRAY(struct bodies, member)

// Orientations are (w, x, y, z); inertia is along body axes; velocity and spin are in world axes.
const struct state_field body_fields[BODY_FIELDS] = {
    {"bodies/id", "1", STATE_INTEGER, VALUE_ID, BODY(id), STATE_FRAMED},
    {"bodies/shape_index", "1", STATE_INTEGER, VALUE_SHAPE_INDEX, BODY(shape_index), STATE_FRAMED},
    {"bodies/material", "1", STATE_UINT16, 1, VALUE_MATERIAL, BODY(material), STATE_MEASURED},
    {"bodies/group", "1", STATE_UINT16, 1, VALUE_GROUP, BODY(group), STATE_MEASURED},
    {"bodies/shape", "1", STATE_BYTE, VALUE_SHAPE, BODY(shape), STATE_FRAMED},
    {"bodies/lock", "1", STATE_BYTE, VALUE_LOCK, BODY(lock), STATE_MEASURED},
    {"bodies/radius", "m", STATE_REAL, VALUE_NOT_NEGATIVE, BODY(radius), STATE_FRAMED},
    {"bodies/mass", "kg", STATE_REAL, VALUE_NOT_NEGATIVE, BODY(mass), STATE_MEASURED},
    {"bodies/inertia", "kg m2", STATE_VECTOR, VALUE_NOT_NEGATIVE, BODY(inertia)},
    {"bodies/position", "m", STATE_VECTOR, VALUE_FINITE, BODY(x), STATE_FRAMED},
    {"bodies/orientation", "1", STATE_QUATERNION, VALUE_FINITE, BODY(q), STATE_FRAMED},
    {"bodies/velocity", "m/s", STATE_VECTOR, VALUE_FINITE, BODY(v), STATE_FRAMED},
    {"bodies/spin", "rad/s", STATE_VECTOR, VALUE_FINITE, BODY(w), STATE_FRAMED},
};

void bodies_free(struct bodies *bodies) {
    for (size_t k = 0; k < BODY_FIELDS; k++)
        memory_free(state_array(bodies, &body_fields[k]));
    for (size_t k = 0; k < bodies->polyhedron_count; k++)
        polyhedron_free(bodies->polyhedra[k]);
    for (size_t k = 0; k < bodies->clump_count; k++)
        clump_free(bodies->clumps[k]);
    for (size_t k = 0; k < bodies->compound_count; k++)
        compound_free(bodies->compounds[k]);
    for (size_t k = 0; k < bodies->surface_count; k++)
        shell_free(bodies->surfaces[k]);
    void *lists[] = {bodies->index_of, bodies->start_of,  bodies->half_spaces, bodies->polyhedra,
                     bodies->clumps,   bodies->compounds, bodies->hollows,     bodies->surfaces};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        memory_free(lists[k]);
    *bodies = (struct bodies){0};
}

void bodies_reserve(struct bodies *bodies, size_t count) {
    if (count <= bodies->capacity)
        return;
    size_t wanted = bodies->capacity + bodies->capacity / 2;
    if (wanted < count)
        wanted = count;
    for (size_t k = 0; k < BODY_FIELDS; k++) {
        const struct state_field *field = &body_fields[k];
        void *array = state_array(bodies, field);
        state_set_array(bodies, field, memory_resize(array, wanted, field->stride, "bodies"));
    }
    bodies->capacity = wanted;
}

int32_t bodies_new_id(struct bodies *bodies) {
    bodies->index_of =
        memory_reserve(bodies->index_of, &bodies->id_capacity, (size_t)bodies->id_count + 1,
                       sizeof *bodies->index_of, "body ids");
    bodies->index_of[bodies->id_count] = -1;
    return bodies->id_count++;
}

void bodies_place(const struct bodies *bodies, const struct gabion_body *body, vec3 *x, quat *q,
                  double *radius) {
    *x = body->position;
    *q = quat_normalize(body->orientation);
    shape_kinds[body->shape].place(bodies, body, x, q, radius);
}

void bodies_weigh(const struct bodies *bodies, const struct gabion_body *body, double *mass,
                  vec3 *inertia) {
    double volume = 0;
    vec3 moment = vec3_zero(); // per unit of mass
    bool given = body->inertia.x > 0 || body->inertia.y > 0 || body->inertia.z > 0;
    if (shape_kinds[body->shape].weigh)
        shape_kinds[body->shape].weigh(bodies, body, &volume, &moment);
    *mass = body->fixed ? 0 : body->mass > 0 ? body->mass : body->density * volume;
    *inertia = body->fixed ? vec3_zero() : given ? body->inertia : vec3_scale(*mass, moment);
}

bool bodies_have_axes(const struct bodies *bodies) {
    for (size_t k = 0; k < GABION_SHAPE_COUNT; k++)
        if (shape_kinds[k].axes && shape_kinds[k].count(bodies) > 0)
            return true;
    return false;
}

bool bodies_shape_fits(const struct bodies *bodies, int32_t i) {
    const struct shape_kind *shape = bodies_shape(bodies, i);
    int32_t index = bodies->shape_index[i];
    if (!shape->count)
        return index == -1;
    return index >= 0 && (size_t)index < shape->count(bodies) &&
           (!shape->fits || shape->fits(bodies, index));
}

static int32_t shape_index_of(struct bodies *bodies, const struct gabion_body *body) {
    const struct shape_kind *shape = &shape_kinds[body->shape];
    return shape->add ? shape->add(bodies, body) : shape->shared ? shape->shared(body) : -1;
}

// Displacements and falls are counted from here.
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
    remember_start(bodies, id, bodies->x[i]);
}

// A world without bodies has no arrays.
static void permute(char *array, size_t size, const int32_t *order, int32_t count, char *room) {
    if (count == 0)
        return;
    for (int32_t k = 0; k < count; k++)
        memcpy(room + (size_t)k * size, array + (size_t)order[k] * size, size);
    memcpy(array, room, (size_t)count * size);
}

static size_t largest_stride(void) {
    size_t largest = 0;
    for (size_t k = 0; k < BODY_FIELDS; k++)
        if (body_fields[k].stride > largest)
            largest = body_fields[k].stride;
    return largest;
}

void bodies_permute(struct bodies *bodies, const int32_t *order, int32_t count, int32_t moving) {
    for (int32_t i = 0; i < bodies->count; i++)
        bodies->index_of[bodies->id[i]] = -1;
    char *room = memory_borrow((size_t)count * largest_stride(), "sorted bodies");
    for (size_t k = 0; k < BODY_FIELDS; k++)
        permute(state_array(bodies, &body_fields[k]), body_fields[k].stride, order, count, room);
    memory_return(room);
    bodies->count = count;
    bodies->moving = moving;
    bodies_index(bodies);
}

void bodies_index(struct bodies *bodies) {
    for (int32_t i = 0; i < bodies->count; i++)
        bodies->index_of[bodies->id[i]] = i;
}
