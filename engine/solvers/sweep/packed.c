#include "engine/solvers/sweep/packed.h"

#include "engine/solvers/sweep/block_sweep.h"
#include "engine/solvers/sweep/measure.h"
#include "parallel/team.h"

// Bodies or contacts of one chunk of the loops that copy.
#define COPY_CHUNK 1024

// What the loops of a pass over the plan read. Any thread may run any chunk of a loop: what they
// write belongs to the chunk.
struct pass {
    struct packed *packed;
    uint32_t first; // chunk of the plan
    double beta;
    struct sweep_sums *sums; // one per chunk
    bool back;               // to the impulses of the last sweep
    bool free;               // measures the velocities without impulses
    double fast2;
};

static void pass_for(struct pass *pass, size_t count, size_t chunk, range_function f) {
    team_for(pass->packed->plan->team, count, chunk, f, pass);
}

// Calls f for chunks of the plan.
static void pass_chunks(struct pass *pass, range_function f) {
    pass->first = 0;
    pass_for(pass, pass->packed->plan->chunk_count, 1, f);
}

// The same colour by colour: contacts of one colour share no moving body.
static void pass_colours(struct pass *pass, range_function f) {
    const struct sweep_plan *plan = pass->packed->plan;
    for (int colour = 0; colour < plan->colours; colour++) {
        pass->first = plan->colour_chunk[colour];
        pass_for(pass, plan->colour_chunk[colour + 1] - pass->first, 1, f);
    }
}

// Velocities ----------------------------------------------------------------------------------

static void reset_bodies(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct sweep_plan *plan = pass->packed->plan;
    const struct midpoint *midpoint = plan->views->midpoint;
    for (size_t i = begin; i < end; i++)
        solver_set_velocity(&plan->bodies[i], midpoint->v_free[i], midpoint->s_free[i]);
}

static void reset_copies(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct sweep_plan *plan = pass->packed->plan;
    const struct midpoint *midpoint = plan->views->midpoint;
    for (size_t k = begin; k < end; k++) {
        const struct split_body *split = &plan->splits[k];
        for (int32_t j = 0; j < split->copies - 1; j++)
            solver_set_velocity(&plan->bodies[split->first_copy + j], midpoint->v_free[split->body],
                                midpoint->s_free[split->body]);
    }
}

static void reset_velocities(struct packed *packed) {
    struct pass pass = {.packed = packed};
    pass_for(&pass, (size_t)packed->plan->body_count, COPY_CHUNK, reset_bodies);
    pass_for(&pass, (size_t)packed->plan->split_count, COPY_CHUNK, reset_copies);
}

