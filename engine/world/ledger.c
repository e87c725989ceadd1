#include "engine/world/ledger.h"

#include "engine/world/loads.h"
#include "parallel/memory.h"

// Energy --------------------------------------------------------------------------------------

struct energy_context {
    const struct gabion_world *world;
    vec3 gravity;
};

double ledger_spin_energy(const struct bodies *bodies, int32_t i) {
    vec3 w = bodies->w[i], inertia = bodies->inertia[i];
    if (!bodies_isotropic(bodies, i))
        w = mat3_apply_transposed(quat_matrix(bodies->q[i]), w);
    return 0.5 * vec3_dot(vec3_times(inertia, w), w);
}

double ledger_kinetic_energy(const struct bodies *bodies, int32_t i) {
    return 0.5 * bodies->mass[i] * vec3_dot(bodies->v[i], bodies->v[i]) +
           ledger_spin_energy(bodies, i);
}

static void add_energy(void *context, size_t begin, size_t end, struct binned_sum *out) {
    const struct energy_context *energy = context;
    const struct bodies *bodies = &energy->world->bodies;
    for (size_t i = begin; i < end; i++) {
        binned_add(&out[0], ledger_kinetic_energy(bodies, (int32_t)i));
        binned_add(&out[1], -bodies->mass[i] * vec3_dot(energy->gravity, bodies->x[i]));
    }
}

static void measure_energy(const struct gabion_world *world, double time, double *kinetic,
                           double *potential) {
    struct energy_context energy = {world, loads_gravity(world, time)};
    double sum[2];
    piece_sum(world, 2, add_energy, &energy, sum);
    *kinetic = sum[0];
    *potential = sum[1];
}

void ledger_events(struct gabion_world *world) {
    struct ledger *ledger = &world->ledger;
    double before = ledger->kinetic + ledger->potential;
    measure_energy(world, world_time(world), &ledger->kinetic, &ledger->potential);
    if (world->step == 0)
        return;
    double change = ledger->kinetic + ledger->potential - before;
    ledger->removed_energy += change;
    ledger->turnover += fabs(change);
}

void ledger_set_velocity(struct gabion_world *world, int32_t i, vec3 velocity, vec3 spin) {
    struct ledger *ledger = &world->ledger;
    double before = ledger_kinetic_energy(&world->bodies, i);
    world->bodies.v[i] = velocity;
    world->bodies.w[i] = spin;
    if (world->step == 0) // the first step starts from the energies it finds
        return;
    double change = ledger_kinetic_energy(&world->bodies, i) - before;
    ledger->kinetic += change;
    ledger->removed_energy += change;
    ledger->turnover += fabs(change);
}

// Closing -------------------------------------------------------------------------------------

void ledger_close(struct gabion_world *world) {
    struct ledger *ledger = &world->ledger;
    double kinetic = ledger->kinetic, potential = ledger->potential;
    double end = world_time_of(world, world->step + 1);
    measure_energy(world, end, &ledger->kinetic, &ledger->potential);
    double d_kinetic = ledger->kinetic - kinetic, d_potential = ledger->potential - potential;
    ledger->energy_error += d_kinetic + d_potential - ledger->explained;
    ledger->turnover += fabs(d_kinetic) + fabs(d_potential);
}

void ledger_projection(struct gabion_world *world) {
    struct ledger *ledger = &world->ledger;
    double before = ledger->kinetic + ledger->potential;
    double end = world_time_of(world, world->step + 1);
    measure_energy(world, end, &ledger->kinetic, &ledger->potential);
    double change = ledger->kinetic + ledger->potential - before;
    ledger->projection_work += change;
    ledger->turnover += fabs(change);
}

// The limit allows for the rounding of the energies in every step, in addition to that of the
// turnover.
bool ledger_failed(const struct ledger *ledger) {
    double scale = ledger->turnover + fabs(ledger->kinetic) + fabs(ledger->potential);
    return !(fabs(ledger->energy_error) <= 1e-9 * scale);
}
