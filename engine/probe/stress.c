// The mean stress in a region: Weber's sum of force times branch over contacts (Love 1927, Weber
// 1966, Christoffersen et al. 1981), each branch as far as it lies in the region
// (docs/measuring.md).
#include "engine/probe/quantities.h"
#include "engine/probe/selection.h"
#include "geometry/region_line.h"

// Adds s a b^T.
static void add_product(mat3 *sum, double s, vec3 a, vec3 b) {
    for (int i = 0; i < 3; i++)
        sum->row[i] = vec3_add_scaled(sum->row[i], s * vec3_get(a, i), b);
}

// Adds the part of one body of a contact: `force` acts on it at `point`. A fixed body is not part
// of the medium.
static void add_branch(mat3 *sum, const struct gabion_world *world, const struct probe *probe,
                       int32_t i, vec3 point, vec3 force) {
    vec3 centre = world->bodies.x[i];
    if (!(world->bodies.mass[i] > 0) || !probe_in_group(world, probe, i))
        return;
    double share = region_share(&probe->region, point, centre);
    if (share > 0)
        add_product(sum, share, force, vec3_sub(centre, point));
}

static void add_contacts(mat3 *sum, const struct gabion_world *world, const struct probe *probe) {
    double rate = 1 / world->settings.step;
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        if (!contacts_carries(world->contacts, k))
            continue;
        vec3 point = contacts_position(world, contact);
        vec3 force = vec3_scale(rate, world->contacts->impulse[k]);
        add_branch(sum, world, probe, contact->c, point, force);
        add_branch(sum, world, probe, contact->a, point, vec3_negate(force));
    }
}

static bool flies(const struct gabion_world *world, const struct probe *probe, int32_t i) {
    return world->bodies.mass[i] > 0 && probe_has_body(world, probe, i);
}

// Adds m (v - mean) (v - mean)^T of the bodies whose centre is in the region.
static void add_velocities(mat3 *sum, const struct gabion_world *world, const struct probe *probe) {
    const struct bodies *bodies = &world->bodies;
    vec3 momentum = vec3_zero();
    double mass = 0;
    for (int32_t i = 0; i < bodies->count; i++)
        if (flies(world, probe, i)) {
            momentum = vec3_add_scaled(momentum, bodies->mass[i], bodies->v[i]);
            mass += bodies->mass[i];
        }
    for (int32_t i = 0; mass > 0 && i < bodies->count; i++)
        if (flies(world, probe, i)) {
            vec3 u = vec3_sub(bodies->v[i], vec3_scale(1 / mass, momentum));
            add_product(sum, bodies->mass[i], u, u);
        }
}

// Returns sqrt(3/2 s : s), s the deviator of the symmetric part: |a - b| under axial symmetry.
static double deviator(const mat3 *stress, double pressure) {
    mat3 s = mat3_symmetric_part(stress);
    double sum = 0;
    s.row[0].x -= pressure;
    s.row[1].y -= pressure;
    s.row[2].z -= pressure;
    for (int i = 0; i < 3; i++)
        sum += vec3_dot(s.row[i], s.row[i]);
    return sqrt(1.5 * sum);
}

void probe_stress(const struct gabion_world *world, const struct probe *probe, double *values) {
    mat3 sum = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    add_contacts(&sum, world, probe);
    if (probe->kinetic)
        add_velocities(&sum, world, probe);
    for (int i = 0; i < 3; i++) {
        sum.row[i] = vec3_scale(1 / region_volume(&probe->region), sum.row[i]);
        probe_put(values + 3 * i, sum.row[i]);
    }
    double pressure = (sum.row[0].x + sum.row[1].y + sum.row[2].z) / 3;
    values[9] = pressure;
    values[10] = deviator(&sum, pressure);
}
