// Finds the nodes, colours and batches of a sweep plan (engine/solvers/sweep/plan.h).
#include <string.h>

#include "engine/problem/rows.h"
#include "engine/solvers/local/local.h"
#include "engine/solvers/sweep/layout.h"
#include "engine/solvers/sweep/split.h"
#include "parallel/team.h"

struct layout *layout_create(void) {
    return memory_allocate(1, sizeof(struct layout), "sweeps");
}

void layout_free(struct layout *layout) {
    void *arrays[] = {layout->contact, layout->points,    layout->first, layout->second,
                      layout->turn,    layout->colour,    layout->order, layout->mask,
                      layout->owner,   layout->histogram, layout->mu,    layout->mu_of_law};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(layout);
}

// Nodes ---------------------------------------------------------------------------------------

static void reserve_nodes(struct layout *layout, size_t count) {
    if (layout->capacity >= count)
        return;
    size_t room = count + count / 16; // counts go up and down by little from step to step
    layout->contact = memory_resize(layout->contact, room, sizeof(uint32_t), "sweeps");
    layout->points = memory_resize(layout->points, room, sizeof(uint32_t), "sweeps");
    layout->first = memory_resize(layout->first, room, sizeof(int32_t), "sweeps");
    layout->second = memory_resize(layout->second, room, sizeof(int32_t), "sweeps");
    layout->turn = memory_resize(layout->turn, room, sizeof(uint8_t), "sweeps");
    layout->colour = memory_resize(layout->colour, room, sizeof(uint8_t), "sweeps");
    layout->order = memory_resize(layout->order, room, sizeof(uint32_t), "sweeps");
    layout->capacity = room;
}

static bool is_active(const struct contact *contact) { return contact->flags & CONTACT_ACTIVE; }

static void list_nodes(struct sweep_plan *plan) {
    const struct contact_views *views = plan->views;
    struct layout *layout = plan->layout;
    size_t count = views->count, nodes = 0, active = 0;
    uint32_t number = 0; // of the node among those of its pair
    reserve_nodes(layout, count + views->joints->block_count);
    for (size_t k = 0, end; k < count; k = end) {
        const struct contact *contact = &views->contacts[k];
        size_t taking_part = is_active(contact);
        for (end = k + 1; end < count && layout_same_node(contact, &contact[end - k]); end++)
            taking_part += is_active(&contact[end - k]);
        if (taking_part == 0)
            continue;
        layout->contact[nodes] = (uint32_t)k;
        layout->points[nodes] = (uint32_t)taking_part;
        layout->first[nodes] = contact->c;
        layout->second[nodes] = contact->a;
        bool again = nodes > 0 && contact->c == layout->first[nodes - 1] &&
                     contact->a == layout->second[nodes - 1];
        number = again ? number + 1 : 0;
        layout->turn[nodes] = colour_turn(contact->c, contact->a, number);
        active += taking_part;
        nodes++;
    }
    layout->joints = nodes;
    plan->active = active;
    plan->nodes = nodes;
}

static void list_joints(struct sweep_plan *plan) {
    const struct joint_points *joints = plan->views->joints;
    struct layout *layout = plan->layout;
    for (size_t k = 0; k < joints->block_count; k++) {
        layout->contact[plan->nodes] = (uint32_t)k;
        layout->turn[plan->nodes] =
            colour_turn(joints->blocks[k].c, joints->blocks[k].a, UINT32_MAX - (uint32_t)k);
        layout->first[plan->nodes] = joints->blocks[k].c;
        layout->second[plan->nodes++] = joints->blocks[k].a;
    }
    plan->active += joints->count;
}

// Colours -------------------------------------------------------------------------------------

