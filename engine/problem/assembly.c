#include "engine/problem/assembly.h"

#include <float.h>
#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/problem/block.h"
#include "engine/contact/gap.h"
#include "engine/contact/pair.h"
#include "engine/problem/split.h"

#define CHUNK 4096

struct assembly {
    size_t capacity, mask_capacity, histogram_capacity;
    size_t joints;           // from this node on they are joints
    uint32_t *contact;       // index of the first contact of each node, or of the joint
    uint32_t *span;          // contacts of the node, active or not
    int32_t *first, *second; // its solver bodies
    uint8_t *colour;
    uint32_t *bin;
    uint64_t *mask;
    uint32_t *histogram; // [thread][bin]
    double *mu;          // distinct friction coefficients
    uint16_t *mu_of_law;
    int mu_count;
};

struct assembly *assembly_create(void) {
    return memory_allocate(1, sizeof(struct assembly), "assembly");
}

void assembly_free(struct assembly *assembly) {
    void *arrays[] = {assembly->contact, assembly->span,     assembly->first, assembly->second,
                      assembly->colour,  assembly->bin,      assembly->mask,  assembly->histogram,
                      assembly->mu,      assembly->mu_of_law};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(assembly);
}

// Nodes ---------------------------------------------------------------------------------------

static void activate_range(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    double b;
    for (size_t k = begin; k < end; k++) {
        struct contact *contact = &world->contacts->list[k];
        contact->active = gap_bias(world, contact, &b);
        world->problem->slot[k] = SLOT_NONE;
    }
}

static void reserve_nodes(struct assembly *assembly, size_t count) {
    if (assembly->capacity >= count)
        return;
    size_t room = count + count / 4;
    assembly->contact = memory_resize(assembly->contact, room, sizeof(uint32_t), "assembly");
    assembly->span = memory_resize(assembly->span, room, sizeof(uint32_t), "assembly");
    assembly->first = memory_resize(assembly->first, room, sizeof(int32_t), "assembly");
    assembly->second = memory_resize(assembly->second, room, sizeof(int32_t), "assembly");
    assembly->colour = memory_resize(assembly->colour, room, sizeof(uint8_t), "assembly");
    assembly->bin = memory_resize(assembly->bin, room, sizeof(uint32_t), "assembly");
    assembly->capacity = room;
}

// The contacts of a pair follow each other in the canonical order, those of one normal too.
static bool same_node(const struct contact *x, const struct contact *y) {
    return x->c == y->c && x->a == y->a && x->normal.x == y->normal.x &&
           x->normal.y == y->normal.y && x->normal.z == y->normal.z;
}

static void list_nodes(struct gabion_world *world) {
    struct assembly *assembly = world->problem->assembly;
    size_t count = world->contacts->count, nodes = 0, active = 0;
    reserve_nodes(assembly, count + (size_t)world->joints.count);
    for (size_t k = 0, end; k < count; k = end) {
        const struct contact *contact = &world->contacts->list[k];
        size_t taking_part = contact->active;
        for (end = k + 1; end < count && same_node(contact, &contact[end - k]); end++)
            taking_part += contact[end - k].active;
        if (taking_part == 0)
            continue;
        assembly->contact[nodes] = (uint32_t)k;
        assembly->span[nodes] = (uint32_t)(end - k);
        assembly->first[nodes] = contact->c;
        assembly->second[nodes] = contact->a;
        active += taking_part;
        nodes++;
    }
    assembly->joints = nodes;
    world->problem->active = active;
    world->problem->nodes = nodes;
}

static void list_joints(struct gabion_world *world) {
    struct problem *problem = world->problem;
    struct assembly *assembly = problem->assembly;
    problem->active += joints_begin(world);
    for (int k = 0; k < world->joints.count; k++) {
        const struct joint *joint = &world->joints.list[k];
        if (joint->slot == SLOT_NONE)
            continue;
        assembly->contact[problem->nodes] = (uint32_t)k;
        assembly->first[problem->nodes] = joint->body[joint->swapped];
        assembly->second[problem->nodes++] = joint->body[!joint->swapped];
    }
}

