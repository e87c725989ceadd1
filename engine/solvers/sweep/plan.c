#include "engine/solvers/sweep/plan.h"

#include <string.h>

#include "engine/solvers/local/local.h"
#include "engine/solvers/sweep/border.h"
#include "engine/solvers/sweep/conflict.h"
#include "engine/solvers/sweep/layout.h"
#include "engine/world/piece.h"
#include "parallel/check.h"
#include "parallel/cuts.h"
#include "parallel/ranks.h"
#include "parallel/team.h"

struct sweep_plan *sweep_plan_create(void) {
    struct sweep_plan *plan = memory_allocate(1, sizeof *plan, "sweeps");
    plan->layout = layout_create();
    return plan;
}

// Also before the plan is built: a step that ran out of memory may have left something.
static void return_lent(struct sweep_plan *plan) {
    sweep_plan_return_last(plan);
    layout_return(plan->layout);
    memory_return(plan->groups);
    plan->groups = NULL;
}

void sweep_plan_free(struct sweep_plan *plan) {
    if (!plan)
        return;
    void *arrays[] = {plan->bodies,     plan->own_inverse, plan->splits,         plan->blocks,
                      plan->points,     plan->batches,     plan->slot,           plan->joint_slot,
                      plan->copies,     plan->chunks,      plan->joint_inverses, plan->lane_blocks,
                      plan->lane_points};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    return_lent(plan);
    layout_free(plan->layout);
    border_close(plan->border);
    exchange_free(plan->ghosts);
    memory_free(plan);
}

void sweep_plan_return_last(struct sweep_plan *plan) {
    memory_return(plan->last_lent);
    plan->last_lent = NULL;
    plan->last = NULL;
    plan->last_velocity = NULL;
}

// Masses --------------------------------------------------------------------------------------

// The bodies of a plan, and which of them a loop goes over.
struct masses {
    struct sweep_plan *plan;
    struct solver_bodies bodies;
};

static void mass_range(void *context, size_t begin, size_t end) {
    const struct masses *masses = context;
    struct sweep_plan *plan = masses->plan;
    for (size_t k = begin; k < end; k++) {
        int32_t i = solver_bodies_get(&masses->bodies, k);
        struct round_mass round = midpoint_round(plan->views->midpoint, i);
        plan->bodies[i].inv_m = round.inv_m;
        plan->bodies[i].k = round.k;
    }
}

// Spheres with the masses of spheres, solved as blocks because the user asked for it.
static void inverse_range(void *context, size_t begin, size_t end) {
    const struct masses *masses = context;
    for (size_t k = begin; k < end; k++) {
        int32_t i = solver_bodies_get(&masses->bodies, k);
        masses->plan->own_inverse[i] = midpoint_inverse(masses->plan->views->midpoint, i);
    }
}

static void size_bodies(struct sweep_plan *plan) {
    const struct midpoint *midpoint = plan->views->midpoint;
    plan->body_count = midpoint->count;
    plan->moving = midpoint->moving;
    plan->solver_body_count = plan->body_count + 1;
    plan->split_count = 0;
    plan->bodies =
        memory_reserve_aligned(plan->bodies, &plan->body_capacity, (size_t)plan->solver_body_count,
                               sizeof *plan->bodies, "solver bodies");
}

struct solver_bodies sweep_plan_bodies(const struct sweep_plan *plan) {
    struct solver_bodies bodies = {
        .end = plan->moving, .fixed = plan->moving, .count = plan->solver_body_count};
    if (!plan->border)
        return bodies;
    bodies.begin = cuts_begin(plan->views->cuts);
    bodies.end = cuts_end(plan->views->cuts, plan->moving);
    bodies.ghost = border_ghosts(plan->border, &bodies.ghosts);
    return bodies;
}

static void take_masses(struct sweep_plan *plan) {
    const struct midpoint *midpoint = plan->views->midpoint;
    struct masses masses = {plan, sweep_plan_bodies(plan)};
    masses.bodies.count = plan->body_count; // the null body has no mass yet
    size_t count = solver_bodies_count(&masses.bodies);
    team_for(plan->team, count, CHUNK, mass_range, &masses);
    plan->inverse = midpoint->general ? midpoint->inverse : NULL;
    if (midpoint->general || !plan->full_blocks)
        return;
    plan->own_inverse = memory_reserve_aligned(plan->own_inverse, &plan->inverse_capacity,
                                               (size_t)plan->solver_body_count,
                                               sizeof *plan->own_inverse, "inverse masses");
    team_for(plan->team, count, CHUNK, inverse_range, &masses);
    plan->inverse = plan->own_inverse;
}

