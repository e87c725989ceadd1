#include "engine/solvers/sweep/packed.h"

#include "engine/solvers/sweep/block_sweep.h"
#include "engine/solvers/sweep/measure.h"
#include "parallel/team.h"

// Below this many contacts per thread a barrier costs more than the help it brings. A point of a
// block takes as long as four contacts of spheres.
#define CONTACTS_PER_THREAD 3000
#define POINT_WEIGHT        3 // beside the one that every contact counts

// Velocities ----------------------------------------------------------------------------------

static void reset_velocities(struct packed *packed, int thread, int threads) {
    struct sweep_plan *plan = packed->plan;
    const struct midpoint *midpoint = plan->views->midpoint;
    size_t from, to;
    team_share(0, (size_t)plan->body_count, thread, threads, &from, &to);
    for (size_t i = from; i < to; i++)
        solver_set_velocity(&plan->bodies[i], midpoint->v_free[i], midpoint->s_free[i]);
    team_share(0, (size_t)plan->split_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        const struct split_body *split = &plan->splits[k];
        for (int32_t j = 0; j < split->copies - 1; j++)
            solver_set_velocity(&plan->bodies[split->first_copy + j], midpoint->v_free[split->body],
                                midpoint->s_free[split->body]);
    }
    team_barrier(packed->plan->team, thread, threads);
}

// Sets the copies of a split body to the mean of their velocities, which is the velocity that the
// sum of their impulses gives the whole body.
static void join_copies(struct packed *packed, int thread, int threads) {
    struct sweep_plan *plan = packed->plan;
    size_t from, to;
    if (plan->split_count == 0)
        return;
    team_share(0, (size_t)plan->split_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        const struct split_body *split = &plan->splits[k];
        struct solver_body *body = &plan->bodies[split->body];
        vec3 v = solver_v(body), s = solver_s(body);
        for (int32_t j = 0; j < split->copies - 1; j++) {
            v = vec3_add(v, solver_v(&plan->bodies[split->first_copy + j]));
            s = vec3_add(s, solver_s(&plan->bodies[split->first_copy + j]));
        }
        v = vec3_scale(1.0 / split->copies, v);
        s = vec3_scale(1.0 / split->copies, s);
        solver_set_velocity(body, v, s);
        for (int32_t j = 0; j < split->copies - 1; j++)
            solver_set_velocity(&plan->bodies[split->first_copy + j], v, s);
    }
    team_barrier(packed->plan->team, thread, threads);
}

static void push_sphere(struct solver_body *body, vec3 p, vec3 turn) {
    solver_set_velocity(body, vec3_add_scaled(solver_v(body), body->inv_m, p),
                        vec3_add_scaled(solver_s(body), -body->k, turn));
}

static void apply_impulses(struct packed *packed, const struct batch *batch, uint32_t from,
                           uint32_t to) {
    struct sweep_plan *plan = packed->plan;
    struct block_sweep sweep = {plan, packed->settings, batch->mu, 0};
    if (batch->kind == BATCH_LANES) {
        packed->lane_kernel->apply(&(struct lane_call){.plan = plan}, from, to);
        return;
    }
    for (size_t k = from; k < to; k++) {
        if (batch->kind == BATCH_BLOCK) {
            block_sweep_apply(&sweep, &plan->blocks[k]);
            continue;
        }
        const struct sphere_group *group = &plan->groups[k];
        uint32_t used = k + 1 == batch->end ? batch->lanes : LANES;
        for (uint32_t lane = 0; lane < used; lane++) {
            vec3 n = lane_get(&group->n, lane), p = lane_get(&group->p, lane);
            vec3 turn = vec3_cross(n, p);
            push_sphere(&plan->bodies[group->c[lane]], p, turn);
            if (batch->kind == BATCH_SPHERE_PAIR)
                push_sphere(&plan->bodies[group->a[lane]], vec3_negate(p), turn);
        }
    }
}

// Sweeps --------------------------------------------------------------------------------------