// Colours -------------------------------------------------------------------------------------

static int colour(struct gabion_world *world) {
    struct problem *problem = world->problem;
    struct assembly *assembly = problem->assembly;
    size_t indices = (size_t)problem->solver_body_count;
    assembly->mask = memory_reserve_aligned(assembly->mask, &assembly->mask_capacity, indices,
                                            sizeof *assembly->mask, "colouring");
    return colour_pairs(assembly->first, assembly->second, problem->nodes, indices,
                        world->bodies.moving, problem->body_count, assembly->mask,
                        assembly->colour);
}

// The mask array, between colourings, counts nodes per body and then numbers the copies.
static void count_degrees(const struct problem *problem, uint64_t *degree) {
    const struct assembly *assembly = problem->assembly;
    memset(degree, 0, (size_t)problem->body_count * sizeof *degree);
    for (size_t k = 0; k < problem->nodes; k++) {
        degree[assembly->first[k]]++;
        degree[assembly->second[k]]++;
    }
}

// Contacts of a busy body go to its copies in runs of COLOUR_DEGREE_MAX, in canonical order.
static int32_t next_copy(const struct problem *problem, int32_t body, uint64_t *state) {
    uint64_t split = state[body] >> 32, used = state[body] & 0xffffffffu;
    if (split == 0)
        return body;
    state[body]++;
    const struct split_body *entry = &problem->splits[split - 1];
    int32_t copy = (int32_t)(used / COLOUR_DEGREE_MAX);
    return copy == 0 ? body : entry->first_copy + copy - 1;
}

static void split_busy_bodies(struct gabion_world *world) {
    struct problem *problem = world->problem;
    struct assembly *assembly = problem->assembly;
    uint64_t *state = assembly->mask;
    count_degrees(problem, state);
    for (int32_t i = 0; i < problem->body_count; i++) {
        uint64_t degree = state[i];
        state[i] = 0;
        if (i >= world->bodies.moving || degree <= COLOUR_DEGREE_MAX)
            continue;
        split_add(problem, i, (int32_t)((degree + COLOUR_DEGREE_MAX - 1) / COLOUR_DEGREE_MAX));
        state[i] = (uint64_t)problem->split_count << 32;
    }
    for (size_t k = 0; k < problem->nodes; k++) {
        assembly->first[k] = next_copy(problem, assembly->first[k], state);
        assembly->second[k] = next_copy(problem, assembly->second[k], state);
    }
}

static void colour_contacts(struct gabion_world *world) {
    struct problem *problem = world->problem;
    problem->split_count = 0;
    problem->solver_body_count = problem->body_count + 1;
    problem->colours = colour(world);
    if (problem->colours < 0 || problem->colours > COLOUR_DEGREE_MAX) {
        split_busy_bodies(world);
        problem->colours = colour(world);
    }
    split_fill(problem);
}

// Batches -------------------------------------------------------------------------------------

// Frictions are few even where laws are many: batches go by value.
static void list_frictions(struct gabion_world *world) {
    struct assembly *assembly = world->problem->assembly;
    size_t laws = (size_t)world->laws.count;
    assembly->mu = memory_resize(assembly->mu, laws, sizeof *assembly->mu, "assembly");
    assembly->mu_of_law =
        memory_resize(assembly->mu_of_law, laws, sizeof *assembly->mu_of_law, "assembly");
    assembly->mu_count = 0;
    for (size_t k = 0; k < laws; k++) {
        // Sticking: a finite number keeps 0 * mu = 0 in the kernels.
        double mu = fmin(world->laws.law[k].friction, DBL_MAX);
        int found = 0;
        while (found < assembly->mu_count && assembly->mu[found] != mu)
            found++;
        if (found == assembly->mu_count)
            assembly->mu[assembly->mu_count++] = mu;
        assembly->mu_of_law[k] = (uint16_t)found;
    }
}

