// Finds the nodes, colours and batches of a sweep plan (engine/solvers/sweep/plan.h).
#include <string.h>

#include "engine/problem/rows.h"
#include "engine/solvers/local/local.h"
#include "engine/solvers/sweep/border.h"
#include "engine/solvers/sweep/layout.h"
#include "engine/solvers/sweep/split.h"
#include "parallel/cuts.h"
#include "parallel/team.h"

struct layout *layout_create(void) {
    return memory_allocate(1, sizeof(struct layout), "sweeps");
}

void layout_free(struct layout *layout) {
    memory_free(layout->histogram);
    memory_free(layout->mu);
    memory_free(layout->mu_of_law);
    memory_free(layout);
}

void layout_return(struct layout *layout) {
    memory_return(layout->nodes_lent);
    memory_return(layout->indices_lent);
    layout->nodes_lent = layout->indices_lent = NULL;
}

// Nodes ---------------------------------------------------------------------------------------

// The names of nodes are needed between ranks only. The order of turns lies where each contact's
// slot will be: colours come first.
static void borrow_nodes(struct sweep_plan *plan, size_t count) {
    struct layout *layout = plan->layout;
    size_t named = plan->views->cuts ? count : 0, indices = (size_t)plan->solver_body_count;
    struct memory_part part[] = {
        {.bytes = count * sizeof *layout->contact}, {.bytes = count * sizeof *layout->points},
        {.bytes = count * sizeof *layout->first},   {.bytes = count * sizeof *layout->second},
        {.bytes = named * sizeof *layout->number},  {.bytes = count * sizeof *layout->turn},
        {.bytes = count * sizeof *layout->colour},  {.bytes = indices * sizeof *layout->mask},
        {.bytes = indices * sizeof *layout->owner}};
    layout->nodes_lent = memory_borrow_parts(part, 9, "sweeps");
    layout->contact = part[0].start;
    layout->points = part[1].start;
    layout->first = part[2].start;
    layout->second = part[3].start;
    layout->number = named > 0 ? part[4].start : NULL;
    layout->turn = part[5].start;
    layout->colour = part[6].start;
    layout->mask = part[7].start;
    layout->owner = part[8].start;
    plan->slot = memory_reserve_aligned(plan->slot, &plan->slot_capacity, count, sizeof *plan->slot,
                                        "slots");
    layout->order = plan->slot;
}

static bool is_active(const struct contact *contact) { return contact->flags & CONTACT_ACTIVE; }

static void list_nodes(struct sweep_plan *plan) {
    const struct contact_views *views = plan->views;
    struct layout *layout = plan->layout;
    size_t count = views->count, nodes = 0, active = 0;
    uint32_t number = 0; // of the node among those of its pair
    borrow_nodes(plan, count + views->joints->block_count);
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
        if (layout->number)
            layout->number[nodes] = number;
        layout->turn[nodes] = colour_turn(contact->c, contact->a, number);
        active += taking_part;
        nodes++;
    }
    layout->joints = nodes;
    plan->active = active;
    plan->nodes = nodes;
}

// Returns whether a joint has a node here: every rank knows all joints.
static bool takes_joint(const struct sweep_plan *plan, const struct joint_block *joint) {
    const struct cuts *cuts = plan->views->cuts;
    return !cuts || cuts_mine(cuts, joint->c) ||
           (joint->a < plan->moving && cuts_mine(cuts, joint->a));
}

static void list_joints(struct sweep_plan *plan) {
    const struct joint_points *joints = plan->views->joints;
    struct layout *layout = plan->layout;
    plan->joint_slot = memory_reserve(plan->joint_slot, &plan->joint_slot_capacity,
                                      joints->block_count, sizeof *plan->joint_slot, "joints");
    for (size_t k = 0; k < joints->block_count; k++) {
        plan->joint_slot[k] = SLOT_NONE;
        if (!takes_joint(plan, &joints->blocks[k]))
            continue;
        layout->contact[plan->nodes] = (uint32_t)k;
        layout->turn[plan->nodes] =
            colour_turn(joints->blocks[k].c, joints->blocks[k].a, UINT32_MAX - (uint32_t)k);
        layout->first[plan->nodes] = joints->blocks[k].c;
        layout->second[plan->nodes++] = joints->blocks[k].a;
        plan->active += joints->blocks[k].count;
    }
}

void layout_list(struct sweep_plan *plan) {
    list_nodes(plan);
    list_joints(plan);
    if (plan->views->cuts)
        plan->border = border_open(plan);
}

// Colours -------------------------------------------------------------------------------------

// Makes room for the copies of busy bodies, too.
static void borrow_indices(struct layout *layout, size_t count) {
    struct memory_part part[] = {{.bytes = count * sizeof *layout->mask},
                                 {.bytes = count * sizeof *layout->owner}};
    layout->indices_lent = memory_borrow_parts(part, 2, "colouring");
    layout->mask = part[0].start;
    layout->owner = part[1].start;
}