static void sweep_chunk(struct packed *packed, const struct chunk *chunk, double beta,
                        struct sweep_tally *tally, int64_t *fallbacks) {
    struct sweep_plan *plan = packed->plan;
    const struct batch *batch = &plan->batches[chunk->batch];
    if (batch->kind == BATCH_BLOCK) {
        struct block_sweep sweep = {plan, packed->settings, batch->mu, beta};
        for (uint32_t k = chunk->begin; k < chunk->end; k++)
            block_sweep_solve(&sweep, &plan->blocks[k], tally, fallbacks);
        return;
    }
    if (batch->kind == BATCH_LANES) {
        struct lane_call call = {plan, batch->mu, packed->settings->relaxation, beta, 0};
        packed->lane_kernel->sweep(&call, chunk->begin, chunk->end, tally);
        *fallbacks += call.fallbacks;
        return;
    }
    struct sweep_call call = {
        plan->bodies, plan->groups, plan->last, batch, packed->settings->relaxation, beta};
    packed->sphere_sweep(&call, chunk->begin, chunk->end, tally);
}

void packed_sweep(void *context, int sweep, double beta, int thread, int threads) {
    struct packed *packed = context;
    const struct sweep_plan *plan = packed->plan;
    struct sweep_tally tally = {0};
    int64_t fallbacks = 0;
    for (int colour = 0; colour < plan->colours; colour++) {
        size_t from, to;
        team_share(plan->colour_chunk[colour], plan->colour_chunk[colour + 1], thread, threads,
                   &from, &to);
        for (size_t k = from; k < to; k++)
            sweep_chunk(packed, &plan->chunks[k], beta, &tally, &fallbacks);
        packed->changed[sweep & 1][thread] = tally;
        team_barrier(packed->plan->team, thread, threads);
    }
    join_copies(packed, thread, threads);
    packed->fallbacks[thread] += fallbacks;
}

// Adds the impulses to the velocities.
static void apply_colours(struct packed *packed, int thread, int threads) {
    const struct sweep_plan *plan = packed->plan;
    for (int colour = 0; colour < plan->colours; colour++) {
        size_t from, to;
        team_share(plan->colour_chunk[colour], plan->colour_chunk[colour + 1], thread, threads,
                   &from, &to);
        for (size_t k = from; k < to; k++) {
            const struct chunk *chunk = &plan->chunks[k];
            apply_impulses(packed, &plan->batches[chunk->batch], chunk->begin, chunk->end);
        }
        team_barrier(packed->plan->team, thread, threads);
    }
    join_copies(packed, thread, threads);
}

struct sweep_sums packed_change(const void *context, int sweep) {
    const struct packed *packed = context;
    struct sweep_tally total = {0};
    for (int t = 0; t < packed->threads; t++)
        tally_merge(&total, &packed->changed[sweep & 1][t]);
    return tally_close(total);
}

// Extrapolation -------------------------------------------------------------------------------

void packed_extrapolate(void *context, double beta, int thread, int threads) {
    struct packed *packed = context;
    struct sweep_plan *plan = packed->plan;
    size_t from, to;
    if (!packed->settings->momentum)
        return;
    team_share(0, (size_t)plan->solver_body_count, thread, threads, &from, &to);
    for (size_t i = from; i < to; i++) {
        struct solver_body *body = &plan->bodies[i];
        struct body_velocity *last = &plan->last_velocity[i];
        vec3 v = solver_v(body), s = solver_s(body);
        if (beta > 0)
            solver_set_velocity(body, vec3_add_scaled(v, beta, vec3_sub(v, last->v)),
                                vec3_add_scaled(s, beta, vec3_sub(s, last->s)));
        *last = (struct body_velocity){v, s};
    }
    team_barrier(packed->plan->team, thread, threads);
}

// Copies impulses between the plan and the memory of the last sweep.
static void copy_impulses(struct packed *packed, bool back, int thread, int threads) {
    struct sweep_plan *plan = packed->plan;
    size_t from, to;
    team_share(0, (size_t)plan->group_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        struct lane_vector *p = &plan->groups[k].p, *last = &plan->last[k];
        *(back ? p : last) = back ? *last : *p;
    }
    team_share(0, (size_t)plan->lane_point_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        struct lane_point *point = &plan->lane_points[k];
        *(back ? &point->r : &point->last) = back ? point->last : point->r;
    }
    team_share(0, (size_t)plan->point_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        struct block_point *point = &plan->points[k];
        *(back ? &point->r : &point->last) = back ? point->last : point->r;
    }
    team_barrier(packed->plan->team, thread, threads);
}

