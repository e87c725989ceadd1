// The hash of the complete dynamic state: equal hashes mean that the runs go on equally.
#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "engine/world/world.h"
#include "parallel/hash.h"

#define HASH_ARRAY(hash, array, count) hash_bytes(hash, array, (size_t)(count) * sizeof *(array))

static uint64_t hash_bodies(uint64_t hash, const struct bodies *bodies) {
    int32_t counts[3] = {bodies->count, bodies->moving, bodies->id_count};
    hash = HASH_ARRAY(hash, counts, 3);
    hash = HASH_ARRAY(hash, bodies->id, bodies->count);
    hash = HASH_ARRAY(hash, bodies->shape_index, bodies->count);
    hash = HASH_ARRAY(hash, bodies->material, bodies->count);
    hash = HASH_ARRAY(hash, bodies->group, bodies->count);
    hash = HASH_ARRAY(hash, bodies->shape, bodies->count);
    hash = HASH_ARRAY(hash, bodies->lock, bodies->count);
    hash = HASH_ARRAY(hash, bodies->radius, bodies->count);
    hash = HASH_ARRAY(hash, bodies->mass, bodies->count);
    hash = HASH_ARRAY(hash, bodies->inertia, bodies->count);
    hash = HASH_ARRAY(hash, bodies->x, bodies->count);
    hash = HASH_ARRAY(hash, bodies->q, bodies->count);
    hash = HASH_ARRAY(hash, bodies->v, bodies->count);
    hash = HASH_ARRAY(hash, bodies->w, bodies->count);
    hash = HASH_ARRAY(hash, bodies->start_of, bodies->start_count);
    return HASH_ARRAY(hash, bodies->half_spaces, bodies->half_space_count);
}

// Field by field: the padding of a structure has no value.
static uint64_t hash_hollows(uint64_t hash, const struct bodies *bodies) {
    for (size_t k = 0; k < bodies->hollow_count; k++) {
        const struct hollow *hollow = &bodies->hollows[k];
        double sizes[] = {hollow->radius, hollow->half_length, hollow->ends ? 1 : 0};
        hash = HASH_ARRAY(hash, &hollow->axis, 1);
        hash = HASH_ARRAY(hash, sizes, 3);
    }
    return hash;
}

// What a polyhedron is made of; the rest follows from it.
static uint64_t hash_polyhedron(uint64_t hash, const struct polyhedron *polyhedron) {
    int32_t faces = polyhedron->face_count, counts[2] = {polyhedron->corner_count, faces};
    hash = HASH_ARRAY(hash, counts, 2);
    hash = HASH_ARRAY(hash, polyhedron->corner, polyhedron->corner_count);
    hash = HASH_ARRAY(hash, polyhedron->face_start, faces + 1);
    hash = HASH_ARRAY(hash, polyhedron->face_corner, polyhedron->face_start[faces]);
    hash = HASH_ARRAY(hash, &polyhedron->centre, 1);
    return HASH_ARRAY(hash, &polyhedron->axes, 1);
}

static uint64_t hash_clump(uint64_t hash, const struct clump *clump) {
    hash = HASH_ARRAY(hash, &clump->count, 1);
    hash = HASH_ARRAY(hash, clump->sphere, clump->count);
    hash = HASH_ARRAY(hash, clump->sphere_radius, clump->count);
    hash = HASH_ARRAY(hash, &clump->volume, 1);
    hash = HASH_ARRAY(hash, &clump->inertia, 1);
    hash = HASH_ARRAY(hash, &clump->centre, 1);
    return HASH_ARRAY(hash, &clump->axes, 1);
}

static uint64_t hash_interfaces(uint64_t hash, const struct interfaces *interfaces) {
    hash = HASH_ARRAY(hash, interfaces->list, interfaces->count);
    return HASH_ARRAY(hash, interfaces->corner, interfaces->corner_count);
}

