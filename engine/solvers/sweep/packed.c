#include "engine/solvers/sweep/packed.h"

#include <string.h>

#include "engine/solvers/sweep/block_sweep.h"
#include "engine/solvers/sweep/border.h"
#include "engine/solvers/sweep/measure.h"
#include "parallel/ranks.h"
#include "parallel/team.h"
#include "parallel/wide.h"

// Bodies or contacts of one chunk of the loops that copy.
#define COPY_CHUNK 1024

// What the loops of a pass over the plan read. Any thread may run any chunk of a loop: what they
// write belongs to the chunk.
struct pass {
    struct packed *packed;
    uint32_t first; // chunk of the plan
    double beta;
    bool back; // to the impulses of the last sweep
    measure_function measure;
    double limit;                // of the measure
    struct solver_bodies bodies; // of the plan
};

static void pass_for(struct pass *pass, size_t count, size_t chunk, range_function f) {
    team_for(pass->packed->plan->team, count, chunk, f, pass);
}

// Calls f for the chunks [first, end) of the plan.
static void pass_chunks(struct pass *pass, uint32_t first, uint32_t end, range_function f) {
    pass->first = first;
    pass_for(pass, end - first, 1, f);
}

// The same for all chunks, colour by colour: contacts of one colour share no moving body.
static void pass_colours(struct pass *pass, range_function f) {
    const struct sweep_plan *plan = pass->packed->plan;
    for (int colour = 0; colour < plan->colours; colour++)
        pass_chunks(pass, plan->colour_chunk[colour], plan->colour_chunk[colour + 1], f);
}

// Velocities ----------------------------------------------------------------------------------

