#include "engine/solvers/nsgs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/residual.h"
#include "engine/solvers/exact.h"
#include "engine/solvers/sphere_sweep.h"
#include "parallel/memory.h"

// Below this many contacts per thread a barrier costs more than the help it brings.
#define CONTACTS_PER_THREAD 1000

// What each thread found, on a cache line of its own.
struct thread_tally {
    double change2[2]; // largest squared change of the sweep, by parity: the last is still read
    int64_t fallbacks; // while the next is written
    char padding[CACHE_LINE - 3 * sizeof(double)];
};

struct nsgs {
    struct problem *problem;
    const struct gabion_settings *settings;
    struct team *team;
    int32_t moving;
    sphere_sweep_function sphere_sweep;
    struct residual_sums *partial; // one per chunk
    struct residual_sums total;
    double floor;
    struct thread_tally *tally;
    bool done;
    struct nsgs_result result;
};

// A thread's part of [begin, end).
static void share(uint32_t begin, uint32_t end, int thread, int threads, uint32_t *from,
                  uint32_t *to) {
    uint64_t count = end - begin;
    *from = begin + (uint32_t)(count * (uint64_t)thread / (uint64_t)threads);
    *to = begin + (uint32_t)(count * (uint64_t)(thread + 1) / (uint64_t)threads);
}

// Velocities ----------------------------------------------------------------------------------

static void set_free(struct solver_body *body, vec3 v, vec3 s) {
    body->v[0] = v.x;
    body->v[1] = v.y;
    body->v[2] = v.z;
    body->s[0] = s.x;
    body->s[1] = s.y;
    body->s[2] = s.z;
}

static void reset_velocities(struct nsgs *nsgs, int thread, int threads) {
    struct problem *problem = nsgs->problem;
    uint32_t from, to;
    share(0, (uint32_t)problem->body_count, thread, threads, &from, &to);
    for (uint32_t i = from; i < to; i++)
        set_free(&problem->bodies[i], problem->v_free[i], problem->s_free[i]);
    share(0, (uint32_t)problem->split_count, thread, threads, &from, &to);
    for (uint32_t k = from; k < to; k++) {
        const struct split_body *split = &problem->splits[k];
        for (int32_t j = 0; j < split->copies - 1; j++)
            set_free(&problem->bodies[split->first_copy + j], problem->v_free[split->body],
                     problem->s_free[split->body]);
    }
    team_barrier(nsgs->team, thread, threads);
}

// The copies of a split body meet at the mean of their velocities, which is what the sum of their
// impulses gives the whole body.
static void join_copies(struct nsgs *nsgs, int thread, int threads) {
    struct problem *problem = nsgs->problem;
    uint32_t from, to;
    if (problem->split_count == 0)
        return;
    share(0, (uint32_t)problem->split_count, thread, threads, &from, &to);
    for (uint32_t k = from; k < to; k++) {
        const struct split_body *split = &problem->splits[k];
        struct solver_body *body = &problem->bodies[split->body];
        vec3 v = solver_v(body), s = solver_s(body);
        for (int32_t j = 0; j < split->copies - 1; j++) {
            v = vec3_add(v, solver_v(&problem->bodies[split->first_copy + j]));
            s = vec3_add(s, solver_s(&problem->bodies[split->first_copy + j]));
        }
        v = vec3_scale(1.0 / split->copies, v);
        s = vec3_scale(1.0 / split->copies, s);
        set_free(body, v, s);
        for (int32_t j = 0; j < split->copies - 1; j++)
            set_free(&problem->bodies[split->first_copy + j], v, s);
    }
    team_barrier(nsgs->team, thread, threads);
}

// Body i gains the impulse p at `arm` (in units of its radius).
static void push_tensor(struct problem *problem, int32_t i, vec3 arm, vec3 p) {
    const struct solver_tensor *tensor = &problem->tensors[i];
    struct solver_body *body = &problem->bodies[i];
    vec3 turn = sym3_apply(tensor->k, vec3_cross(arm, p));
    set_free(body, vec3_add(solver_v(body), vec3_times(tensor->inv_m, p)),
             vec3_add(solver_s(body), turn));
}

static void push_sphere(struct solver_body *body, vec3 p, vec3 turn) {
    set_free(body, vec3_add_scaled(solver_v(body), body->inv_m, p),
             vec3_add_scaled(solver_s(body), -body->k, turn));
}