// The sphere kernels know round bodies of two scalars, and planes that do not turn.
static bool needs_block(const struct gabion_world *world, const struct contact *contact) {
    const struct bodies *bodies = &world->bodies;
    const uint8_t *shape = bodies->shape;
    int32_t c = contact->c, a = contact->a;
    enum gabion_local local = world->settings.local;
    vec3 s = world->problem->s_free[a];
    return pair_has_block(bodies, c, a) || local == GABION_LOCAL_NEWTON ||
           local == GABION_LOCAL_EXACT ||
           world->laws.law[contact->law].tangential_restitution > 0 ||
           motion_needs_tensor(bodies, c) || motion_needs_tensor(bodies, a) ||
           (shape[a] == GABION_HALF_SPACE && vec3_dot(s, s) > 0);
}

static enum batch_kind kind_of(const struct gabion_world *world, const struct contact *contact) {
    if (world->problem->tensor_needed && needs_block(world, contact))
        return BATCH_BLOCK;
    return contact->a < world->bodies.moving ? BATCH_SPHERE_PAIR : BATCH_SPHERE_FIXED;
}

static size_t bin_count(const struct problem *problem) {
    return (size_t)problem->colours * BATCH_KINDS * (size_t)problem->assembly->mu_count;
}

static void count_bins(void *context, int thread, int threads) {
    struct gabion_world *world = context;
    struct assembly *assembly = world->problem->assembly;
    size_t bins = bin_count(world->problem), begin, end;
    uint32_t *histogram = assembly->histogram + (size_t)thread * bins;
    team_share(0, world->problem->nodes, thread, threads, &begin, &end);
    for (size_t k = begin; k < end; k++) {
        enum batch_kind kind = BATCH_BLOCK;
        uint32_t mu = 0; // of a joint: any
        if (k < assembly->joints) {
            const struct contact *contact = &world->contacts->list[assembly->contact[k]];
            kind = kind_of(world, contact);
            mu = assembly->mu_of_law[contact->law];
        }
        uint32_t bin = ((uint32_t)assembly->colour[k] * BATCH_KINDS + (uint32_t)kind) *
                           (uint32_t)assembly->mu_count +
                       mu;
        assembly->bin[k] = bin;
        histogram[bin]++;
    }
}

static void append_chunks(struct problem *problem, const struct batch *batch) {
    uint32_t size = batch->kind == BATCH_BLOCK ? CHUNK_BLOCKS : CHUNK_GROUPS;
    for (uint32_t begin = batch->begin; begin < batch->end; begin += size) {
        uint32_t end = begin + size < batch->end ? begin + size : batch->end;
        problem->chunks =
            memory_reserve(problem->chunks, &problem->chunk_capacity, problem->chunk_count + 1,
                           sizeof *problem->chunks, "batches");
        problem->chunks[problem->chunk_count++] =
            (struct chunk){(uint32_t)(problem->batch_count - 1), begin, end};
    }
}

static void append_batch(struct problem *problem, enum batch_kind kind, double mu, uint32_t count) {
    problem->batches = memory_reserve(problem->batches, &problem->batch_capacity,
                                      problem->batch_count + 1, sizeof(struct batch), "batches");
    struct batch *batch = &problem->batches[problem->batch_count++];
    *batch = (struct batch){.kind = kind, .mu = mu};
    if (kind == BATCH_BLOCK) {
        batch->begin = (uint32_t)problem->block_count;
        problem->block_count += count;
        batch->end = (uint32_t)problem->block_count;
    } else {
        batch->begin = (uint32_t)problem->group_count;
        problem->group_count += (count + LANES - 1) / LANES;
        batch->end = (uint32_t)problem->group_count;
        batch->lanes = (count - 1) % LANES + 1;
    }
    append_chunks(problem, batch);
}