static void reset_bodies(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct sweep_plan *plan = pass->packed->plan;
    const struct midpoint *midpoint = plan->views->midpoint;
    for (size_t k = begin; k < end; k++) {
        int32_t i = solver_bodies_get(&pass->bodies, k);
        solver_set_velocity(&plan->bodies[i], midpoint->v_free[i], midpoint->s_free[i]);
    }
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
    struct pass pass = {.packed = packed, .bodies = sweep_plan_bodies(packed->plan)};
    pass.bodies.count = packed->plan->body_count; // copies follow
    pass_for(&pass, solver_bodies_count(&pass.bodies), COPY_CHUNK, reset_bodies);
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

// What another rank counts is left out of the tally.
static void sweep_chunks(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct packed *packed = pass->packed;
    for (size_t k = pass->first + begin; k < pass->first + end; k++) {
        const struct chunk *chunk = &packed->plan->chunks[k];
        struct sweep_tally tally = {0};
        int64_t fallbacks = 0;
        sweep_chunk(packed, chunk, pass->beta, &tally, &fallbacks);
        if (!packed->plan->batches[chunk->batch].counted)
            continue;
        packed->changed[k] = tally;
        if (fallbacks > 0)
            atomic_fetch_add_explicit(&packed->fallbacks, fallbacks, memory_order_relaxed);
    }
}

// Contacts at the border wait for velocities of other ranks, and other ranks for theirs: these
// travel while those inside are solved.
static void sweep_colour(struct pass *pass, int colour) {
    const struct sweep_plan *plan = pass->packed->plan;
    uint32_t first = plan->colour_chunk[colour], end = plan->colour_chunk[colour + 1];
    if (!plan->border) {
        pass_chunks(pass, first, end, sweep_chunks);
        return;
    }
    uint32_t inside = plan->colour_inside[colour], rest = inside;
    if (colour == 0) {
        rest += (end - inside) / 2;
        border_start(plan->border, 0);
        pass_chunks(pass, inside, rest, sweep_chunks);
        border_finish(plan->border, 0);
    }
    pass_chunks(pass, first, inside, sweep_chunks);
    if (colour + 1 < plan->colours)
        border_start(plan->border, colour + 1);
    pass_chunks(pass, rest, end, sweep_chunks);
    if (colour + 1 < plan->colours)
        border_finish(plan->border, colour + 1);
}

static void merge_tallies(void *total, const void *part) { tally_merge(total, part); }

void packed_sweep(void *context, double beta) {
    struct packed *packed = context;
    struct sweep_plan *plan = packed->plan;
    struct pass pass = {.packed = packed, .beta = beta};
    struct sweep_tally total = {0};
    for (int colour = 0; colour < plan->colours; colour++)
        sweep_colour(&pass, colour);
    join_copies(packed);
    for (size_t k = 0; k < plan->chunk_count; k++)
        tally_merge(&total, &packed->changed[k]);
    if (plan->border) {
        border_share_split(plan->border);
        ranks_merge(&total, 1, sizeof total, merge_tallies);
    }
    packed->change = tally_close(total);
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
    if (packed->plan->border)
        border_share_all(packed->plan->border);
}

struct sweep_sums packed_change(const void *context) {
    const struct packed *packed = context;
    return packed->change;
}

// Extrapolation -------------------------------------------------------------------------------

typedef int64_t whole4 __attribute__((vector_size(32)));
// Four numbers anywhere in memory.
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

// Returns u + beta (u - last) of the first three numbers; the fourth is that of u.
#define AHEAD(u, last)                                                                             \
    (lanes4)(((whole4)((u) + beta * ((u) - (last))) & velocity) | ((whole4)(u) & ~velocity))

// The six numbers of a velocity are read and written as four and four, of which two are the same.
WIDE static void extrapolate_run(struct solver_body *bodies, struct body_velocity *memory,
                                 size_t count, double beta) {
    const whole4 velocity = {-1, -1, -1, 0};
    for (size_t k = 0; k < count; k++) {
        double *last = (double *)&memory[k];
        lanes4 v = *(four *)bodies[k].v, s = *(four *)bodies[k].s;
        if (beta > 0) {
            lanes4 last_v = *(four *)last, end = *(four *)(last + 2);
            lanes4 last_s = __builtin_shufflevector(end, end, 1, 2, 3, 3);
            *(four *)bodies[k].v = AHEAD(v, last_v);
            *(four *)bodies[k].s = AHEAD(s, last_s);
        }
        *(four *)last = v;
        *(four *)(last + 2) = __builtin_shufflevector(v, s, 2, 4, 5, 6);
    }
}

static void extrapolate_bodies(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct sweep_plan *plan = pass->packed->plan;
    for (size_t k = begin, next; k < end; k = next) {
        int32_t i = solver_bodies_get(&pass->bodies, k);
        next = solver_bodies_run(&pass->bodies, k, end);
        extrapolate_run(&plan->bodies[i], &plan->last_velocity[i], next - k, pass->beta);
    }
}

void packed_extrapolate(void *context, double beta) {
    struct packed *packed = context;
    struct pass pass = {.packed = packed, .beta = beta, .bodies = sweep_plan_bodies(packed->plan)};
    if (packed->settings->momentum)
        pass_for(&pass, solver_bodies_count(&pass.bodies), COPY_CHUNK, extrapolate_bodies);
}

static void copy_groups(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct sweep_plan *plan = pass->packed->plan;
    for (size_t k = begin; k < end; k++) {
        struct lane_vector *p = &plan->groups[k].p, *last = &plan->last[k];
        *(pass->back ? p : last) = pass->back ? *last : *p;
    }
}

static void copy_lane_points(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct sweep_plan *plan = pass->packed->plan;
    for (size_t k = begin; k < end; k++) {
        struct lane_point *point = &plan->lane_points[k];
        *(pass->back ? &point->r : &point->last) = pass->back ? point->last : point->r;
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
    pass_for(&pass, packed->plan->lane_point_count, COPY_CHUNK, copy_lane_points);
    pass_for(&pass, packed->plan->point_count, COPY_CHUNK, copy_points);
}

// Residual ------------------------------------------------------------------------------------

static void measure_chunks(void *context, size_t begin, size_t end) {
    const struct pass *pass = context;
    struct packed *packed = pass->packed;
    const struct sweep_plan *plan = packed->plan;
    for (size_t k = begin; k < end; k++) {
        packed->measured[k] = (struct residual_tally){0};
        if (plan->batches[plan->chunks[k].batch].counted)
            pass->measure(plan, &plan->chunks[k], pass->limit, &packed->measured[k]);
    }
}

static void merge_residuals(void *total, const void *part) { residual_merge(total, part); }

// Returns the tally of all contacts, on all ranks.
static struct residual_tally measure(struct packed *packed, measure_function f, double limit) {
    const struct sweep_plan *plan = packed->plan;
    struct pass pass = {.packed = packed, .measure = f, .limit = limit};
    struct residual_tally total = {0};
    pass_chunks(&pass, 0, (uint32_t)plan->chunk_count, measure_chunks);
    for (size_t k = 0; k < plan->chunk_count; k++)
        residual_merge(&total, &packed->measured[k]);
    if (plan->border)
        ranks_merge(&total, 1, sizeof total, merge_residuals);
    return total;
}

// Sums up closing2 anew where some contacts close much faster than usual.
static void limit_fast(struct packed *packed) {
    double fast2 = residual_limit2(&packed->total, packed->plan->least.floor);
    if (fast2 == INFINITY)
        return;
    packed->free.closing2 = measure(packed, measure_limited, fast2).closing2;
    packed->total = residual_close(&packed->free);
}

// Velocities are recomputed from the impulses, so that they do not carry the rounding error of many
// sweeps. The step continues with both.
static void measure_impulses(struct packed *packed) {
    reset_velocities(packed);
    apply_colours(packed);
    struct residual_tally tally = measure(packed, measure_solved, packed->plan->least.floor);
    residual_merge(&tally, &packed->free);
    packed->total = residual_close(&tally);
    packed->plan->worst = packed->total.worst;
}

// Measures the impulses of the last sweep, without extrapolation.
void packed_check(void *context) {
    struct packed *packed = context;
    copy_impulses(packed, true);
    measure_impulses(packed);
}

static void measure_without(struct packed *packed) {
    reset_velocities(packed);
    packed->free = measure(packed, measure_free, packed->plan->least.floor);
    packed->total = residual_close(&packed->free);
    limit_fast(packed);
}

void packed_measure(struct packed *packed) {
    measure_without(packed);
    measure_impulses(packed);
}

void packed_start(void *context) {
    struct packed *packed = context;
    measure_without(packed);
    apply_colours(packed);
    copy_impulses(packed, false);
    packed_extrapolate(packed, 0);
}

void packed_rest(struct packed *packed) { reset_velocities(packed); }

// ---------------------------------------------------------------------------------------------

// Returns whether the impulses of the groups find room in a vector over the slots of the views.
static bool has_room(const struct sweep_plan *plan, size_t spare, const vec3 *r) {
    size_t slots = plan->views->count + plan->views->joints->count;
    return spare > 0 && plan->group_count * LANES <= slots + spare &&
           (uintptr_t)r % CACHE_LINE == 0;
}

// Borrows in one piece what sweeps and checks write beside the plan; without r, what checks do.
static void borrow_room(struct packed *packed, vec3 *r) {
    struct sweep_plan *plan = packed->plan;
    bool in_r = r && has_room(plan, packed->settings->spare, r);
    size_t chunks = plan->chunk_count, bodies = r ? (size_t)plan->solver_body_count : 0;
    size_t groups = r && !in_r ? plan->group_count : 0;
    struct memory_part part[] = {{.bytes = groups * sizeof *plan->last},
                                 {.bytes = bodies * sizeof *plan->last_velocity},
                                 {.bytes = chunks * sizeof *packed->measured},
                                 {.bytes = chunks * sizeof *packed->changed}};
    plan->last_lent = memory_borrow_parts(part, 4, "sweeps");
    plan->last = in_r ? (struct lane_vector *)r : part[0].start;
    plan->last_velocity = part[1].start;
    packed->measured = part[2].start;
    packed->changed = part[3].start;
    memset(packed->changed, 0, part[3].bytes); // what another rank counts stays so
}

struct packed packed_open(struct sweep_plan *plan, const struct solver_settings *settings,
                          vec3 *r) {
    struct packed packed = {.plan = plan,
                            .settings = settings,
                            .sphere_sweep = sphere_sweep_choose(NULL),
                            .lane_kernel = lane_kernel_choose()};
    borrow_room(&packed, r);
    return packed;
}

int64_t packed_close(struct packed *packed) {
    int64_t fallbacks = packed->fallbacks;
    sweep_plan_return_last(packed->plan);
    if (packed->plan->border)
        ranks_sum_signed(&fallbacks, 1);
    return fallbacks;
}
