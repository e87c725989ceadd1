#include "engine/solvers/sweep/nsgs.h"

#include "engine/problem/residual.h"
#include "engine/solvers/sweep/block_sweep.h"
#include "engine/solvers/sweep/sphere_sweep.h"
#include "parallel/clock.h"
#include "parallel/memory.h"

// Below this many contacts per thread a barrier costs more than the help it brings. A point of a
// block takes as long as four contacts of spheres.
#define CONTACTS_PER_THREAD 3000
#define POINT_WEIGHT        3 // beside the one that every contact counts

struct nsgs {
    struct problem *problem;
    const struct gabion_settings *settings;
    struct team *team;
    int32_t moving;
    sphere_sweep_function sphere_sweep;
    struct residual_sums *partial; // one per chunk
    struct sweep_sums *sums[2];    // one per chunk, by parity of the sweep: the last ones are
                                   // still read while the next are written
    struct residual_sums total;
    double floor;
    int64_t *fallbacks; // one per thread
    double deadline;    // of the step; 0: none
    bool late;          // it is over
    bool done;
    struct nsgs_result result;
};

// Velocities ----------------------------------------------------------------------------------

static void reset_velocities(struct nsgs *nsgs, int thread, int threads) {
    struct problem *problem = nsgs->problem;
    size_t from, to;
    team_share(0, (size_t)problem->body_count, thread, threads, &from, &to);
    for (size_t i = from; i < to; i++)
        solver_set_velocity(&problem->bodies[i], problem->v_free[i], problem->s_free[i]);
    team_share(0, (size_t)problem->split_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        const struct split_body *split = &problem->splits[k];
        for (int32_t j = 0; j < split->copies - 1; j++)
            solver_set_velocity(&problem->bodies[split->first_copy + j],
                                problem->v_free[split->body], problem->s_free[split->body]);
    }
    team_barrier(nsgs->team, thread, threads);
}

// The copies of a split body meet at the mean of their velocities, which is what the sum of their
// impulses gives the whole body.
static void join_copies(struct nsgs *nsgs, int thread, int threads) {
    struct problem *problem = nsgs->problem;
    size_t from, to;
    if (problem->split_count == 0)
        return;
    team_share(0, (size_t)problem->split_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        const struct split_body *split = &problem->splits[k];
        struct solver_body *body = &problem->bodies[split->body];
        vec3 v = solver_v(body), s = solver_s(body);
        for (int32_t j = 0; j < split->copies - 1; j++) {
            v = vec3_add(v, solver_v(&problem->bodies[split->first_copy + j]));
            s = vec3_add(s, solver_s(&problem->bodies[split->first_copy + j]));
        }
        v = vec3_scale(1.0 / split->copies, v);
        s = vec3_scale(1.0 / split->copies, s);
        solver_set_velocity(body, v, s);
        for (int32_t j = 0; j < split->copies - 1; j++)
            solver_set_velocity(&problem->bodies[split->first_copy + j], v, s);
    }
    team_barrier(nsgs->team, thread, threads);
}

static void push_sphere(struct solver_body *body, vec3 p, vec3 turn) {
    solver_set_velocity(body, vec3_add_scaled(solver_v(body), body->inv_m, p),
                        vec3_add_scaled(solver_s(body), -body->k, turn));
}

static void apply_impulses(struct nsgs *nsgs, const struct batch *batch, uint32_t from,
                           uint32_t to) {
    struct problem *problem = nsgs->problem;
    struct block_sweep sweep = {problem, nsgs->settings, nsgs->moving, batch->mu, 0};
    for (size_t k = from; k < to; k++) {
        if (batch->kind == BATCH_BLOCK) {
            block_sweep_apply(&sweep, &problem->blocks[k]);
            continue;
        }
        const struct sphere_group *group = &problem->groups[k];
        uint32_t used = k + 1 == batch->end ? batch->lanes : LANES;
        for (uint32_t lane = 0; lane < used; lane++) {
            vec3 n = lane_get(&group->n, lane), p = lane_get(&group->p, lane);
            vec3 turn = vec3_cross(n, p);
            push_sphere(&problem->bodies[group->c[lane]], p, turn);
            if (batch->kind == BATCH_SPHERE_PAIR)
                push_sphere(&problem->bodies[group->a[lane]], vec3_negate(p), turn);
        }
    }
}

// Sweeps --------------------------------------------------------------------------------------

