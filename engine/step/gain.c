#include "engine/step/gain.h"

#include "engine/contact/shared.h"
#include "engine/step/across.h"
#include "engine/step/whole.h"
#include "engine/world/islands.h"
#include "parallel/memory.h"

// Contacts that give ------------------------------------------------------------------------------

// Returns the velocity that the law may ask for at a contact: a rebound, or the pushing out of an
// overlap (contact.gap stabilized). Where it asks for none, u.r <= 0 holds with the velocity u
// after the step, else with what u has beyond that.
static vec3 asked_velocity(const struct gabion_world *world, size_t k) {
    const struct contacts *contacts = world->contacts;
    const struct contact *contact = &contacts->list[k];
    double bias = contacts->bias[k];
    vec3 asked = vec3_scale(bias < 0 ? -bias : 0, contact->normal);
    if (!contacts->before)
        return asked;
    vec3 before = contacts->before[k];
    vec3 along = vec3_add_scaled(before, -vec3_dot(before, contact->normal), contact->normal);
    return vec3_add_scaled(asked, -world->laws.law[contact->law].tangential_restitution, along);
}

enum { GAIN_CONTACT, GAIN_SCALE, GAIN_REBOUNDS, GAIN_COUNT };

static void add_contact_gain(void *context, size_t begin, size_t end, struct binned_sum *out) {
    const struct gabion_world *world = context;
    struct binned_terms gain = {.sum = &out[GAIN_CONTACT]}, scale = {.sum = &out[GAIN_SCALE]};
    size_t rebounds = 0;
    for (size_t k = begin; k < end; k++) {
        if (!contacts_carries(world->contacts, k))
            continue;
        vec3 asked = asked_velocity(world, k), impulse = world->contacts->impulse[k];
        struct across_place place = across_place(world, k);
        double given = vec3_dot(vec3_sub(across_after(world, &place), asked), impulse);
        binned_keep(&gain, given > 0 ? given : 0);
        binned_keep(&scale, fabs(vec3_dot(across_free(world, &place), impulse)));
        rebounds += vec3_dot(asked, asked) > 0;
    }
    binned_flush(&gain);
    binned_flush(&scale);
    binned_add(&out[GAIN_REBOUNDS], (double)rebounds);
}

// Impacts that give -------------------------------------------------------------------------------

// The energy that the impulses r of an island give to its bodies is the sum of (u + u_free).r / 2,
// u_free the velocities without them. A joint has no part in a gain but what it passes on: the work
// u.r of its corrections is not counted.
static double contact_energy(const struct gabion_world *world, size_t k) {
    struct across u = across_contact(world, k);
    return 0.5 * vec3_dot(vec3_add(u.after, u.free), world->contacts->impulse[k]);
}

static double joint_energy(const struct gabion_world *world, const struct joint_block *block) {
    const struct joint_points *joints = &world->contacts->joints;
    const vec3 *impulse = world->contacts->impulse + world->contacts->count;
    double energy = 0;
    for (uint32_t i = block->begin; i < block->begin + block->count; i++) {
        struct across u = across_joint(world, block, &joints->points[i]);
        energy += 0.5 * vec3_dot(vec3_sub(u.free, u.after), impulse[i]);
    }
    return energy;
}

static double islands_gain(const struct gabion_world *world, const struct islands *islands,
                           double *energy) {
    const struct contacts *contacts = world->contacts;
    double gain = 0;
    for (size_t k = 0; k < contacts->count; k++)
        if (contacts_carries(contacts, k))
            energy[islands_between(islands, contacts->list[k].c, contacts->list[k].a)] +=
                contact_energy(world, k);
    for (size_t k = 0; k < contacts->joints.block_count; k++) {
        const struct joint_block *block = &contacts->joints.blocks[k];
        energy[islands_between(islands, block->c, block->a)] += joint_energy(world, block);
    }
    for (int32_t i = 0; i < islands->moving; i++)
        gain += fmax(energy[i], 0);
    return gain;
}

static double impact_gain(const struct gabion_world *world) {
    struct islands islands = islands_open(world->bodies.moving);
    double *energy =
        memory_allocate((size_t)islands.moving + 1, sizeof *energy, "islands of bodies");
    contacts_join(world->contacts, &islands);
    double gain = islands_gain(world, &islands, energy);
    memory_free(energy);
    islands_close(&islands);
    return gain;
}

// ---------------------------------------------------------------------------------------------

// A corrective step has no law for the velocity of a single contact when another rebounds: there
// only what the bodies of an island gain together is looked at.
void gain_of_step(struct gabion_world *world) {
    double sum[GAIN_COUNT] = {0};
    if (!world->galizzi)
        contacts_sum(world, GAIN_COUNT, add_contact_gain, world, sum);
    world->ledger.contact_gain += sum[GAIN_CONTACT];
    world->ledger.gain_scale += sum[GAIN_SCALE];
    if (!world->galizzi && sum[GAIN_REBOUNDS] == 0)
        return;
    whole_step(world);
    world->ledger.impact_gain += impact_gain(world);
}
