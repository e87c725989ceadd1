#include "engine/solvers/sweep/plan.h"

#include <string.h>

#include "engine/solvers/local/local.h"
#include "engine/solvers/sweep/conflict.h"
#include "engine/solvers/sweep/layout.h"
#include "parallel/check.h"
#include "parallel/team.h"

struct sweep_plan *sweep_plan_create(void) {
    struct sweep_plan *plan = memory_allocate(1, sizeof *plan, "sweeps");
    plan->layout = layout_create();
    return plan;
}

void sweep_plan_free(struct sweep_plan *plan) {
    if (!plan)
        return;
    void *arrays[] = {
        plan->bodies,        plan->own_inverse,    plan->splits,      plan->groups,
        plan->blocks,        plan->points,         plan->batches,     plan->slot,
        plan->joint_slot,    plan->copies,         plan->chunks,      plan->last,
        plan->last_velocity, plan->joint_inverses, plan->lane_blocks, plan->lane_points};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    layout_free(plan->layout);
    memory_free(plan);
}

void sweep_plan_size_last(struct sweep_plan *plan) {
    plan->last = memory_reserve_aligned(plan->last, &plan->last_capacity, plan->group_count,
                                        sizeof *plan->last, "sweeps");
    plan->last_velocity = memory_reserve_aligned(plan->last_velocity, &plan->last_velocity_capacity,
                                                 (size_t)plan->solver_body_count,
                                                 sizeof *plan->last_velocity, "sweeps");
}

// Masses --------------------------------------------------------------------------------------

static void mass_range(void *context, size_t begin, size_t end) {
    struct sweep_plan *plan = context;
    for (size_t i = begin; i < end; i++) {
        struct round_mass round = midpoint_round(plan->views->midpoint, (int32_t)i);
        plan->bodies[i].inv_m = round.inv_m;
        plan->bodies[i].k = round.k;
    }
}

// Spheres with the masses of spheres, solved as blocks because the user asked for it.
static void inverse_range(void *context, size_t begin, size_t end) {
    struct sweep_plan *plan = context;
    for (size_t i = begin; i < end; i++)
        plan->own_inverse[i] = midpoint_inverse(plan->views->midpoint, (int32_t)i);
}

static void take_masses(struct sweep_plan *plan) {
    const struct midpoint *midpoint = plan->views->midpoint;
    size_t count = (size_t)midpoint->count;
    plan->body_count = midpoint->count;
    plan->moving = midpoint->moving;
    plan->bodies = memory_reserve_aligned(plan->bodies, &plan->body_capacity, count + 1,
                                          sizeof *plan->bodies, "solver bodies");
    team_for(plan->team, count, CHUNK, mass_range, plan);
    plan->inverse = midpoint->general ? midpoint->inverse : NULL;
    if (midpoint->general || !plan->full_blocks)
        return;
    plan->own_inverse =
        memory_reserve_aligned(plan->own_inverse, &plan->inverse_capacity, count + 1,
                               sizeof *plan->own_inverse, "inverse masses");
    team_for(plan->team, count, CHUNK, inverse_range, plan);
    plan->inverse = plan->own_inverse;
}

// Building ------------------------------------------------------------------------------------

void sweep_plan_build(struct sweep_plan *plan, const struct contact_problem *problem,
                      const struct solver_settings *settings, const vec3 *r) {
    plan->views = &problem->views;
    plan->team = problem->team;
    plan->least = problem->least;
    plan->slot_rho = problem->slot_rho;
    plan->local = settings->local;
    plan->cone = settings->cone;
    plan->full_blocks =
        settings->local != GABION_LOCAL_AUTO && settings->local != GABION_LOCAL_EXPLICIT;
    take_masses(plan);
    layout_make(plan);
    layout_fill(plan, r);
    CHECK(conflict_find(plan) == CONFLICT_NONE, "two nodes of one colour share body %d",
          conflict_find(plan));
    plan->substitutions = 0;
    if (local_substitutes(plan->local, false))
        plan->substitutions = plan->general - plan->views->joints->count;
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
        for (uint32_t k = 0; k < joints->blocks[j].count; k++)
            plan->points[plan->joint_slot[j] + k].r =
                r[plan->views->count + joints->blocks[j].begin + k];
}

static void store_joints(const struct sweep_plan *plan, vec3 *r) {
    const struct joint_points *joints = plan->views->joints;
    for (size_t j = 0; j < joints->block_count; j++)
        for (uint32_t k = 0; k < joints->blocks[j].count; k++)
            r[plan->views->count + joints->blocks[j].begin + k] =
                plan->points[plan->joint_slot[j] + k].r;
}

void sweep_plan_store(const struct sweep_plan *plan, vec3 *r) {
    struct transfer transfer = {(struct sweep_plan *)plan, NULL, r};
    team_for(plan->team, plan->views->count, CHUNK, store_range, &transfer);
    store_joints(plan, r);
}

void sweep_plan_store_alone(const struct sweep_plan *plan, vec3 *r) {
    struct transfer transfer = {(struct sweep_plan *)plan, NULL, r};
    store_range(&transfer, 0, plan->views->count);
    store_joints(plan, r);
}