static void sweep_chunk(struct nsgs *nsgs, const struct chunk *chunk, double beta,
                        struct sweep_sums *sums, int64_t *fallbacks) {
    struct problem *problem = nsgs->problem;
    const struct batch *batch = &problem->batches[chunk->batch];
    *sums = (struct sweep_sums){0};
    if (batch->kind == BATCH_BLOCK) {
        struct block_sweep sweep = {problem, nsgs->settings, nsgs->moving, batch->mu, beta};
        for (uint32_t k = chunk->begin; k < chunk->end; k++)
            block_sweep_solve(&sweep, &problem->blocks[k], sums, fallbacks);
        return;
    }
    struct sweep_call call = {
        problem->bodies, problem->groups, problem->last, batch, nsgs->settings->relaxation, beta};
    nsgs->sphere_sweep(&call, chunk->begin, chunk->end, sums);
}

static void sweep_colours(struct nsgs *nsgs, int sweep, double beta, int thread, int threads) {
    const struct problem *problem = nsgs->problem;
    struct sweep_sums *sums = nsgs->sums[sweep & 1];
    int64_t fallbacks = 0;
    for (int colour = 0; colour < problem->colours; colour++) {
        size_t from, to;
        team_share(problem->colour_chunk[colour], problem->colour_chunk[colour + 1], thread,
                   threads, &from, &to);
        for (size_t k = from; k < to; k++)
            sweep_chunk(nsgs, &problem->chunks[k], beta, &sums[k], &fallbacks);
        team_barrier(nsgs->team, thread, threads);
    }
    join_copies(nsgs, thread, threads);
    nsgs->fallbacks[thread] += fallbacks;
}

// Adds the impulses to the velocities.
static void apply_colours(struct nsgs *nsgs, int thread, int threads) {
    const struct problem *problem = nsgs->problem;
    for (int colour = 0; colour < problem->colours; colour++) {
        size_t from, to;
        team_share(problem->colour_chunk[colour], problem->colour_chunk[colour + 1], thread,
                   threads, &from, &to);
        for (size_t k = from; k < to; k++) {
            const struct chunk *chunk = &problem->chunks[k];
            apply_impulses(nsgs, &problem->batches[chunk->batch], chunk->begin, chunk->end);
        }
        team_barrier(nsgs->team, thread, threads);
    }
    join_copies(nsgs, thread, threads);
}

// Momentum ------------------------------------------------------------------------------------

// Sweeps are accelerated by Nesterov's extrapolation: the next sweep starts from
// y = r + beta (r - r_last) with beta growing as (k - 1)/(k + 2), and velocities, being linear in
// r, are extrapolated along. Mazhar, Heyn, Negrut, Tasora (2015) do the same to projected
// gradients, MuJoCo to its scalar sweeps. Block sweeps are not a gradient step, so the
// extrapolation is given up (k = 0) as soon as it points against the sweep, (y - r).(r - r_last) >
// 0 (O'Donoghue and Candes 2015), or the change of a sweep grows; beta stays below 0.9, without
// which settled piles were seen to diverge. What it gains is in docs/solvers.md.
#define MOMENTUM_MAX 0.9

struct momentum { // every thread keeps its own copy of the same numbers
    int k;
    double change2; // of the sweep before
};

static double momentum_beta(const struct nsgs *nsgs, const struct momentum *momentum) {
    double k = momentum->k;
    if (!nsgs->settings->momentum || momentum->k < 2)
        return 0;
    return fmin((k - 1) / (k + 2), MOMENTUM_MAX);
}

static struct sweep_sums total_change(const struct nsgs *nsgs, int sweep) {
    const struct sweep_sums *sums = nsgs->sums[sweep & 1];
    struct sweep_sums total = {0};
    for (size_t k = 0; k < nsgs->problem->chunk_count; k++) {
        total.alignment += sums[k].alignment;
        total.change2 += sums[k].change2;
        total.largest2 = fmax(total.largest2, sums[k].largest2);
    }
    return total;
}

static void momentum_update(struct momentum *momentum, const struct sweep_sums *total) {
    bool against = total->alignment > 0 || total->change2 > momentum->change2;
    bool restart = momentum->k > 1 && against;
    momentum->change2 = restart ? INFINITY : total->change2;
    momentum->k = restart ? 0 : momentum->k + 1;
}

