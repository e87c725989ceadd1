// Where bodies are, how they move and how many there are.
#include "engine/probe/quantities.h"
#include "engine/probe/selection.h"

// Sums go over the bodies in their order in memory, which is part of the state.
static vec3 mean(const struct gabion_world *world, const struct probe *probe, const vec3 *of) {
    vec3 sum = vec3_zero();
    int32_t count = 0;
    for (int32_t i = 0; i < world->bodies.count; i++) {
        if (!probe_has_body(world, probe, i))
            continue;
        sum = vec3_add(sum, of[i]);
        count++;
    }
    return vec3_scale(1.0 / count, sum); // not a number while none of them is in the run
}

void probe_position(const struct gabion_world *world, const struct probe *probe, double *values) {
    probe_put(values, mean(world, probe, world->bodies.x));
}

void probe_velocity(const struct gabion_world *world, const struct probe *probe, double *values) {
    probe_put(values, mean(world, probe, world->bodies.v));
}

void probe_spin(const struct gabion_world *world, const struct probe *probe, double *values) {
    probe_put(values, mean(world, probe, world->bodies.w));
}

// Displacement ----------------------------------------------------------------------------------

static vec3 mean_displacement(const struct gabion_world *world, const struct probe *probe) {
    const struct bodies *bodies = &world->bodies;
    vec3 sum = vec3_zero();
    int32_t count = 0;
    for (int32_t i = 0; i < bodies->count; i++) {
        if (!probe_has_body(world, probe, i))
            continue;
        sum = vec3_add(sum, vec3_sub(bodies->x[i], bodies->start_of[bodies->id[i]]));
        count++;
    }
    return vec3_scale(1.0 / count, sum);
}

void probe_displacement(const struct gabion_world *world, const struct probe *probe,
                        double *values) {
    vec3 way = mean_displacement(world, probe);
    struct probe reference = {.group = probe->against};
    if (probe->against >= 0)
        way = vec3_sub(way, mean_displacement(world, &reference));
    probe_put(values, way);
    values[3] = vec3_length(way);
}

// Orientation -----------------------------------------------------------------------------------

// Returns the orientation of the frame that the body was drawn in, as case files give it.
static quat drawn_orientation(const struct bodies *bodies, int32_t i) {
    quat axes = {1, 0, 0, 0};
    if (bodies->shape[i] == GABION_POLYHEDRON)
        axes = bodies_polyhedron(bodies, i)->axes;
    else if (bodies->shape[i] == GABION_CLUMP)
        axes = bodies_clump(bodies, i)->axes;
    else if (bodies->shape[i] == GABION_COMPOUND)
        axes = bodies_compound(bodies, i)->axes;
    return quat_multiply(bodies->q[i], quat_conjugate(axes));
}

static double quat_dot(quat a, quat b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }

// Adds s b to a.
static void quat_add(quat *a, double s, quat b) {
    *a = (quat){a->w + s * b.w, a->x + s * b.x, a->y + s * b.y, a->z + s * b.z};
}

// The sum of quaternions that are all on the same side, made a rotation again: the mean for
// orientations that are close to each other, and exact for a single body. q and -q are the same
// rotation; the result has w >= 0.
void probe_orientation(const struct gabion_world *world, const struct probe *probe,
                       double *values) {
    quat sum = {0, 0, 0, 0};
    for (int32_t i = 0; i < world->bodies.count; i++)
        if (probe_has_body(world, probe, i)) {
            quat q = drawn_orientation(&world->bodies, i);
            quat_add(&sum, quat_dot(sum, q) < 0 ? -1 : 1, q);
        }
    sum = quat_normalize(sum);
    double sign = sum.w < 0 ? -1 : 1;
    values[0] = sign * sum.w;
    probe_put(values + 1, vec3_scale(sign, vec3_make(sum.x, sum.y, sum.z)));
}

// Sums ------------------------------------------------------------------------------------------

void probe_mass(const struct gabion_world *world, const struct probe *probe, double *values) {
    values[0] = 0;
    for (int32_t i = 0; i < world->bodies.count; i++)
        if (probe_has_body(world, probe, i))
            values[0] += world->bodies.mass[i];
}

void probe_count(const struct gabion_world *world, const struct probe *probe, double *values) {
    values[0] = 0;
    for (int32_t i = 0; i < world->bodies.count; i++)
        values[0] += world->bodies.mass[i] > 0 && probe_has_body(world, probe, i);
}
