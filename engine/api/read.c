// Reading the run: counts, reports, energies, timings and probes.
#include <string.h>

#include "engine/api/entry.h"
#include "engine/contact/contacts.h"
#include "engine/probe/probe.h"
#include "engine/world/fall.h"
#include "engine/world/schedule.h"

// Returns whether the world may be read and `target` is not NULL; false with an error if not.
static bool may_read(const struct gabion_world *world, const void *target, const char *what,
                     struct gabion_error *error) {
    if (!entry_readable(world, error))
        return false;
    return target || entry_missing(what, error);
}

int64_t gabion_step_number(const struct gabion_world *world) {
    return entry_readable(world, NULL) ? world->step : -1;
}

double gabion_time(const struct gabion_world *world) {
    return entry_readable(world, NULL) ? world_time(world) : NAN;
}

bool gabion_at_rest(const struct gabion_world *world) {
    if (!entry_readable(world, NULL) || !(world->settings.rest_speed > 0))
        return false;
    double needed = world->settings.rest_duration - 1e-6 * world->settings.step;
    double time = world_time(world);
    return time - world->rest_since >= needed && time - schedule_over_since(world) >= needed;
}

bool gabion_collapsed(const struct gabion_world *world, struct gabion_fall *fall) {
    struct gabion_fall found;
    if (!entry_readable(world, NULL) || !fall_find(world, &found))
        return false;
    if (fall)
        *fall = found;
    return true;
}

// Before the first step bodies are not sorted yet.
static int32_t count_moving(const struct bodies *bodies) {
    int32_t moving = 0;
    for (int32_t i = 0; i < bodies->count; i++)
        moving += bodies->mass[i] > 0;
    return moving;
}

static int32_t count_finite(const struct bodies *bodies) {
    int32_t finite = 0;
    for (int32_t i = 0; i < bodies->count; i++)
        finite += !bodies_is_wall(bodies, i);
    return finite;
}

bool gabion_read_counts(const struct gabion_world *world, struct gabion_counts *counts,
                        struct gabion_error *error) {
    if (!may_read(world, counts, "counts", error))
        return false;
    const struct bodies *bodies = &world->bodies;
    *counts = (struct gabion_counts){
        .bodies = bodies->count,
        .moving = count_moving(bodies),
        .finite = count_finite(bodies),
        .ids = bodies->id_count,
        .waiting = world->pending_count,
        .materials = world->materials.count,
        .groups = world->groups.count,
        .polyhedra = (int)bodies->polyhedron_count,
        .clumps = (int)bodies->clump_count,
        .compounds = (int)bodies->compound_count,
        .planes = (int)bodies->half_space_count,
        .hollows = (int)bodies->hollow_count,
        .surfaces = (int)bodies->surface_count,
        .joints = world->joints.count,
        .probes = world->probes->count,
        .drivers = world->driver_count,
        .forces = world->force_count,
        .events = world->event_count,
        .contacts = (int64_t)world->contacts->count,
    };
    return true;
}

bool gabion_read_step_report(const struct gabion_world *world, struct gabion_step_report *report,
                             struct gabion_error *error) {
    if (!may_read(world, report, "report", error))
        return false;
    *report = world->report;
    return true;
}

bool gabion_read_run_report(const struct gabion_world *world, struct gabion_run_report *report,
                            struct gabion_error *error) {
    if (!may_read(world, report, "report", error))
        return false;
    *report = world->run;
    return true;
}

bool gabion_read_energies(const struct gabion_world *world, struct gabion_energies *energies,
                          struct gabion_error *error) {
    if (!may_read(world, energies, "energies", error))
        return false;
    const struct ledger *ledger = &world->ledger;
    *energies = (struct gabion_energies){
        .kinetic = ledger->kinetic,
        .potential = ledger->potential,
        .contact_work = ledger->contact_work,
        .contact_gain = ledger->contact_gain,
        .impact_gain = ledger->impact_gain,
        .gain_scale = ledger->gain_scale,
        .joint_work = ledger->joint_work,
        .driver_work = ledger->driver_work,
        .applied_work = ledger->applied_work,
        .theta_work = ledger->theta_work,
        .projection_work = ledger->projection_work,
        .removed_energy = ledger->removed_energy,
        .energy_error = ledger->energy_error,
        .turnover = ledger->turnover,
        .closes = !ledger_failed(ledger),
    };
    return true;
}

int gabion_read_timings(const struct gabion_world *world, struct gabion_timing *timings,
                        int capacity, struct gabion_error *error) {
    if (!entry_readable(world, error))
        return -1;
    if (!entry_capacity(capacity, timings, "timings", error))
        return -1;
    for (int phase = 0; phase < PHASE_COUNT && phase < capacity; phase++)
        timings[phase] = (struct gabion_timing){phase_names[phase], world->phase_time[phase]};
    return PHASE_COUNT;
}

// Probes --------------------------------------------------------------------------------------

static const struct probe *probe_at(const struct gabion_world *world, int probe) {
    if (!entry_readable(world, NULL) || probe < 0 || probe >= world->probes->count)
        return NULL;
    return &world->probes->list[probe];
}

const char *gabion_probe_name(const struct gabion_world *world, int probe) {
    const struct probe *own = probe_at(world, probe);
    return own ? own->name : NULL;
}

int gabion_find_probe(const struct gabion_world *world, const char *name) {
    for (int k = 0; name && entry_readable(world, NULL) && k < world->probes->count; k++)
        if (strcmp(world->probes->list[k].name, name) == 0)
            return k;
    return -1;
}

int gabion_probe_components(const struct gabion_world *world, int probe) {
    const struct probe *own = probe_at(world, probe);
    return own ? own->components : -1;
}

const char *gabion_probe_component(const struct gabion_world *world, int probe, int component) {
    const struct probe *own = probe_at(world, probe);
    return own && component >= 0 && component < own->components ? own->component[component] : NULL;
}

struct reading {
    const struct gabion_world *world;
    const struct probe *probe;
    double values[PROBE_COMPONENTS_MAX];
};

static void read_probe(void *context) {
    struct reading *reading = context;
    probe_measure(reading->world, reading->probe, reading->values);
}

int gabion_probe_read(const struct gabion_world *world, int probe, double *values, int capacity,
                      struct gabion_error *error) {
    struct gabion_error ignored = {0};
    if (!entry_bodies(world, error) || !entry_index(probe, world->probes->count, "probe", error) ||
        !entry_capacity(capacity, values, "values", error))
        return -1;
    struct reading reading = {.world = world, .probe = &world->probes->list[probe]};
    if (probe_reads_contacts(reading.probe) && !entry_whole(world, error))
        return -1;
    if (!entry_try(read_probe, &reading, error ? error : &ignored))
        return -1;
    for (int k = 0; k < capacity && k < reading.probe->components; k++)
        values[k] = reading.values[k];
    return reading.probe->components;
}

bool gabion_probe_value(const struct gabion_world *world, int probe, vec3 *value,
                        struct gabion_error *error) {
    double values[3];
    if (!may_read(world, value, "value", error) ||
        !entry_index(probe, world->probes->count, "probe", error))
        return false;
    if (world->probes->list[probe].components != 3 ||
        strcmp(world->probes->list[probe].component[0], "x") != 0)
        return entry_reject(error, "probe %.100s is no vector; read it with gabion_probe_read",
                            world->probes->list[probe].name);
    if (gabion_probe_read(world, probe, values, 3, error) < 0)
        return false;
    *value = vec3_make(values[0], values[1], values[2]);
    return true;
}