// Turns per-thread counts into first places: bin by bin, and thread by thread inside a bin, which
// is the canonical order whatever the number of threads.
static void place_bins(struct problem *problem, int threads) {
    struct assembly *assembly = problem->assembly;
    size_t bins = bin_count(problem), bin = 0;
    problem->batch_count = problem->group_count = problem->block_count = 0;
    problem->chunk_count = 0;
    for (int c = 0; c < problem->colours; c++) {
        problem->colour_start[c] = (uint32_t)problem->batch_count;
        problem->colour_chunk[c] = (uint32_t)problem->chunk_count;
        for (int kind = 0; kind < BATCH_KINDS; kind++)
            for (int m = 0; m < assembly->mu_count; m++, bin++) {
                uint32_t count = 0;
                for (int t = 0; t < threads; t++)
                    count += assembly->histogram[(size_t)t * bins + bin];
                if (count == 0)
                    continue;
                uint32_t place = (uint32_t)(kind == BATCH_BLOCK ? problem->block_count
                                                                : problem->group_count * LANES);
                append_batch(problem, (enum batch_kind)kind, assembly->mu[m], count);
                for (int t = 0; t < threads; t++) {
                    uint32_t mine = assembly->histogram[(size_t)t * bins + bin];
                    assembly->histogram[(size_t)t * bins + bin] = place;
                    place += mine;
                }
            }
    }
    problem->colour_start[problem->colours] = (uint32_t)problem->batch_count;
    problem->colour_chunk[problem->colours] = (uint32_t)problem->chunk_count;
}

// Filling -------------------------------------------------------------------------------------

static void set_lane(struct sphere_group *group, uint32_t lane, int32_t c, int32_t a, vec3 n,
                     vec3 p, double b) {
    group->c[lane] = c;
    group->a[lane] = a;
    lane_set(&group->n, lane, n);
    lane_set(&group->p, lane, p);
    group->b[lane] = b;
}

static void fill_lane(struct gabion_world *world, size_t node, uint32_t slot) {
    struct problem *problem = world->problem;
    const struct assembly *assembly = problem->assembly;
    uint32_t k = assembly->contact[node];
    const struct contact *contact = &world->contacts->list[k];
    double b;
    gap_bias(world, contact, &b);
    problem->slot[k] = slot;
    set_lane(&problem->groups[slot / LANES], slot % LANES, assembly->first[node],
             assembly->second[node], contact->normal, contact->impulse, b);
}

// The points of a block are placed later: `begin` keeps its first contact until then.
static void start_block(struct gabion_world *world, size_t node, struct block *block) {
    const struct assembly *assembly = world->problem->assembly;
    *block = (struct block){.c = assembly->first[node], .a = assembly->second[node], .joint = -1};
    if (node >= assembly->joints) {
        block->joint = (int32_t)assembly->contact[node];
        joint_start_block(&world->joints.list[block->joint], block);
        return;
    }
    const struct contact *contact = &world->contacts->list[assembly->contact[node]];
    block_frame(block, contact->normal);
    block->begin = assembly->contact[node];
    for (uint32_t k = 0; k < assembly->span[node]; k++)
        block->count += contact[k].active;
}

static void fill_nodes(void *context, int thread, int threads) {
    struct gabion_world *world = context;
    struct problem *problem = world->problem;
    struct assembly *assembly = problem->assembly;
    uint32_t *place = assembly->histogram + (size_t)thread * bin_count(problem);
    size_t begin, end, mus = (size_t)assembly->mu_count;
    team_share(0, problem->nodes, thread, threads, &begin, &end);
    for (size_t node = begin; node < end; node++) {
        uint32_t slot = place[assembly->bin[node]]++;
        if (assembly->bin[node] / mus % BATCH_KINDS == BATCH_BLOCK)
            start_block(world, node, &problem->blocks[slot]);
        else
            fill_lane(world, node, slot);
    }
}

// From the first contact of each block to the first of its points.
static void place_points(struct gabion_world *world) {
    struct problem *problem = world->problem;
    problem->point_count = 0;
    for (size_t k = 0; k < problem->block_count; k++) {
        struct block *block = &problem->blocks[k];
        uint32_t contact = block->begin, point = (uint32_t)problem->point_count;
        block->begin = point;
        problem->point_count += block->count;
        if (block->joint >= 0) {
            world->joints.list[block->joint].slot = point;
            continue;
        }
        for (; point < problem->point_count; contact++)
            if (world->contacts->list[contact].active)
                problem->slot[contact] = SLOT_POINT | point++;
    }
    problem->points =
        memory_reserve_aligned(problem->points, &problem->point_capacity, problem->point_count,
                               sizeof *problem->points, "contact points");
}

