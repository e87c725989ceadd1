#include "engine/solvers/sweep/measure.h"

#include "engine/solvers/sweep/lane_block.h"
#include "engine/solvers/sweep/sphere_measure.h"
#include "engine/solvers/sweep/split.h"

// Names a contact by its bodies, so that the name says nothing about where the plan keeps it.
static int64_t place_of(const struct sweep_plan *plan, int32_t c, int32_t a) {
    return (int64_t)split_whole(plan, c) << 32 | (split_whole(plan, a) + 1);
}

bool measure_place(int64_t place, int32_t *c, int32_t *a) {
    *c = (int32_t)(place >> 32);
    *a = (int32_t)(place & INT32_MAX) - 1;
    return place != 0;
}

static vec3 sphere_velocity(const struct sweep_plan *plan, const struct sphere_group *group,
                            uint32_t lane, vec3 n) {
    const struct solver_body *c = &plan->bodies[group->c[lane]];
    const struct solver_body *a = &plan->bodies[group->a[lane]];
    vec3 spin = vec3_add(solver_s(c), solver_s(a));
    return vec3_sub(vec3_sub(solver_v(c), solver_v(a)), vec3_cross(spin, n));
}

static struct contact_view view_sphere(const struct sweep_plan *plan, const struct batch *batch,
                                       uint32_t group_index, uint32_t lane) {
    const struct sphere_group *group = &plan->groups[group_index];
    const struct solver_body *c = &plan->bodies[group->c[lane]];
    const struct solver_body *a = &plan->bodies[group->a[lane]];
    vec3 n = lane_get(&group->n, lane);
    vec3 p = lane_get(&group->p, lane);
    vec3 u = sphere_velocity(plan, group, lane, n);
    double u_n = vec3_dot(u, n), p_n = vec3_dot(p, n);
    double share_c = 1 / solver_copies(plan, group->c[lane]);
    double share_a = 1 / solver_copies(plan, group->a[lane]);
    double w_t = (c->inv_m + c->k) * share_c + (a->inv_m + a->k) * share_a; // >= w_n
    return (struct contact_view){
        .r_n = p_n,
        .u_n = u_n + group->b[lane],
        .mu = batch->mu,
        .rho = 1 / w_t,
        .still = plan->least.still,
        .place = place_of(plan, group->c[lane], group->a[lane]),
        .r_t = vec3_add_scaled(p, -p_n, n),
        .u_t = vec3_add_scaled(u, -u_n, n),
    };
}

static struct contact_view view_point(const struct sweep_plan *plan, const struct batch *batch,
                                      const struct block *block, const struct block_point *point) {
    struct body_velocity c = solver_velocity(&plan->bodies[block->c]);
    struct body_velocity a = solver_velocity(&plan->bodies[block->a]);
    vec3 u = vec3_add(block_velocity(block, point, &c, &a), point->b);
    if (point->held)
        u = hold_keep(point->held, u);
    return (struct contact_view){
        .held = point->held,
        .r_n = point->r.x,
        .u_n = u.x,
        .mu = batch->mu,
        .rho = point->rho,
        .still = plan->least.still,
        .place = place_of(plan, block->c, block->a),
        .r_t = vec3_make(0, point->r.y, point->r.z),
        .u_t = vec3_make(0, u.y, u.z),
    };
}

// Adds one contact to the sums.
typedef void (*add_function)(const struct contact_view *view, double limit,
                             struct residual_tally *tally);

static void add_block(const struct sweep_plan *plan, const struct batch *batch, uint32_t k,
                      add_function add, double limit, struct residual_tally *tally) {
    const struct block *block = &plan->blocks[k];
    for (uint32_t p = 0; p < block->count; p++) {
        struct contact_view view = view_point(plan, batch, block, &plan->points[block->begin + p]);
        add(&view, limit, tally);
    }
}

static void add_lane_block(const struct sweep_plan *plan, const struct batch *batch, uint32_t k,
                           add_function add, double limit, struct residual_tally *tally) {
    const struct lane_block *lanes = &plan->lane_blocks[k];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        struct block block = lane_block_get(lanes, lane);
        for (uint32_t p = 0; p < block.count; p++) {
            struct block_point point = lane_point_get(&plan->lane_points[block.begin + p], lane);
            struct contact_view view = view_point(plan, batch, &block, &point);
            add(&view, limit, tally);
        }
    }
}

static void add_group(const struct sweep_plan *plan, const struct batch *batch, uint32_t k,
                      add_function add, double limit, struct residual_tally *tally) {
    uint32_t used = k + 1 == batch->end ? batch->lanes : LANES;
    for (uint32_t lane = 0; lane < used; lane++) {
        struct contact_view view = view_sphere(plan, batch, k, lane);
        add(&view, limit, tally);
    }
}