static int colour(struct sweep_plan *plan) {
    struct layout *layout = plan->layout;
    size_t indices = (size_t)plan->solver_body_count;
    layout->mask = memory_reserve_aligned(layout->mask, &layout->mask_capacity, indices,
                                          sizeof *layout->mask, "colouring");
    layout->owner = memory_reserve(layout->owner, &layout->owner_capacity, indices,
                                   sizeof *layout->owner, "colouring");
    struct colour_graph graph = {layout->first, layout->second, layout->turn,    plan->nodes,
                                 indices,       plan->moving,   plan->body_count};
    struct colour_room room = {layout->order, layout->mask, layout->owner};
    return colour_pairs(plan->team, &graph, &room, layout->colour);
}

// The mask array, between colourings, counts nodes per body and then numbers the copies.
static void count_degrees(const struct sweep_plan *plan, uint64_t *degree) {
    const struct layout *layout = plan->layout;
    memset(degree, 0, (size_t)plan->body_count * sizeof *degree);
    for (size_t k = 0; k < plan->nodes; k++) {
        degree[layout->first[k]]++;
        degree[layout->second[k]]++;
    }
}

// Contacts of a busy body go to its copies in runs of COLOUR_DEGREE_MAX, in canonical order.
static int32_t next_copy(const struct sweep_plan *plan, int32_t body, uint64_t *state) {
    uint64_t split = state[body] >> 32, used = state[body] & 0xffffffffu;
    if (split == 0)
        return body;
    state[body]++;
    const struct split_body *entry = &plan->splits[split - 1];
    int32_t copy = (int32_t)(used / COLOUR_DEGREE_MAX);
    return copy == 0 ? body : entry->first_copy + copy - 1;
}

static void split_busy_bodies(struct sweep_plan *plan) {
    struct layout *layout = plan->layout;
    uint64_t *state = layout->mask;
    count_degrees(plan, state);
    for (int32_t i = 0; i < plan->body_count; i++) {
        uint64_t degree = state[i];
        state[i] = 0;
        if (i >= plan->moving || degree <= COLOUR_DEGREE_MAX)
            continue;
        split_add(plan, i, (int32_t)((degree + COLOUR_DEGREE_MAX - 1) / COLOUR_DEGREE_MAX));
        state[i] = (uint64_t)plan->split_count << 32;
    }
    for (size_t k = 0; k < plan->nodes; k++) {
        layout->first[k] = next_copy(plan, layout->first[k], state);
        layout->second[k] = next_copy(plan, layout->second[k], state);
    }
}

static void colour_contacts(struct sweep_plan *plan) {
    plan->split_count = 0;
    plan->solver_body_count = plan->body_count + 1;
    plan->colours = colour(plan);
    if (plan->colours < 0 || plan->colours > COLOUR_DEGREE_MAX) {
        split_busy_bodies(plan);
        plan->colours = colour(plan);
    }
    split_fill(plan);
}

// Batches -------------------------------------------------------------------------------------

// Frictions are few even where laws are many: batches go by value.
static void list_frictions(struct sweep_plan *plan) {
    struct layout *layout = plan->layout;
    size_t laws = (size_t)plan->views->law_count;
    layout->mu = memory_resize(layout->mu, laws, sizeof *layout->mu, "sweeps");
    layout->mu_of_law = memory_resize(layout->mu_of_law, laws, sizeof *layout->mu_of_law, "sweeps");
    layout->mu_count = 0;
    for (size_t k = 0; k < laws; k++) {
        double mu = row_friction(&plan->views->laws[k]);
        int found = 0;
        while (found < layout->mu_count && layout->mu[found] != mu)
            found++;
        if (found == layout->mu_count)
            layout->mu[layout->mu_count++] = mu;
        layout->mu_of_law[k] = (uint16_t)found;
    }
}

// Returns whether lane blocks can take a contact: they know the local solver newton only, and no
// tangential restitution.
static bool fits_lanes(const struct sweep_plan *plan, const struct contact *contact) {
    return local_choose(plan->local, false) == GABION_LOCAL_NEWTON &&
           !(plan->views->laws[contact->law].tangential_restitution > 0);
}