static void extrapolate_velocity(struct nsgs *nsgs, double beta, int thread, int threads) {
    struct problem *problem = nsgs->problem;
    size_t from, to;
    if (!nsgs->settings->momentum)
        return;
    team_share(0, (size_t)problem->solver_body_count, thread, threads, &from, &to);
    for (size_t i = from; i < to; i++) {
        struct solver_body *body = &problem->bodies[i];
        struct solver_velocity *last = &problem->last_velocity[i];
        vec3 v = solver_v(body), s = solver_s(body);
        if (beta > 0)
            solver_set_velocity(body, vec3_add_scaled(v, beta, vec3_sub(v, last->v)),
                                vec3_add_scaled(s, beta, vec3_sub(s, last->s)));
        *last = (struct solver_velocity){v, s};
    }
    team_barrier(nsgs->team, thread, threads);
}

// Impulses between the problem and the memory of the last sweep.
static void copy_impulses(struct nsgs *nsgs, bool back, int thread, int threads) {
    struct problem *problem = nsgs->problem;
    size_t from, to;
    team_share(0, (size_t)problem->group_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        struct lane_vector *p = &problem->groups[k].p, *last = &problem->last[k];
        *(back ? p : last) = back ? *last : *p;
    }
    team_share(0, (size_t)problem->point_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        struct block_point *point = &problem->points[k];
        *(back ? &point->r : &point->last) = back ? point->last : point->r;
    }
    team_barrier(nsgs->team, thread, threads);
}

// Residual ------------------------------------------------------------------------------------

static void add_chunks(struct nsgs *nsgs, bool free, int thread, int threads) {
    const struct problem *problem = nsgs->problem;
    size_t from, to;
    team_share(0, (size_t)problem->chunk_count, thread, threads, &from, &to);
    for (size_t k = from; k < to; k++) {
        if (free) {
            nsgs->partial[k] = (struct residual_sums){0};
            residual_add_free(problem, &problem->chunks[k], &nsgs->partial[k]);
        } else {
            struct residual_sums *partial = &nsgs->partial[k];
            partial->scaled2 = partial->unscaled2 = partial->r2 = partial->u2 = partial->wr2 = 0;
            residual_add(problem, &problem->chunks[k], partial);
        }
    }
    team_barrier(nsgs->team, thread, threads);
}

static void sum_chunks(struct nsgs *nsgs) {
    struct residual_sums total = {0};
    for (size_t k = 0; k < nsgs->problem->chunk_count; k++) {
        const struct residual_sums *partial = &nsgs->partial[k];
        total.closing2 += partial->closing2;
        total.q2 += partial->q2;
        total.scaled2 += partial->scaled2;
        total.unscaled2 += partial->unscaled2;
        total.r2 += partial->r2;
        total.u2 += partial->u2;
        total.v2 += partial->v2;
        total.wr2 += partial->wr2;
    }
    nsgs->total = total;
}

static double measure_of(const struct nsgs *nsgs) {
    const struct nsgs_result *result = &nsgs->result;
    return nsgs->settings->measure == GABION_MEASURE_SCALED ? result->residual
                                                            : result->residual_fclib;
}

static void judge(struct nsgs *nsgs, int sweeps) {
    const struct gabion_settings *settings = nsgs->settings;
    struct nsgs_result *result = &nsgs->result;
    sum_chunks(nsgs);
    result->sweeps = sweeps;
    result->residual = residual_scaled(&nsgs->total, nsgs->floor);
    result->residual_fclib = residual_fclib(&nsgs->total);
    result->swelling = residual_swelling(&nsgs->total, nsgs->floor);
    result->converged = measure_of(nsgs) <= settings->tolerance;
    nsgs->done = result->converged || sweeps >= settings->max_sweeps;
}

// The impulses judged are those of the sweep, without extrapolation, and the velocities are built
// anew from them, so that rounding of many sweeps cannot hide there; both are also what the step
// goes on with.
static void check(struct nsgs *nsgs, int sweeps, int thread, int threads) {
    copy_impulses(nsgs, true, thread, threads);
    reset_velocities(nsgs, thread, threads);
    apply_colours(nsgs, thread, threads);
    add_chunks(nsgs, false, thread, threads);
    if (thread == 0)
        judge(nsgs, sweeps);
    team_barrier(nsgs->team, thread, threads);
    if (!nsgs->done)
        extrapolate_velocity(nsgs, 0, thread, threads);
}

// The residual is a norm over all contacts: while a single one still changes by more than the whole
// may, a check would be wasted. The FCLIB measure has other units and is checked without this hint.
static bool worth_checking(const struct nsgs *nsgs, const struct sweep_sums *total) {
    const struct gabion_settings *settings = nsgs->settings;
    double allowed = settings->tolerance * residual_scale(&nsgs->total, nsgs->floor) +
                     residual_rounding(&nsgs->total);
    return settings->measure != GABION_MEASURE_SCALED || sqrt(total->largest2) <= allowed;
}