static void push_general(struct nsgs *nsgs, const struct general_contact *contact, vec3 p) {
    push_tensor(nsgs->problem, contact->c, contact->arm_c, p);
    if (contact->a < nsgs->moving || contact->a >= nsgs->problem->body_count)
        push_tensor(nsgs->problem, contact->a, contact->arm_a, vec3_negate(p));
}

static void apply_impulses(struct nsgs *nsgs, const struct batch *batch, uint32_t from,
                           uint32_t to) {
    struct problem *problem = nsgs->problem;
    for (uint32_t k = from; k < to; k++) {
        if (batch->kind == BATCH_GENERAL) {
            const struct general_contact *contact = &problem->general[k];
            push_general(nsgs, contact, general_impulse(contact, contact->r));
            continue;
        }
        const struct sphere_group *group = &problem->groups[k];
        uint32_t used = k + 1 == batch->end ? batch->lanes : LANES;
        for (uint32_t lane = 0; lane < used; lane++) {
            vec3 n = {group->nx[lane], group->ny[lane], group->nz[lane]};
            vec3 p = {group->px[lane], group->py[lane], group->pz[lane]};
            vec3 turn = vec3_cross(n, p);
            push_sphere(&problem->bodies[group->c[lane]], p, turn);
            if (batch->kind == BATCH_SPHERE_PAIR)
                push_sphere(&problem->bodies[group->a[lane]], vec3_negate(p), turn);
        }
    }
}

// Sweeps --------------------------------------------------------------------------------------

static double solve_general(struct nsgs *nsgs, struct general_contact *contact, double mu,
                            int64_t *fallbacks) {
    double omega = nsgs->settings->relaxation;
    vec3 r = contact->r;
    vec3 u = vec3_add(general_velocity(nsgs->problem, contact), contact->b);
    vec3 b = vec3_sub(u, mat3_apply(contact->W, r));
    vec3 next = r;
    *fallbacks += !exact_solve(&contact->W, b, mu, &next, &contact->k);
    vec3 d = vec3_scale(omega, vec3_sub(next, r));
    contact->r = vec3_add(r, d);
    push_general(nsgs, contact, general_impulse(contact, d));
    return contact->rho > 0 ? vec3_dot(d, d) / (contact->rho * contact->rho) : 0;
}

// Returns the square of the largest change, as a velocity.
static double sweep_batch(struct nsgs *nsgs, const struct batch *batch, uint32_t from, uint32_t to,
                          int64_t *fallbacks) {
    struct problem *problem = nsgs->problem;
    double change2 = 0;
    if (batch->kind != BATCH_GENERAL)
        return nsgs->sphere_sweep(problem->bodies, problem->groups, batch, from, to,
                                  nsgs->settings->relaxation);
    for (uint32_t k = from; k < to; k++)
        change2 = fmax(change2, solve_general(nsgs, &problem->general[k], batch->mu, fallbacks));
    return change2;
}

// Visits the thread's part of every batch, colour by colour: sweeping when sweep > 0, else adding
// the impulses to the velocities.
static void visit_colours(struct nsgs *nsgs, int sweep, int thread, int threads) {
    const struct problem *problem = nsgs->problem;
    struct thread_tally *tally = &nsgs->tally[thread];
    double change2 = 0;
    for (int colour = 0; colour < problem->colours; colour++) {
        for (uint32_t k = problem->colour_start[colour]; k < problem->colour_start[colour + 1];
             k++) {
            const struct batch *batch = &problem->batches[k];
            uint32_t from, to;
            share(batch->begin, batch->end, thread, threads, &from, &to);
            if (sweep > 0)
                change2 = fmax(change2, sweep_batch(nsgs, batch, from, to, &tally->fallbacks));
            else
                apply_impulses(nsgs, batch, from, to);
        }
        if (colour + 1 == problem->colours)
            tally->change2[sweep & 1] = change2;
        team_barrier(nsgs->team, thread, threads);
    }
    join_copies(nsgs, thread, threads);
}

// Largest velocity change of any contact in the sweep; the same number on every thread.
static double sweep_change(const struct nsgs *nsgs, int sweep, int threads) {
    double change2 = 0;
    for (int t = 0; t < threads; t++)
        change2 = fmax(change2, nsgs->tally[t].change2[sweep & 1]);
    return sqrt(change2);
}