static enum batch_kind kind_of(const struct sweep_plan *plan, const struct contact *contact) {
    if (plan->full_blocks || contact->flags & CONTACT_GENERAL)
        return fits_lanes(plan, contact) ? BATCH_LANES : BATCH_BLOCK;
    return contact->a < plan->moving ? BATCH_SPHERE_PAIR : BATCH_SPHERE_FIXED;
}

// Lane blocks come last and have a row of bins for each class.
#define BIN_ROWS (BATCH_LANES + LANE_CLASSES)

size_t layout_bins(const struct sweep_plan *plan) {
    return (size_t)plan->colours * BIN_ROWS * (size_t)plan->layout->mu_count;
}

uint32_t layout_bin(const struct sweep_plan *plan, size_t node) {
    const struct layout *layout = plan->layout;
    uint32_t row = BATCH_BLOCK, mu = 0; // of a joint: any
    if (node < layout->joints) {
        const struct contact *contact = &plan->views->contacts[layout->contact[node]];
        uint32_t points = layout->points[node];
        row = kind_of(plan, contact);
        if (row == BATCH_LANES)
            row += (points < LANE_CLASSES ? points : LANE_CLASSES) - 1;
        mu = layout->mu_of_law[contact->law];
    }
    return ((uint32_t)layout->colour[node] * BIN_ROWS + row) * (uint32_t)layout->mu_count + mu;
}

enum batch_kind layout_kind(const struct sweep_plan *plan, uint32_t bin) {
    uint32_t row = bin / (uint32_t)plan->layout->mu_count % BIN_ROWS;
    return row < BATCH_LANES ? (enum batch_kind)row : BATCH_LANES;
}

static void count_bins(void *context, int thread, int threads) {
    struct sweep_plan *plan = context;
    uint32_t *histogram = plan->layout->histogram + (size_t)thread * layout_bins(plan);
    size_t begin, end;
    team_share(0, plan->nodes, thread, threads, &begin, &end);
    for (size_t k = begin; k < end; k++)
        histogram[layout_bin(plan, k)]++;
}

static void append_chunks(struct sweep_plan *plan, const struct batch *batch) {
    static const uint32_t sizes[BATCH_KINDS] = {CHUNK_GROUPS, CHUNK_GROUPS, CHUNK_BLOCKS,
                                                CHUNK_LANES};
    uint32_t size = sizes[batch->kind];
    for (uint32_t begin = batch->begin; begin < batch->end; begin += size) {
        uint32_t end = begin + size < batch->end ? begin + size : batch->end;
        plan->chunks = memory_reserve(plan->chunks, &plan->chunk_capacity, plan->chunk_count + 1,
                                      sizeof *plan->chunks, "batches");
        plan->chunks[plan->chunk_count++] =
            (struct chunk){(uint32_t)(plan->batch_count - 1), begin, end};
    }
}

// Returns how many sphere groups, blocks or lane blocks there are so far, and how many nodes each
// holds.
static size_t *count_of(struct sweep_plan *plan, enum batch_kind kind, uint32_t *nodes) {
    *nodes = kind == BATCH_BLOCK ? 1 : LANES;
    return kind == BATCH_BLOCK   ? &plan->block_count
           : kind == BATCH_LANES ? &plan->lane_block_count
                                 : &plan->group_count;
}

// Appends a batch and returns the place of its first node.
static uint32_t append_batch(struct sweep_plan *plan, enum batch_kind kind, double mu,
                             uint32_t count) {
    plan->batches = memory_reserve(plan->batches, &plan->batch_capacity, plan->batch_count + 1,
                                   sizeof(struct batch), "batches");
    struct batch *batch = &plan->batches[plan->batch_count++];
    uint32_t nodes;
    size_t *used = count_of(plan, kind, &nodes);
    *batch = (struct batch){.kind = kind, .mu = mu, .begin = (uint32_t)*used};
    *used += (count + nodes - 1) / nodes;
    batch->end = (uint32_t)*used;
    batch->lanes = (count - 1) % nodes + 1;
    append_chunks(plan, batch);
    return batch->begin * nodes;
}