// Sets the copies of a split body to the mean of their velocities, which is the velocity that the
// sum of their impulses gives the whole body.
static void join_range(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct sweep_plan *plan = pass->packed->plan;
    for (size_t k = begin; k < end; k++) {
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
}

static void join_copies(struct packed *packed) {
    struct pass pass = {.packed = packed};
    pass_for(&pass, (size_t)packed->plan->split_count, COPY_CHUNK, join_range);
}

static void push_sphere(struct solver_body *body, vec3 p, vec3 turn) {
    solver_set_velocity(body, vec3_add_scaled(solver_v(body), body->inv_m, p),
                        vec3_add_scaled(solver_s(body), -body->k, turn));
}

static void apply_impulses(struct packed *packed, const struct batch *batch, uint32_t from,
                           uint32_t to) {
    struct sweep_plan *plan = packed->plan;
    struct block_sweep sweep = {plan, packed->settings, batch->mu, 0};
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
                        struct sweep_sums *sums, int64_t *fallbacks) {
    struct sweep_plan *plan = packed->plan;
    const struct batch *batch = &plan->batches[chunk->batch];
    *sums = (struct sweep_sums){0};
    if (batch->kind == BATCH_BLOCK) {
        struct block_sweep sweep = {plan, packed->settings, batch->mu, beta};
        for (uint32_t k = chunk->begin; k < chunk->end; k++)
            block_sweep_solve(&sweep, &plan->blocks[k], sums, fallbacks);
        return;
    }
    struct sweep_call call = {
        plan->bodies, plan->groups, plan->last, batch, packed->settings->relaxation, beta};
    packed->sphere_sweep(&call, chunk->begin, chunk->end, sums);
}

static void sweep_chunks(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct packed *packed = pass->packed;
    int64_t fallbacks = 0;
    for (size_t k = pass->first + begin; k < pass->first + end; k++)
        sweep_chunk(packed, &packed->plan->chunks[k], pass->beta, &pass->sums[k], &fallbacks);
    if (fallbacks > 0)
        atomic_fetch_add_explicit(&packed->fallbacks, fallbacks, memory_order_relaxed);
}

void packed_sweep(void *context, int sweep, double beta) {
    struct packed *packed = context;
    struct pass pass = {.packed = packed, .beta = beta, .sums = packed->sums[sweep & 1]};
    pass_colours(&pass, sweep_chunks);
    join_copies(packed);
}

static void apply_chunks(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    const struct sweep_plan *plan = pass->packed->plan;
    for (size_t k = pass->first + begin; k < pass->first + end; k++) {
        const struct chunk *chunk = &plan->chunks[k];
        apply_impulses(pass->packed, &plan->batches[chunk->batch], chunk->begin, chunk->end);
    }
}

// Adds the impulses to the velocities.
static void apply_colours(struct packed *packed) {
    struct pass pass = {.packed = packed};
    pass_colours(&pass, apply_chunks);
    join_copies(packed);
}

struct sweep_sums packed_change(const void *context, int sweep) {
    const struct packed *packed = context;
    const struct sweep_sums *sums = packed->sums[sweep & 1];
    struct sweep_sums total = {0};
    for (size_t k = 0; k < packed->plan->chunk_count; k++) {
        total.alignment += sums[k].alignment;
        total.change2 += sums[k].change2;
        total.largest2 = fmax(total.largest2, sums[k].largest2);
    }
    return total;
}

// Extrapolation -------------------------------------------------------------------------------

static void extrapolate_bodies(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct sweep_plan *plan = pass->packed->plan;
    for (size_t i = begin; i < end; i++) {
        struct solver_body *body = &plan->bodies[i];
        struct body_velocity *last = &plan->last_velocity[i];
        vec3 v = solver_v(body), s = solver_s(body);
        if (pass->beta > 0)
            solver_set_velocity(body, vec3_add_scaled(v, pass->beta, vec3_sub(v, last->v)),
                                vec3_add_scaled(s, pass->beta, vec3_sub(s, last->s)));
        *last = (struct body_velocity){v, s};
    }
}

void packed_extrapolate(void *context, double beta) {
    struct packed *packed = context;
    struct pass pass = {.packed = packed, .beta = beta};
    if (packed->settings->momentum)
        pass_for(&pass, (size_t)packed->plan->solver_body_count, COPY_CHUNK, extrapolate_bodies);
}

static void copy_groups(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct sweep_plan *plan = pass->packed->plan;
    for (size_t k = begin; k < end; k++) {
        struct lane_vector *p = &plan->groups[k].p, *last = &plan->last[k];
        *(pass->back ? p : last) = pass->back ? *last : *p;
    }
}

static void copy_points(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct sweep_plan *plan = pass->packed->plan;
    for (size_t k = begin; k < end; k++) {
        struct block_point *point = &plan->points[k];
        *(pass->back ? &point->r : &point->last) = pass->back ? point->last : point->r;
    }
}

// Copies impulses between the plan and the memory of the last sweep.
static void copy_impulses(struct packed *packed, bool back) {
    struct pass pass = {.packed = packed, .back = back};
    pass_for(&pass, packed->plan->group_count, COPY_CHUNK, copy_groups);
    pass_for(&pass, packed->plan->point_count, COPY_CHUNK, copy_points);
}

// Residual ------------------------------------------------------------------------------------

static void measure_chunks(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    const struct sweep_plan *plan = pass->packed->plan;
    for (size_t k = begin; k < end; k++) {
        struct residual_sums *partial = &pass->packed->partial[k];
        if (pass->free) {
            *partial = (struct residual_sums){0};
            measure_free(plan, &plan->chunks[k], partial);
        } else {
            partial->scaled2 = partial->unscaled2 = partial->r2 = partial->u2 = partial->wr2 = 0;
            partial->worst2 = 0;
            measure_solved(plan, &plan->chunks[k], partial);
        }
    }
}

static void sum_chunks(struct packed *packed) {
    packed->total = (struct residual_sums){0};
    for (size_t k = 0; k < packed->plan->chunk_count; k++)
        residual_add(&packed->total, &packed->partial[k]);
}

static void limit_chunks(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct packed *packed = pass->packed;
    for (size_t k = begin; k < end; k++) {
        packed->partial[k].closing2 = 0;
        measure_limited(packed->plan, &packed->plan->chunks[k], pass->fast2, &packed->partial[k]);
    }
}

// Sums up closing2 anew where some contacts close much faster than usual.
static void limit_fast(struct packed *packed) {
    struct pass pass = {.packed = packed,
                        .fast2 = residual_limit2(&packed->total, packed->plan->least.floor)};
    if (pass.fast2 == INFINITY)
        return;
    pass_chunks(&pass, limit_chunks);
    sum_chunks(packed);
}

// Measures the impulses of the last sweep, without extrapolation. Velocities are recomputed from
// them, so that they do not carry the rounding error of many sweeps. The step continues with both.
void packed_check(void *context) {
    struct packed *packed = context;
    struct pass pass = {.packed = packed};
    copy_impulses(packed, true);
    reset_velocities(packed);
    apply_colours(packed);
    pass_chunks(&pass, measure_chunks);
    sum_chunks(packed);
    packed->plan->worst = packed->total.worst;
}

void packed_start(void *context) {
    struct packed *packed = context;
    struct pass pass = {.packed = packed, .free = true};
    reset_velocities(packed);
    pass_chunks(&pass, measure_chunks);
    sum_chunks(packed);
    limit_fast(packed);
    apply_colours(packed);
    copy_impulses(packed, false);
    packed_extrapolate(packed, 0);
}

void packed_rest(struct packed *packed) { reset_velocities(packed); }

// ---------------------------------------------------------------------------------------------

struct packed packed_open(struct sweep_plan *plan, const struct solver_settings *settings) {
    struct packed packed = {
        .plan = plan, .settings = settings, .sphere_sweep = sphere_sweep_choose(NULL)};
    size_t chunks = plan->chunk_count;
    packed.partial = memory_allocate(chunks, sizeof *packed.partial, "residual");
    packed.sums[0] = memory_allocate(2 * chunks, sizeof *packed.sums[0], "residual");
    packed.sums[1] = packed.sums[0] + chunks;
    sweep_plan_size_last(plan);
    return packed;
}

int64_t packed_close(struct packed *packed) {
    memory_free(packed->partial);
    memory_free(packed->sums[0]);
    return packed->fallbacks;
}