static uint64_t hash_contacts(uint64_t hash, const struct gabion_world *world) {
    const struct contacts *contacts = world->contacts;
    if (!contacts->memory_start) // before the first step
        return hash;
    hash = HASH_ARRAY(hash, contacts->memory_start, world->bodies.moving + 1);
    hash = HASH_ARRAY(hash, contacts->memory, contacts->memory_count);
    if (!contacts->memory_collision || contacts->memory_count == 0) // as a restored run has it
        return hash;
    return HASH_ARRAY(hash, contacts->memory_collision, contacts->memory_count);
}

static uint64_t hash_joint(uint64_t hash, const struct joint *joint) {
    int32_t words[] = {(int32_t)joint->kind, joint->id[0], joint->id[1], joint->collide};
    double lengths[] = {joint->lever, joint->length};
    hash = HASH_ARRAY(hash, words, 4);
    hash = HASH_ARRAY(hash, lengths, 2);
    hash = HASH_ARRAY(hash, joint->side, 2);
    return HASH_ARRAY(hash, joint->impulse, JOINT_POINTS);
}

// Waiting bodies field by field: the padding of a structure has no value.
static uint64_t hash_pending(uint64_t hash, const struct pending_body *pending) {
    const struct gabion_body *body = &pending->body;
    int32_t words[] = {pending->id,         (int32_t)body->shape, body->polyhedron,
                       body->material,      body->group,          body->fixed,
                       (int32_t)body->lock, body->clump,          body->ends};
    double numbers[] = {body->radius, body->density, body->mass, body->insert_time, body->length};
    hash = HASH_ARRAY(hash, words, sizeof words / sizeof *words);
    hash = HASH_ARRAY(hash, numbers, sizeof numbers / sizeof *numbers);
    hash = HASH_ARRAY(hash, &body->position, 1);
    hash = HASH_ARRAY(hash, &body->orientation, 1);
    hash = HASH_ARRAY(hash, &body->velocity, 1);
    hash = HASH_ARRAY(hash, &body->spin, 1);
    hash = HASH_ARRAY(hash, &body->inertia, 1);
    return HASH_ARRAY(hash, &body->normal, 1);
}

uint64_t gabion_state_hash(const struct gabion_world *world) {
    if (!world || world->broken)
        return 0;
    const struct ledger *ledger = &world->ledger;
    double numbers[] = {ledger->kinetic,         ledger->potential,      ledger->contact_work,
                        ledger->driver_work,     ledger->applied_work,   ledger->theta_work,
                        ledger->projection_work, ledger->removed_energy, ledger->energy_error,
                        ledger->turnover};
    double rest = world->rest_since == world->rest_since ? world->rest_since : -1;
    uint64_t hash = HASH_ARRAY(HASH_START, &world->step, 1);
    hash = hash_bodies(hash, &world->bodies);
    for (size_t k = 0; k < world->bodies.polyhedron_count; k++)
        hash = hash_polyhedron(hash, world->bodies.polyhedra[k]);
    for (size_t k = 0; k < world->bodies.clump_count; k++)
        hash = hash_clump(hash, world->bodies.clumps[k]);
    hash = hash_hollows(hash, &world->bodies);
    hash = hash_interfaces(hash, world->interfaces);
    hash = hash_contacts(hash, world);
    for (int k = 0; k < world->pending_count; k++)
        hash = hash_pending(hash, &world->pending[k]);
    for (int k = 0; k < world->joints.count; k++)
        hash = hash_joint(hash, &world->joints.list[k]);
    for (int k = 0; k < world->driven_count; k++) {
        hash = HASH_ARRAY(hash, &world->driven[k].id, 1);
        hash = HASH_ARRAY(hash, &world->driven[k].origin, 1);
        hash = HASH_ARRAY(hash, &world->driven[k].orientation, 1);
    }
    hash = HASH_ARRAY(hash, numbers, sizeof numbers / sizeof *numbers);
    if (world->joints.count > 0)
        hash = HASH_ARRAY(hash, &ledger->joint_work, 1);
    return HASH_ARRAY(hash, &rest, 1);
}