// Residual ------------------------------------------------------------------------------------

enum measure { MEASURE_FREE, MEASURE_LIMITED, MEASURE_SOLVED };

// Measures all contacts and merges the tallies of the threads into `total`.
static void measure(struct packed *packed, enum measure what, double fast2,
                    struct residual_tally *total, int thread, int threads) {
    const struct sweep_plan *plan = packed->plan;
    struct residual_tally tally = {0};
    size_t from, to;
    team_share(0, (size_t)plan->chunk_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        if (what == MEASURE_FREE)
            measure_free(plan, &plan->chunks[k], &tally);
        else if (what == MEASURE_LIMITED)
            measure_limited(plan, &plan->chunks[k], fast2, &tally);
        else
            measure_solved(plan, &plan->chunks[k], &tally);
    }
    packed->measured[thread] = tally;
    team_barrier(plan->team, thread, threads);
    for (int t = 0; thread == 0 && t < threads; t++)
        residual_merge(total, &packed->measured[t]);
}

// Sums up closing2 anew where some contacts close much faster than usual.
static void limit_fast(struct packed *packed, int thread, int threads) {
    double fast2 = residual_limit2(&packed->total, packed->plan->least.floor);
    struct residual_tally limited = {0};
    if (fast2 == INFINITY)
        return;
    measure(packed, MEASURE_LIMITED, fast2, &limited, thread, threads);
    team_barrier(packed->plan->team, thread, threads);
    if (thread == 0) {
        packed->free.closing2 = limited.closing2;
        packed->total = residual_close(&packed->free);
    }
}

// Measures the impulses of the last sweep, without extrapolation. Velocities are recomputed from
// them, so that they do not carry the rounding error of many sweeps. The step continues with both.
void packed_check(void *context, int thread, int threads) {
    struct packed *packed = context;
    copy_impulses(packed, true, thread, threads);
    reset_velocities(packed, thread, threads);
    apply_colours(packed, thread, threads);
    struct residual_tally tally = packed->free;
    measure(packed, MEASURE_SOLVED, 0, &tally, thread, threads);
    if (thread == 0) {
        packed->total = residual_close(&tally);
        packed->plan->worst = packed->total.worst;
    }
}

void packed_start(void *context, int thread, int threads) {
    struct packed *packed = context;
    reset_velocities(packed, thread, threads);
    measure(packed, MEASURE_FREE, 0, &packed->free, thread, threads);
    if (thread == 0)
        packed->total = residual_close(&packed->free);
    team_barrier(packed->plan->team, thread, threads);
    limit_fast(packed, thread, threads);
    apply_colours(packed, thread, threads);
    copy_impulses(packed, false, thread, threads);
    packed_extrapolate(packed, 0, thread, threads);
}

void packed_rest(struct packed *packed) { reset_velocities(packed, 0, 1); }

// ---------------------------------------------------------------------------------------------

struct packed packed_open(struct sweep_plan *plan, const struct solver_settings *settings) {
    struct packed packed = {.plan = plan,
                            .settings = settings,
                            .sphere_sweep = sphere_sweep_choose(NULL),
                            .lane_kernel = lane_kernel_choose()};
    size_t work = plan->active + POINT_WEIGHT * plan->point_count;
    packed.threads = team_worth(plan->team, work, CONTACTS_PER_THREAD);
    size_t threads = (size_t)packed.threads;
    packed.measured = memory_allocate(threads, sizeof *packed.measured, "residual");
    packed.changed[0] = memory_allocate(2 * threads, sizeof *packed.changed[0], "residual");
    packed.changed[1] = packed.changed[0] + threads;
    packed.fallbacks = memory_allocate(threads, sizeof *packed.fallbacks, "residual");
    sweep_plan_size_last(plan);
    return packed;
}

int64_t packed_close(struct packed *packed) {
    int64_t fallbacks = 0;
    for (int t = 0; t < packed->threads; t++)
        fallbacks += packed->fallbacks[t];
    memory_free(packed->measured);
    memory_free(packed->changed[0]);
    memory_free(packed->fallbacks);
    return fallbacks;
}