static void start(struct nsgs *nsgs, int thread, int threads) {
    reset_velocities(nsgs, thread, threads);
    add_chunks(nsgs, true, thread, threads);
    if (thread == 0)
        sum_chunks(nsgs);
    apply_colours(nsgs, thread, threads);
    copy_impulses(nsgs, false, thread, threads);
    extrapolate_velocity(nsgs, 0, thread, threads);
}

static void measure(void *context, int thread, int threads) {
    struct nsgs *nsgs = context;
    start(nsgs, thread, threads);
    check(nsgs, 0, thread, threads);
}

// One thread looks at the clock and all obey, or some would go on without the others. The mark is
// not written again before every thread has been through the barriers of another sweep.
static bool out_of_time(struct nsgs *nsgs, int thread, int threads) {
    if (nsgs->deadline == 0)
        return false;
    if (thread == 0)
        nsgs->late = clock_seconds() >= nsgs->deadline;
    team_barrier(nsgs->team, thread, threads);
    return nsgs->late;
}

static void run(void *context, int thread, int threads) {
    struct nsgs *nsgs = context;
    struct momentum momentum = {.k = 1, .change2 = INFINITY};
    int cap = nsgs->settings->max_sweeps, next_check = 1, forced_check = 64;
    start(nsgs, thread, threads);
    for (int sweep = 1;; sweep++) {
        double beta = momentum_beta(nsgs, &momentum);
        sweep_colours(nsgs, sweep, beta, thread, threads);
        struct sweep_sums total = total_change(nsgs, sweep);
        momentum_update(&momentum, &total);
        bool late = out_of_time(nsgs, thread, threads);
        bool due = late || (sweep >= next_check && worth_checking(nsgs, &total));
        if (!due && sweep < forced_check && sweep < cap) {
            extrapolate_velocity(nsgs, beta, thread, threads);
            continue;
        }
        check(nsgs, sweep, thread, threads);
        if (nsgs->done || late)
            return;
        // A check costs more than a sweep: their distance grows with the work done.
        next_check = sweep + 1 + sweep / 8;
        forced_check = 4 * sweep > 64 ? 4 * sweep : 64; // the hint may be wrong
    }
}

// Both ------------------------------------------------------------------------------------------

static struct nsgs nsgs_open(struct gabion_world *world, int *threads) {
    struct problem *problem = world->problem;
    struct nsgs nsgs = {
        .problem = problem,
        .settings = &world->settings,
        .team = world->team,
        .moving = world->bodies.moving,
        .sphere_sweep = sphere_sweep_choose(NULL),
        .floor = world->settings.step * vec3_length(world->settings.gravity),
        .deadline = world->deadline,
    };
    size_t work = problem->active + POINT_WEIGHT * problem->point_count;
    size_t chunks = problem->chunk_count;
    *threads = team_worth(world->team, work, CONTACTS_PER_THREAD);
    nsgs.partial = memory_allocate(chunks, sizeof *nsgs.partial, "residual");
    nsgs.sums[0] = memory_allocate(2 * chunks, sizeof *nsgs.sums[0], "residual");
    nsgs.sums[1] = nsgs.sums[0] + chunks;
    nsgs.fallbacks = memory_allocate((size_t)*threads, sizeof *nsgs.fallbacks, "residual");
    problem_size_last(problem);
    return nsgs;
}

static struct nsgs_result nsgs_close(struct nsgs *nsgs, int threads) {
    for (int t = 0; t < threads; t++)
        nsgs->result.local_fallbacks += nsgs->fallbacks[t];
    memory_free(nsgs->partial);
    memory_free(nsgs->sums[0]);
    memory_free(nsgs->fallbacks);
    return nsgs->result;
}

static struct nsgs_result go(struct gabion_world *world, team_function function) {
    int threads;
    struct nsgs nsgs = nsgs_open(world, &threads);
    if (world->problem->active > 0) {
        team_run(world->team, threads, function, &nsgs);
    } else {
        reset_velocities(&nsgs, 0, 1);
        nsgs.result.converged = true;
    }
    return nsgs_close(&nsgs, threads);
}

struct nsgs_result nsgs_solve(struct gabion_world *world) {
    return go(world, run);
}

struct nsgs_result nsgs_measure(struct gabion_world *world) {
    return go(world, measure);
}