static void fill_joint(struct gabion_world *world, size_t node) {
    const struct assembly *assembly = world->problem->assembly;
    const struct joint *joint = &world->joints.list[assembly->contact[node]];
    struct block block;
    start_block(world, node, &block);
    for (uint32_t k = 0; k < block.count; k++)
        joint_fill_point(world, joint, (int)k, &block, &world->problem->points[joint->slot + k]);
    joint_fill_inverse(world->problem, joint, &block, &world->problem->joint_inverses[block.joint]);
}

static void fill_points(void *context, int thread, int threads) {
    struct gabion_world *world = context;
    struct problem *problem = world->problem;
    const struct assembly *assembly = problem->assembly;
    size_t begin, end;
    double b;
    team_share(0, problem->nodes, thread, threads, &begin, &end);
    for (size_t node = begin; node < end; node++) {
        if (node >= assembly->joints) {
            fill_joint(world, node);
            continue;
        }
        const struct contact *contact = &world->contacts->list[assembly->contact[node]];
        const uint32_t *slot = &problem->slot[assembly->contact[node]];
        struct block block = {.c = assembly->first[node], .a = assembly->second[node]};
        block_frame(&block, contact->normal);
        for (uint32_t k = 0; k < assembly->span[node]; k++) {
            if (slot[k] == SLOT_NONE || !(slot[k] & SLOT_POINT))
                continue;
            gap_bias(world, &contact[k], &b);
            block_fill(world, &contact[k], &block, b, &problem->points[slot[k] & ~SLOT_POINT]);
        }
    }
}

static void fill_unused_lanes(struct problem *problem) {
    int32_t null_body = problem->solver_body_count - 1;
    for (size_t k = 0; k < problem->batch_count; k++) {
        const struct batch *batch = &problem->batches[k];
        if (batch->kind == BATCH_BLOCK)
            continue;
        for (uint32_t lane = batch->lanes; lane < LANES; lane++)
            set_lane(&problem->groups[batch->end - 1], lane, null_body, null_body, vec3_zero(),
                     vec3_zero(), 0);
    }
}

void problem_build(struct gabion_world *world) {
    struct problem *problem = world->problem;
    struct assembly *assembly = problem->assembly;
    int threads = team_worth(world->team, world->contacts->count, CHUNK);
    problem->slot = memory_reserve_aligned(problem->slot, &problem->slot_capacity,
                                           world->contacts->count, sizeof *problem->slot, "slots");
    team_for(world->team, world->contacts->count, CHUNK, activate_range, world);
    list_nodes(world);
    list_joints(world);
    colour_contacts(world);
    list_frictions(world);
    assembly->histogram = memory_reserve(assembly->histogram, &assembly->histogram_capacity,
                                         bin_count(problem) * (size_t)threads,
                                         sizeof *assembly->histogram, "assembly");
    // A team may come with fewer threads than asked for: rows that nobody fills stay empty.
    memset(assembly->histogram, 0,
           bin_count(problem) * (size_t)threads * sizeof *assembly->histogram);
    team_run(world->team, threads, count_bins, world);
    place_bins(problem, threads);
    problem->groups =
        memory_reserve_aligned(problem->groups, &problem->group_capacity, problem->group_count,
                               sizeof *problem->groups, "sphere contacts");
    problem->blocks =
        memory_reserve_aligned(problem->blocks, &problem->block_capacity, problem->block_count,
                               sizeof *problem->blocks, "contact blocks");
    problem->joint_inverses =
        memory_reserve(problem->joint_inverses, &problem->joint_inverse_capacity,
                       (size_t)world->joints.count, sizeof *problem->joint_inverses, "joints");
    fill_unused_lanes(problem);
    team_run(world->team, threads, fill_nodes, world);
    place_points(world);
    if (problem->point_count > 0)
        team_run(world->team, threads, fill_points, world);
}