// Residual ------------------------------------------------------------------------------------

static void add_chunks(struct nsgs *nsgs, bool free, int thread, int threads) {
    const struct problem *problem = nsgs->problem;
    uint32_t from, to;
    share(0, (uint32_t)problem->chunk_count, thread, threads, &from, &to);
    for (uint32_t k = from; k < to; k++) {
        if (free) {
            nsgs->partial[k] = (struct residual_sums){0};
            residual_add_free(problem, &problem->chunks[k], &nsgs->partial[k]);
        } else {
            struct residual_sums *partial = &nsgs->partial[k];
            partial->scaled2 = partial->unscaled2 = partial->r2 = partial->u2 = 0;
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
    }
    nsgs->total = total;
}

static void judge(struct nsgs *nsgs, int sweeps) {
    const struct gabion_settings *settings = nsgs->settings;
    struct nsgs_result *result = &nsgs->result;
    sum_chunks(nsgs);
    result->sweeps = sweeps;
    result->residual = residual_scaled(&nsgs->total, nsgs->floor);
    result->residual_fclib = residual_fclib(&nsgs->total);
    double measure =
        settings->measure == GABION_MEASURE_SCALED ? result->residual : result->residual_fclib;
    result->converged = measure <= settings->tolerance;
    nsgs->done = result->converged || sweeps >= settings->max_sweeps;
}

// The judged velocities are built anew from the impulses, so that rounding of many sweeps cannot
// hide in them; they are also what the step goes on with.
static void check(struct nsgs *nsgs, int sweeps, int thread, int threads) {
    reset_velocities(nsgs, thread, threads);
    visit_colours(nsgs, 0, thread, threads);
    add_chunks(nsgs, false, thread, threads);
    if (thread == 0)
        judge(nsgs, sweeps);
    team_barrier(nsgs->team, thread, threads);
}

// The residual is a norm over all contacts: while a single one still changes by more than the whole
// may, a check would be wasted. The FCLIB measure has other units and is checked without this hint.
static bool worth_checking(const struct nsgs *nsgs, int sweep, int threads) {
    const struct gabion_settings *settings = nsgs->settings;
    double scale = fmax(sqrt(nsgs->total.closing2), nsgs->floor);
    return settings->measure != GABION_MEASURE_SCALED ||
           sweep_change(nsgs, sweep, threads) <= settings->tolerance * scale;
}

static void run(void *context, int thread, int threads) {
    struct nsgs *nsgs = context;
    int cap = nsgs->settings->max_sweeps, next_check = 1;
    reset_velocities(nsgs, thread, threads);
    add_chunks(nsgs, true, thread, threads);
    if (thread == 0)
        sum_chunks(nsgs);
    visit_colours(nsgs, 0, thread, threads);
    for (int sweep = 1;; sweep++) {
        visit_colours(nsgs, sweep, thread, threads);
        if (sweep < cap && (sweep < next_check || !worth_checking(nsgs, sweep, threads)))
            continue;
        check(nsgs, sweep, thread, threads);
        if (nsgs->done)
            return;
        // A check costs more than a sweep: their distance grows with the work done.
        next_check = sweep + 1 + sweep / 8;
    }
}

struct nsgs_result nsgs_solve(struct gabion_world *world) {
    struct problem *problem = world->problem;
    struct nsgs nsgs = {
        .problem = problem,
        .settings = &world->settings,
        .team = world->team,
        .moving = world->bodies.moving,
        .sphere_sweep = sphere_sweep_choose(NULL),
        .floor = world->settings.step * vec3_length(world->settings.gravity),
    };
    int threads = team_worth(world->team, problem->active, CONTACTS_PER_THREAD);
    nsgs.partial = memory_allocate(problem->chunk_count, sizeof *nsgs.partial, "residual");
    nsgs.tally = memory_allocate((size_t)threads, sizeof *nsgs.tally, "residual");
    if (problem->active > 0) {
        team_run(world->team, threads, run, &nsgs);
    } else {
        reset_velocities(&nsgs, 0, 1);
        nsgs.result.converged = true;
    }
    for (int t = 0; t < threads; t++)
        nsgs.result.local_fallbacks += nsgs.tally[t].fallbacks;
    memory_free(nsgs.partial);
    memory_free(nsgs.tally);
    return nsgs.result;
}