static int colour(struct sweep_plan *plan) {
    struct layout *layout = plan->layout;
    size_t indices = (size_t)plan->solver_body_count;
    struct colour_graph graph = {layout->first, layout->second, layout->turn,    plan->nodes,
                                 indices,       plan->moving,   plan->body_count};
    struct colour_room room = {layout->order, layout->mask, layout->owner};
    if (!plan->border)
        return colour_pairs(plan->team, &graph, &room, layout->colour);
    colour_sort(&graph, 0, graph.count, layout->order);
    border_list(plan->border);
    return border_colour(plan->border);
}

// Busy bodies while they are split into copies.
struct splitting {
    struct sweep_plan *plan;
    uint64_t *copies;  // by body: how many it becomes; below 2: it stays whole
    uint32_t *copy[2]; // by node, for either end: the number of the copy
};

static int32_t node_end(const struct sweep_plan *plan, size_t node, int end) {
    return end == 0 ? plan->layout->first[node] : plan->layout->second[node];
}

// A rank has all nodes of its own bodies, and learns from others about theirs.
static void count_copies(const struct splitting *splitting) {
    const struct sweep_plan *plan = splitting->plan;
    uint64_t *copies = splitting->copies;
    memset(copies, 0, (size_t)plan->body_count * sizeof *copies);
    for (size_t k = 0; k < plan->nodes; k++)
        for (int end = 0; end < 2; end++)
            copies[node_end(plan, k, end)]++;
    for (int32_t i = 0; i < plan->body_count; i++) {
        bool splits = i < plan->moving && copies[i] > COLOUR_DEGREE_MAX &&
                      !(plan->border && border_is_ghost(plan->border, i));
        copies[i] = splits ? (copies[i] + COLOUR_DEGREE_MAX - 1) / COLOUR_DEGREE_MAX : 0;
    }
}

// Contacts of a busy body go to its copies in runs of COLOUR_DEGREE_MAX, in canonical order.
static void number_copies(const struct splitting *splitting) {
    const struct sweep_plan *plan = splitting->plan;
    uint32_t *used = memory_allocate((size_t)plan->body_count, sizeof *used, "splits");
    for (size_t k = 0; k < plan->nodes; k++)
        for (int end = 0; end < 2; end++) {
            int32_t body = node_end(plan, k, end);
            if (splitting->copies[body] > 1)
                splitting->copy[end][k] = used[body]++ / COLOUR_DEGREE_MAX;
        }
    memory_free(used);
}

static struct border_copy tell_copy(void *context, size_t node, int end) {
    const struct splitting *splitting = context;
    uint64_t copies = splitting->copies[node_end(splitting->plan, node, end)];
    return (struct border_copy){splitting->copy[end][node], (uint32_t)copies};
}

static void learn_copy(void *context, size_t node, int end, struct border_copy copy) {
    const struct splitting *splitting = context;
    splitting->copies[node_end(splitting->plan, node, end)] = copy.copies;
    splitting->copy[end][node] = copy.copy;
}

// Makes the copies, and leads the ends of the nodes to them.
static void place_copies(const struct splitting *splitting) {
    struct sweep_plan *plan = splitting->plan;
    int32_t *first_copy = plan->layout->owner; // by body
    for (int32_t i = 0; i < plan->body_count; i++) {
        if (splitting->copies[i] < 2)
            continue;
        split_add(plan, i, (int32_t)splitting->copies[i]);
        first_copy[i] = plan->splits[plan->split_count - 1].first_copy;
    }
    for (size_t k = 0; k < plan->nodes; k++)
        for (int end = 0; end < 2; end++) {
            int32_t *index = end == 0 ? &plan->layout->first[k] : &plan->layout->second[k];
            if (splitting->copies[*index] > 1 && splitting->copy[end][k] > 0)
                *index = first_copy[*index] + (int32_t)splitting->copy[end][k] - 1;
        }
}

static void split_busy_bodies(struct sweep_plan *plan) {
    uint32_t *copy = memory_allocate(2 * plan->nodes, sizeof *copy, "splits");
    struct splitting splitting = {plan, plan->layout->mask, {copy, copy + plan->nodes}};
    count_copies(&splitting);
    number_copies(&splitting);
    if (plan->border)
        border_tell_copies(plan->border, tell_copy, learn_copy, &splitting);
    place_copies(&splitting);
    memory_free(copy);
}

