// Reading the run: counts, reports, energies, timings and probes.
#include <string.h>

#include "engine/api/entry.h"
#include "engine/contact/contacts.h"
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
        .joints = world->joints.count,
        .probes = world->probe_count,
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

const char *gabion_probe_name(const struct gabion_world *world, int probe) {
    if (!entry_readable(world, NULL) || probe < 0 || probe >= world->probe_count)
        return NULL;
    return world->probes[probe].name;
}

int gabion_find_probe(const struct gabion_world *world, const char *name) {
    for (int k = 0; name && entry_readable(world, NULL) && k < world->probe_count; k++)
        if (strcmp(world->probes[k].name, name) == 0)
            return k;
    return -1;
}

static vec3 group_mean(const struct gabion_world *world, int group, const vec3 *values) {
    vec3 sum = vec3_zero();
    int32_t count = 0;
    for (int32_t i = 0; i < world->bodies.count; i++) {
        if (world->bodies.group[i] != group)
            continue;
        sum = vec3_add(sum, values[i]);
        count++;
    }
    return vec3_scale(1.0 / count, sum); // not a number while the group is not in the run
}
// +1 where the first body of a joint is of the group, -1 where the second is; both cancel.
static double joint_sign(const struct gabion_world *world, const struct joint *joint, int group) {
    double sign = 0;
    for (int i = 0; i < 2; i++) {
        int32_t body = joint->id[i] < 0 ? -1 : world->bodies.index_of[joint->id[i]];
        if (body >= 0 && world->bodies.group[body] == group)
            sign += i == 0 ? 1 : -1;
    }
    return sign;
}

// Contacts act on the group with their impulse at their point; those inside it cancel.
static vec3 group_moment(const struct gabion_world *world, int group) {
    const uint16_t *groups = world->bodies.group;
    vec3 about = group_mean(world, group, world->bodies.x), sum = vec3_zero();
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        double sign = (groups[contact->c] == group) - (groups[contact->a] == group);
        vec3 moment = vec3_cross(vec3_sub(contact->point, about), world->contacts->impulse[k]);
        sum = vec3_add_scaled(sum, sign, moment);
    }
    sum = vec3_scale(1 / world->settings.step, sum);
    for (int k = 0; k < world->joints.count; k++) {
        const struct joint *joint = &world->joints.list[k];
        double sign = joint_sign(world, joint, group);
        if (sign != 0)
            sum = vec3_add_scaled(sum, sign, joints_moment(world, joint, about));
    }
    return sum;
}

static vec3 group_force(const struct gabion_world *world, int group) {
    const uint16_t *groups = world->bodies.group;
    vec3 sum = vec3_zero();
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        if (groups[contact->c] == group)
            sum = vec3_add(sum, world->contacts->impulse[k]);
        if (groups[contact->a] == group)
            sum = vec3_sub(sum, world->contacts->impulse[k]);
    }
    sum = vec3_scale(1 / world->settings.step, sum);
    for (int k = 0; k < world->joints.count; k++) {
        const struct joint *joint = &world->joints.list[k];
        sum = vec3_add_scaled(sum, joint_sign(world, joint, group), joints_force(world, joint));
    }
    return sum;
}

// The contacts of the last complete step are gone once a step has failed: their forces are unknown.
static bool is_lost(const struct gabion_world *world, enum gabion_quantity quantity) {
    return world->contacts->lost && (quantity == GABION_FORCE || quantity == GABION_MOMENT);
}

static vec3 measure(const struct gabion_world *world, const struct probe *probe) {
    if (is_lost(world, probe->quantity))
        return vec3_make(NAN, NAN, NAN);
    switch (probe->quantity) {
    case GABION_POSITION:
        return group_mean(world, probe->group, world->bodies.x);
    case GABION_VELOCITY:
        return group_mean(world, probe->group, world->bodies.v);
    case GABION_SPIN:
        return group_mean(world, probe->group, world->bodies.w);
    case GABION_FORCE:
        return group_force(world, probe->group);
    case GABION_MOMENT:
        return group_moment(world, probe->group);
    case GABION_QUANTITY_COUNT:
        break;
    }
    return vec3_zero();
}

bool gabion_probe_value(const struct gabion_world *world, int probe, vec3 *value,
                        struct gabion_error *error) {
    if (!may_read(world, value, "value", error) ||
        !entry_index(probe, world->probe_count, "probe", error))
        return false;
    *value = measure(world, &world->probes[probe]);
    return true;
}