static void add_chunk(const struct sweep_plan *plan, const struct chunk *chunk, add_function add,
                      double limit, struct residual_tally *tally) {
    const struct batch *batch = &plan->batches[chunk->batch];
    for (uint32_t k = chunk->begin; k < chunk->end; k++) {
        if (batch->kind == BATCH_BLOCK)
            add_block(plan, batch, k, add, limit, tally);
        else if (batch->kind == BATCH_LANES)
            add_lane_block(plan, batch, k, add, limit, tally);
        else
            add_group(plan, batch, k, add, limit, tally);
    }
}

void measure_limited(const struct sweep_plan *plan, const struct chunk *chunk, double fast2,
                     struct residual_tally *tally) {
    add_chunk(plan, chunk, residual_add_limited, fast2, tally);
}

// Spheres several at a time ---------------------------------------------------------------------

static void note_worst(const struct sweep_plan *plan, uint32_t begin, uint32_t count,
                       const double *worst2, struct residual_tally *tally) {
    for (uint32_t i = 0; i < count; i++)
        if (worst2[i] > 0 && worst2[i] >= tally->worst2) {
            const struct sphere_group *group = &plan->groups[begin + i / LANES];
            int64_t place = place_of(plan, group->c[i % LANES], group->a[i % LANES]);
            residual_note_worst(tally, worst2[i], place);
        }
}

static void add_groups(const struct sweep_plan *plan, const struct batch *batch, uint32_t begin,
                       uint32_t end, double floor, struct residual_tally *tally) {
    struct sphere_terms terms;
    uint32_t count = (end - begin) * LANES;
    sphere_measure_choose()(plan, batch, begin, end, floor, &terms);
    binned_add_all(&tally->unscaled2, terms.unscaled2, count);
    binned_add_all(&tally->scaled2, terms.scaled2, count);
    binned_add_all(&tally->wr2, terms.wr2, count);
    binned_add_all(&tally->r2, terms.r2, count);
    binned_add_all(&tally->u2, terms.u2, count);
    note_worst(plan, begin, count, terms.worst2, tally);
}

// Keeps the terms of many contacts for sums that are taken side by side.
static void add_free_groups(const struct sweep_plan *plan, const struct batch *batch,
                            uint32_t begin, uint32_t end, double floor,
                            struct residual_tally *tally) {
    struct binned_terms speed2 = {.sum = &tally->q2}, closing2 = {.sum = &tally->closing2};
    struct binned_terms weight = {.sum = &tally->weight}, log_speed = {.sum = &tally->log_speed};
    for (uint32_t k = begin; k < end; k++) {
        const struct sphere_group *group = &plan->groups[k];
        uint32_t used = k + 1 == batch->end ? batch->lanes : LANES;
        for (uint32_t lane = 0; lane < used; lane++) {
            vec3 n = lane_get(&group->n, lane), u = sphere_velocity(plan, group, lane, n);
            double u_n = vec3_dot(u, n);
            struct contact_view view = {.u_n = u_n + group->b[lane],
                                        .u_t = vec3_add_scaled(u, -u_n, n)};
            struct residual_free free = residual_free_of(&view, floor);
            tally->fastest2 = residual_larger(tally->fastest2, free.closing2);
            binned_keep(&speed2, free.speed2);
            binned_keep(&closing2, free.closing2);
            binned_keep(&weight, free.weight);
            binned_keep(&log_speed, free.log_speed);
        }
    }
    binned_flush(&speed2);
    binned_flush(&closing2);
    binned_flush(&weight);
    binned_flush(&log_speed);
}

void measure_free(const struct sweep_plan *plan, const struct chunk *chunk, double floor,
                  struct residual_tally *tally) {
    const struct batch *batch = &plan->batches[chunk->batch];
    if (batch->kind == BATCH_SPHERE_PAIR || batch->kind == BATCH_SPHERE_FIXED)
        add_free_groups(plan, batch, chunk->begin, chunk->end, floor, tally);
    else
        add_chunk(plan, chunk, residual_add_free, floor, tally);
}

void measure_solved(const struct sweep_plan *plan, const struct chunk *chunk, double floor,
                    struct residual_tally *tally) {
    const struct batch *batch = &plan->batches[chunk->batch];
    struct chunk rest = *chunk;
    bool spheres = batch->kind == BATCH_SPHERE_PAIR || batch->kind == BATCH_SPHERE_FIXED;
    if (spheres && plan->split_count == 0 && batch->mu < CONTACT_STICKS) {
        bool mixed = chunk->end == batch->end && batch->lanes < LANES; // the last group
        uint32_t full = chunk->end - mixed;
        for (; rest.begin < full; rest.begin += MEASURE_GROUPS)
            add_groups(plan, batch, rest.begin,
                       rest.begin + MEASURE_GROUPS < full ? rest.begin + MEASURE_GROUPS : full,
                       floor, tally);
        rest.begin = full;
    }
    add_chunk(plan, &rest, residual_add_solved, floor, tally);
}