static void colour_contacts(struct sweep_plan *plan) {
    plan->colours = colour(plan);
    if (plan->colours < 0 || plan->colours > COLOUR_DEGREE_MAX) {
        split_busy_bodies(plan);
        borrow_indices(plan->layout, (size_t)plan->solver_body_count);
        plan->colours = colour(plan);
    }
    split_fill(plan);
    if (plan->border)
        border_prepare(plan->border, plan->colours);
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

// The classes of a plan that has all contacts are one.
static uint32_t classes_of(const struct sweep_plan *plan) {
    return plan->border ? BORDER_CLASSES : 1;
}

// Lane blocks come last and have a row of bins for each class.
#define BIN_ROWS (BATCH_LANES + LANE_CLASSES)

static size_t bins_of_class(const struct sweep_plan *plan) {
    return (size_t)(BIN_ROWS * plan->layout->mu_count);
}

size_t layout_bins(const struct sweep_plan *plan) {
    return (size_t)plan->colours * classes_of(plan) * bins_of_class(plan);
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
    uint32_t class = plan->border ? (uint32_t)border_class(plan->border, node) : 0;
    uint32_t place = (uint32_t)layout->colour[node] * classes_of(plan) + class;
    return (place * BIN_ROWS + row) * (uint32_t)layout->mu_count + mu;
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
static uint32_t append_batch(struct sweep_plan *plan, enum batch_kind kind, bool counted, double mu,
                             uint32_t count) {
    plan->batches = memory_reserve(plan->batches, &plan->batch_capacity, plan->batch_count + 1,
                                   sizeof(struct batch), "batches");
    struct batch *batch = &plan->batches[plan->batch_count++];
    uint32_t nodes;
    size_t *used = count_of(plan, kind, &nodes);
    *batch = (struct batch){.kind = kind, .counted = counted, .mu = mu, .begin = (uint32_t)*used};
    *used += (count + nodes - 1) / nodes;
    batch->end = (uint32_t)*used;
    batch->lanes = (count - 1) % nodes + 1;
    append_chunks(plan, batch);
    return batch->begin * nodes;
}

// Turns the counts of a bin by thread into the first places of each thread.
static void place_bin(struct sweep_plan *plan, uint32_t bin, int threads, bool counted) {
    struct layout *layout = plan->layout;
    size_t bins = layout_bins(plan);
    uint32_t count = 0;
    for (int t = 0; t < threads; t++)
        count += layout->histogram[(size_t)t * bins + bin];
    if (count == 0)
        return;
    double mu = layout->mu[bin % (uint32_t)layout->mu_count];
    uint32_t place = append_batch(plan, layout_kind(plan, bin), counted, mu, count);
    for (int t = 0; t < threads; t++) {
        uint32_t mine = layout->histogram[(size_t)t * bins + bin];
        layout->histogram[(size_t)t * bins + bin] = place;
        place += mine;
    }
}

// Bin by bin, and thread by thread inside a bin, which is the canonical order whatever the number
// of threads.
static void place_bins(struct sweep_plan *plan, int threads) {
    uint32_t bin = 0, of_class = (uint32_t)bins_of_class(plan), classes = classes_of(plan);
    plan->batch_count = plan->group_count = plan->block_count = plan->lane_block_count = 0;
    plan->chunk_count = 0;
    for (int c = 0; c < plan->colours; c++) {
        plan->colour_start[c] = (uint32_t)plan->batch_count;
        plan->colour_chunk[c] = (uint32_t)plan->chunk_count;
        for (uint32_t class = 0; class < classes; class ++) {
            bool counted = classes == 1 || class != BORDER_ELSEWHERE;
            if (class + 1 == classes)
                plan->colour_inside[c] = (uint32_t)plan->chunk_count;
            for (uint32_t end = bin + of_class; bin < end; bin++)
                place_bin(plan, bin, threads, counted);
        }
    }
    plan->colour_start[plan->colours] = (uint32_t)plan->batch_count;
    plan->colour_chunk[plan->colours] = (uint32_t)plan->chunk_count;
}

static void size_contacts(struct sweep_plan *plan) {
    plan->groups = memory_borrow(plan->group_count * sizeof *plan->groups, "sphere contacts");
    plan->blocks = memory_reserve_aligned(plan->blocks, &plan->block_capacity, plan->block_count,
                                          sizeof *plan->blocks, "contact blocks");
    plan->lane_blocks =
        memory_reserve_aligned(plan->lane_blocks, &plan->lane_block_capacity,
                               plan->lane_block_count, sizeof *plan->lane_blocks, "contact blocks");
    plan->joint_inverses =
        memory_reserve(plan->joint_inverses, &plan->joint_inverse_capacity,
                       plan->views->joints->block_count, sizeof *plan->joint_inverses, "joints");
}

void layout_make(struct sweep_plan *plan) {
    struct layout *layout = plan->layout;
    layout->threads = team_worth(plan->team, plan->views->count, CHUNK);
    colour_contacts(plan);
    list_frictions(plan);
    size_t places = layout_bins(plan) * (size_t)layout->threads;
    layout->histogram = memory_reserve(layout->histogram, &layout->histogram_capacity, places,
                                       sizeof *layout->histogram, "sweeps");
    memset(layout->histogram, 0, places * sizeof *layout->histogram);
    team_run(plan->team, layout->threads, count_bins, plan);
    place_bins(plan, layout->threads);
    size_contacts(plan);
}
