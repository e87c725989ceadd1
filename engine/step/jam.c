#include "engine/step/jam.h"

#include "engine/contact/detection.h"
#include "engine/contact/shared.h"
#include "engine/step/across.h"
#include "engine/world/islands.h"
#include "parallel/memory.h"
#include "parallel/stop.h"

// The gain that a step may have, as a share of the kinetic energy that was there. Smooth motion
// with sliding contacts gains and loses about (w h)^3, w the spin and h the step.
#define GAIN 1e-3

struct island_energy {
    double kinetic; // before the step
    double mass;
    double pull;  // the largest speed at which one of its joints is pulled shut
    double work;  // of its contacts and joints
    bool touches; // one of its contacts carries an impulse
};

struct jam {
    struct islands islands;
    struct island_energy *energy; // by root
};

static struct island_energy *energy_between(const struct jam *jam, int32_t c, int32_t a) {
    return &jam->energy[islands_between(&jam->islands, c, a)];
}

static double work_of(struct across u, vec3 impulse) {
    return 0.5 * vec3_dot(vec3_add(u.before, u.after), impulse);
}

static void add_contacts(const struct gabion_world *world, const struct jam *jam) {
    const struct contacts *contacts = world->contacts;
    for (size_t k = 0; k < contacts->count; k++) {
        if (!contacts_carries(contacts, k))
            continue;
        struct island_energy *energy =
            energy_between(jam, contacts->list[k].c, contacts->list[k].a);
        energy->touches = true;
        energy->work += work_of(across_contact(world, k), contacts->impulse[k]);
    }
}

static void add_joints(const struct gabion_world *world, const struct jam *jam) {
    const struct joint_points *joints = &world->contacts->joints;
    const vec3 *impulse = world->contacts->impulse + world->contacts->count;
    for (size_t k = 0; k < joints->block_count; k++) {
        const struct joint_block *block = &joints->blocks[k];
        struct island_energy *energy = energy_between(jam, block->c, block->a);
        for (uint32_t i = block->begin; i < block->begin + block->count; i++) {
            const struct joint_point *point = &joints->points[i];
            energy->pull = fmax(energy->pull, vec3_length(point->pull));
            energy->work += work_of(across_joint(world, block, point), impulse[i]);
        }
    }
}

static struct jam jam_open(const struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    size_t islands = (size_t)bodies->moving + 1;
    struct jam jam = {islands_open(bodies->moving),
                      memory_allocate(islands, sizeof *jam.energy, "islands of bodies")};
    contacts_join(world->contacts, &jam.islands);
    for (int32_t i = 0; i < bodies->moving; i++) {
        struct island_energy *energy = &jam.energy[islands_root(&jam.islands, i)];
        energy->kinetic += ledger_kinetic_energy(bodies, i);
        energy->mass += bodies->mass[i];
    }
    add_contacts(world, &jam);
    add_joints(world, &jam);
    return jam;
}

static void jam_close(struct jam *jam) {
    memory_free(jam->energy);
    islands_close(&jam->islands);
}

// Joints that are pulled shut may bring all bodies to the speed of the pull.
static bool gains(const struct island_energy *energy) {
    double allowed = GAIN * energy->kinetic + energy->mass * energy->pull * energy->pull;
    return energy->touches && energy->work > allowed;
}

// Returns whether a joint asked for anything but rest.
static bool ask_for_rest(struct joint_points *joints, const struct joint_block *block) {
    bool asked = false;
    for (uint32_t i = block->begin; i < block->begin + block->count; i++) {
        vec3 *bias = &joints->points[i].bias;
        asked = asked || vec3_dot(*bias, *bias) > 0;
        *bias = vec3_zero();
    }
    return asked;
}

bool jam_found(struct gabion_world *world) {
    struct joint_points *joints = &world->contacts->joints;
    bool found = false;
    if (joints->count == 0 || contacts_total(world) == 0 || world->report.rejection[0] ||
        stop_seen())
        return false;
    detection_complete(world);
    struct jam jam = jam_open(world);
    for (size_t k = 0; k < joints->block_count; k++) {
        const struct joint_block *block = &joints->blocks[k];
        if (gains(energy_between(&jam, block->c, block->a)) && ask_for_rest(joints, block))
            found = true;
    }
    jam_close(&jam);
    world->jammed = world->jammed || found;
    world->report.rounds += found;
    return found;
}