// Building ------------------------------------------------------------------------------------

// Adds up the nodes that this rank counts: one between ranks is in the plans of both.
static void count_nodes(const struct sweep_plan *plan, struct sweep_totals *total) {
    const struct layout *layout = plan->layout;
    for (size_t node = 0; node < plan->nodes; node++) {
        if (border_class(plan->border, node) == BORDER_ELSEWHERE)
            continue;
        enum batch_kind kind = layout_kind(plan, layout_bin(plan, node));
        bool general = kind == BATCH_BLOCK || kind == BATCH_LANES;
        size_t points = node < layout->joints
                            ? layout->points[node]
                            : plan->views->joints->blocks[layout->contact[node]].count;
        total->active += points;
        total->general += general ? points : 0;
        total->general_nodes += general;
    }
}

static void count_totals(struct sweep_plan *plan) {
    struct sweep_totals total = {0};
    if (plan->border) {
        count_nodes(plan, &total);
        uint64_t sum[] = {total.active, total.general, total.general_nodes};
        ranks_sum(sum, 3);
        total = (struct sweep_totals){sum[0], sum[1], sum[2], 0};
    } else {
        total = (struct sweep_totals){plan->active, plan->general, plan->general_nodes, 0};
    }
    if (local_substitutes(plan->local, false))
        total.substitutions = total.general - plan->views->joints->count;
    plan->total = total;
}

void sweep_plan_build(struct sweep_plan *plan, const struct contact_problem *problem,
                      const struct solver_settings *settings, const vec3 *r) {
    plan->views = &problem->views;
    plan->shared_bytes = 0;
    plan->team = problem->team;
    plan->least = problem->least;
    plan->slot_rho = problem->slot_rho;
    plan->local = settings->local;
    plan->cone = settings->cone;
    plan->full_blocks =
        settings->local != GABION_LOCAL_AUTO && settings->local != GABION_LOCAL_EXPLICIT;
    return_lent(plan);
    size_bodies(plan);
    layout_list(plan);
    take_masses(plan);
    layout_make(plan);
    layout_fill(plan, r);
    CHECK(conflict_find(plan) == CONFLICT_NONE, "two nodes of one colour share body %d",
          conflict_find(plan));
    count_totals(plan);
    layout_return(plan->layout);
}

void sweep_plan_close(struct sweep_plan *plan) {
    return_lent(plan);
    border_close(plan->border);
    plan->border = NULL;
    plan->views = NULL;
    plan->inverse = NULL;
    plan->slot_rho = NULL;
}

// Velocities --------------------------------------------------------------------------------------

// The messages are prepared anew where the ghosts have been listed anew.
static struct exchange *ghosts_of(struct sweep_plan *plan, const struct piece *piece) {
    if (plan->ghosts && plan->listing == piece->listings)
        return plan->ghosts;
    exchange_free(plan->ghosts);
    plan->ghosts = piece_exchange(piece, sizeof *plan->bodies, SOLVER_VELOCITY_BYTES);
    plan->listing = piece->listings;
    return plan->ghosts;
}

void sweep_plan_share(struct sweep_plan *plan) {
    if (!plan->border)
        return;
    if (!plan->views->piece->partial) {
        sweep_plan_gather(plan, plan->views->cuts);
        return;
    }
    struct exchange *ghosts = ghosts_of(plan, plan->views->piece);
    exchange_start(ghosts, 0, plan->bodies);
    exchange_finish(ghosts, 0, plan->bodies);
    plan->shared_bytes += (int64_t)(plan->views->piece->sent_count * SOLVER_VELOCITY_BYTES);
}

void sweep_plan_gather(struct sweep_plan *plan, const struct cuts *cuts) {
    size_t *offsets = memory_allocate((size_t)cuts->ranks + 1, sizeof *offsets, "velocities");
    for (int rank = 0; rank <= cuts->ranks; rank++)
        offsets[rank] = (size_t)cuts->first[rank] * sizeof *plan->bodies;
    ranks_gather_all(&plan->bodies[cuts_begin(cuts)], offsets, plan->bodies);
    plan->shared_bytes += (int64_t)(offsets[cuts->me + 1] - offsets[cuts->me]) * (cuts->ranks - 1);
    memory_free(offsets);
}