// Turns the counts of a bin by thread into the first places of each thread.
static void place_bin(struct sweep_plan *plan, uint32_t bin, int threads) {
    struct layout *layout = plan->layout;
    size_t bins = layout_bins(plan);
    uint32_t count = 0;
    for (int t = 0; t < threads; t++)
        count += layout->histogram[(size_t)t * bins + bin];
    if (count == 0)
        return;
    double mu = layout->mu[bin % (uint32_t)layout->mu_count];
    uint32_t place = append_batch(plan, layout_kind(plan, bin), mu, count);
    for (int t = 0; t < threads; t++) {
        uint32_t mine = layout->histogram[(size_t)t * bins + bin];
        layout->histogram[(size_t)t * bins + bin] = place;
        place += mine;
    }
}

// Turns per-thread counts into first places: bin by bin, and thread by thread inside a bin, which
// is the canonical order whatever the number of threads.
static void place_bins(struct sweep_plan *plan, int threads) {
    uint32_t bin = 0, of_colour = (uint32_t)(BIN_ROWS * plan->layout->mu_count);
    plan->batch_count = plan->group_count = plan->block_count = plan->lane_block_count = 0;
    plan->chunk_count = 0;
    for (int c = 0; c < plan->colours; c++) {
        plan->colour_start[c] = (uint32_t)plan->batch_count;
        plan->colour_chunk[c] = (uint32_t)plan->chunk_count;
        for (uint32_t end = bin + of_colour; bin < end; bin++)
            place_bin(plan, bin, threads);
    }
    plan->colour_start[plan->colours] = (uint32_t)plan->batch_count;
    plan->colour_chunk[plan->colours] = (uint32_t)plan->chunk_count;
}

static void size_contacts(struct sweep_plan *plan) {
    plan->groups = memory_reserve_aligned(plan->groups, &plan->group_capacity, plan->group_count,
                                          sizeof *plan->groups, "sphere contacts");
    plan->blocks = memory_reserve_aligned(plan->blocks, &plan->block_capacity, plan->block_count,
                                          sizeof *plan->blocks, "contact blocks");
    plan->lane_blocks =
        memory_reserve_aligned(plan->lane_blocks, &plan->lane_block_capacity,
                               plan->lane_block_count, sizeof *plan->lane_blocks, "contact blocks");
    plan->joint_inverses =
        memory_reserve(plan->joint_inverses, &plan->joint_inverse_capacity,
                       plan->views->joints->block_count, sizeof *plan->joint_inverses, "joints");
    plan->slot = memory_reserve_aligned(plan->slot, &plan->slot_capacity, plan->views->count,
                                        sizeof *plan->slot, "slots");
    plan->joint_slot =
        memory_reserve(plan->joint_slot, &plan->joint_slot_capacity,
                       plan->views->joints->block_count, sizeof *plan->joint_slot, "joints");
}

void layout_make(struct sweep_plan *plan) {
    struct layout *layout = plan->layout;
    layout->threads = team_worth(plan->team, plan->views->count, CHUNK);
    list_nodes(plan);
    list_joints(plan);
    colour_contacts(plan);
    list_frictions(plan);
    size_t places = layout_bins(plan) * (size_t)layout->threads;
    layout->histogram = memory_reserve(layout->histogram, &layout->histogram_capacity, places,
                                       sizeof *layout->histogram, "sweeps");
    // A team may come with fewer threads than asked for: rows that nobody fills stay empty.
    memset(layout->histogram, 0, places * sizeof *layout->histogram);
    team_run(plan->team, layout->threads, count_bins, plan);
    place_bins(plan, layout->threads);
    size_contacts(plan);
}