// Impulses ------------------------------------------------------------------------------------

struct transfer {
    struct sweep_plan *plan;
    const vec3 *from;
    vec3 *to;
};

static vec3 world_impulse(const struct sweep_plan *plan, const struct contact *contact,
                          uint32_t slot) {
    uint32_t index = slot & ~(SLOT_POINT | SLOT_LANE);
    if (!(slot & (SLOT_POINT | SLOT_LANE)))
        return lane_get(&plan->groups[index / LANES].p, index % LANES);
    struct block block;
    block_frame(&block, contact->normal);
    return block_impulse(
        &block, slot & SLOT_POINT ? plan->points[index].r
                                  : lane_get(&plan->lane_points[index / LANES].r, index % LANES));
}

static void set_impulse(struct sweep_plan *plan, const struct contact *contact, uint32_t slot,
                        vec3 p) {
    uint32_t index = slot & ~(SLOT_POINT | SLOT_LANE);
    if (!(slot & (SLOT_POINT | SLOT_LANE))) {
        lane_set(&plan->groups[index / LANES].p, index % LANES, p);
        return;
    }
    struct block block;
    block_frame(&block, contact->normal);
    if (slot & SLOT_POINT)
        plan->points[index].r = block_local(&block, p);
    else
        lane_set(&plan->lane_points[index / LANES].r, index % LANES, block_local(&block, p));
}

static void store_range(void *context, size_t begin, size_t end) {
    const struct transfer *transfer = context;
    const struct sweep_plan *plan = transfer->plan;
    for (size_t k = begin; k < end; k++)
        transfer->to[k] = plan->slot[k] == SLOT_NONE
                              ? vec3_zero()
                              : world_impulse(plan, &plan->views->contacts[k], plan->slot[k]);
}

static void load_range(void *context, size_t begin, size_t end) {
    const struct transfer *transfer = context;
    struct sweep_plan *plan = transfer->plan;
    for (size_t k = begin; k < end; k++)
        if (plan->slot[k] != SLOT_NONE)
            set_impulse(plan, &plan->views->contacts[k], plan->slot[k], transfer->from[k]);
}

void sweep_plan_load(struct sweep_plan *plan, const vec3 *r) {
    struct transfer transfer = {plan, r, NULL};
    const struct joint_points *joints = plan->views->joints;
    team_for(plan->team, plan->views->count, CHUNK, load_range, &transfer);
    for (size_t j = 0; j < joints->block_count; j++)
        for (uint32_t k = 0; plan->joint_slot[j] != SLOT_NONE && k < joints->blocks[j].count; k++)
            plan->points[plan->joint_slot[j] + k].r =
                r[plan->views->count + joints->blocks[j].begin + k];
}

static void store_joints(const struct sweep_plan *plan, vec3 *r) {
    const struct joint_points *joints = plan->views->joints;
    for (size_t j = 0; j < joints->block_count; j++)
        for (uint32_t k = 0; plan->joint_slot[j] != SLOT_NONE && k < joints->blocks[j].count; k++)
            r[plan->views->count + joints->blocks[j].begin + k] =
                plan->points[plan->joint_slot[j] + k].r;
}

// Every rank knows the impulses of all joints: each takes them from the rank of its first body.
static void share_joints(const struct sweep_plan *plan, vec3 *r) {
    const struct joint_points *joints = plan->views->joints;
    size_t bytes = joints->count * sizeof *r;
    uint64_t *bits = memory_allocate(bytes, 1, "joints");
    vec3 *own = (vec3 *)bits;
    for (size_t j = 0; j < joints->block_count; j++) {
        const struct joint_block *joint = &joints->blocks[j];
        if (cuts_mine(plan->views->cuts, joint->c))
            memcpy(&own[joint->begin], &r[joint->begin], joint->count * sizeof *r);
    }
    ranks_or(bits, bytes / sizeof *bits);
    memcpy(r, own, bytes);
    memory_free(bits);
}

void sweep_plan_store(const struct sweep_plan *plan, vec3 *r) {
    struct transfer transfer = {(struct sweep_plan *)plan, NULL, r};
    team_for(plan->team, plan->views->count, CHUNK, store_range, &transfer);
    store_joints(plan, r);
    if (plan->border && plan->views->joints->count > 0)
        share_joints(plan, r + plan->views->count);
}
