#include "engine/solvers/sweep/row_sweep.h"

#include <string.h>

#include "parallel/colour.h"
#include "parallel/memory.h"
#include "parallel/team.h"
#include "parallel/wide.h"

// Below this many contacts per thread a barrier costs more than the help it brings.
#define CONTACTS_PER_THREAD 1000

static int team_threads(const struct contact_problem *problem) {
    return problem->team ? team_size(problem->team) : 1;
}

static void prepare(struct row_sweep *rows) {
    const struct contact_problem *problem = rows->state.problem;
    for (int32_t a = 0; a < problem->contacts; a++) {
        struct local_contact *contact = &rows->contacts[a];
        mat3 W = problem->diagonal[a];
        double k = contact->k, mean = (W.row[0].x + W.row[1].y + W.row[2].z) / 3;
        contact->compliance = rows->alpha * mean;
        W.row[0].x += contact->compliance;
        W.row[1].y += contact->compliance;
        W.row[2].z += contact->compliance;
        local_prepare(&W, problem->mu[a], contact_held(problem, a), contact);
        contact->k = k;
    }
}

static void choose_locals(struct row_sweep *rows, enum gabion_local asked) {
    const struct contact_problem *problem = rows->state.problem;
    rows->exact = asked == GABION_LOCAL_EXACT && rows->relaxation == 1;
    for (int32_t a = 0; a < problem->contacts; a++) {
        bool diagonal = local_is_diagonal(&problem->diagonal[a]);
        rows->contacts[a].local = (uint8_t)local_choose(asked, diagonal);
        rows->substitutions += !contact_held(problem, a) && local_substitutes(asked, diagonal);
    }
}

// Colours -------------------------------------------------------------------------------------

// Problems with fewer rows are swept by one thread, without colours.
#define COLOURED_CONTACTS 4000

static size_t list_runs(const struct contact_bodies *bodies, int32_t contacts,
                        struct row_run *run) {
    size_t runs = 0;
    for (int32_t k = 0; k < contacts; k++) {
        const struct contact_row *row = &bodies->rows[k];
        if (k == 0 || row->c != row[-1].c || row->a != row[-1].a)
            run[runs++] = (struct row_run){k, k};
        run[runs - 1].end = k + 1;
    }
    return runs;
}

static void sort_runs(struct row_sweep *rows, size_t runs, const uint8_t *colour) {
    size_t *start = memory_allocate((size_t)rows->colours + 1, sizeof *start, "sweeps");
    struct row_run *sorted = memory_allocate(runs, sizeof *sorted, "sweeps");
    size_t place = 0;
    for (int c = 0; c < rows->colours; c++) {
        start[c] = place;
        for (size_t k = 0; k < runs; k++)
            if (colour[k] == c)
                sorted[place++] = rows->run[k];
    }
    start[rows->colours] = place;
    memory_free(rows->run);
    rows->run = sorted;
    rows->colour_start = start;
}

static void colour_runs(struct row_sweep *rows) {
    const struct contact_problem *problem = rows->state.problem;
    const struct contact_bodies *bodies = &problem->bodies;
    rows->run = memory_allocate((size_t)problem->contacts, sizeof *rows->run, "sweeps");
    size_t runs = list_runs(bodies, problem->contacts, rows->run);
    int32_t fixed = bodies->count;
    int32_t *pair = memory_allocate(2 * runs, sizeof *pair, "sweeps");
    struct colour_room room = {
        memory_allocate(runs, sizeof *room.order, "sweeps"),
        memory_allocate((size_t)fixed + 1, sizeof *room.mask, "sweeps"),
        memory_allocate((size_t)fixed + 1, sizeof *room.owner, "sweeps"),
    };
    uint8_t *colour = memory_allocate(2 * runs, sizeof *colour, "sweeps"), *turn = colour + runs;
    for (size_t k = 0; k < runs; k++) {
        const struct contact_row *row = &bodies->rows[rows->run[k].begin];
        pair[k] = row->c >= 0 ? row->c : fixed;
        pair[runs + k] = row->a >= 0 ? row->a : fixed;
        turn[k] = colour_turn(pair[k], pair[runs + k], 0);
    }
    struct colour_graph graph = {pair,  pair + runs, turn, runs, (size_t)fixed + 1,
                                 fixed, fixed + 1};
    rows->colours = colour_pairs(problem->team, &graph, &room, colour);
    if (rows->colours > 0)
        sort_runs(rows, runs, colour);
    else
        rows->colours = 0; // a body with too many contacts: sweeps go one by one
    memory_free(pair);
    memory_free(room.order);
    memory_free(room.mask);
    memory_free(room.owner);
    memory_free(colour);
}

// Opening -------------------------------------------------------------------------------------

struct row_sweep row_sweep_open(const struct contact_problem *problem,
                                const struct solver_settings *settings, double *r) {
    struct row_sweep rows = {.state = contact_state_open(problem, r),
                             .cone = settings->cone,
                             .relaxation = settings->relaxation};
    size_t contacts = (size_t)problem->contacts, threads = (size_t)team_threads(problem);
    rows.contacts = memory_allocate(contacts, sizeof *rows.contacts, "sweeps");
    rows.fallbacks = memory_allocate(threads, sizeof *rows.fallbacks, "sweeps");
    prepare(&rows);
    choose_locals(&rows, settings->local);
    if (problem->face == FACE_BODIES && problem->contacts >= COLOURED_CONTACTS)
        colour_runs(&rows);
    return rows;
}

int64_t row_sweep_close(struct row_sweep *rows) {
    int64_t fallbacks = 0;
    for (int t = 0; t < team_threads(rows->state.problem); t++)
        fallbacks += rows->fallbacks[t];
    contact_state_close(&rows->state);
    void *arrays[] = {rows->contacts,     rows->fallbacks, rows->run,
                      rows->colour_start, rows->before,    rows->last};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    return fallbacks;
}

void row_sweep_regularise(struct row_sweep *rows, double alpha, const double *reference) {
    bool changed = alpha != rows->alpha;
    rows->alpha = alpha;
    rows->reference = reference;
    if (changed)
        prepare(rows);
}

static vec3 regularised(const struct row_sweep *rows, int32_t a, vec3 r, vec3 u) {
    vec3 away = vec3_sub(r, contact_get(rows->reference, a));
    return vec3_add_scaled(u, rows->contacts[a].compliance, away);
}

// Sweeps over a stored matrix with the exact solver and without relaxation, which is nearly every
// sweep over a matrix. Local variables hold what the loop uses, because for the compiler a store to
// r might change anything else.
WIDE static int64_t sweep_matrix(struct row_sweep *rows, int32_t begin, int32_t end) {
    const struct contact_matrix matrix = rows->state.problem->matrix;
    const double *q = rows->state.problem->q;
    struct local_contact *contacts = rows->contacts;
    double *r = rows->state.r;
    bool plain = !(rows->alpha > 0);
    int64_t fallbacks = 0;
    for (int32_t a = begin; a < end; a++) {
        vec3 next = contact_get(r, a);
        vec3 u = vec3_add(contact_matrix_row(&matrix, a, r), contact_get(q, a));
        if (!plain)
            u = regularised(rows, a, next, u);
        fallbacks += !local_exact(&contacts[a], u, &next);
        contact_set(r, a, next);
    }
    return fallbacks;
}

static void solve_row(struct row_sweep *rows, int32_t a, vec3 u, vec3 *next, int64_t *fallbacks) {
    struct local_contact *contact = &rows->contacts[a];
    if (contact->held) {
        vec3 change = sym3_apply(contact->inverse, u);
        *next = vec3_add_scaled(*next, -rows->relaxation, change);
        return;
    }
    if (contact->local == GABION_LOCAL_EXACT && rows->relaxation == 1) {
        *fallbacks += !local_exact(contact, u, next);
        return;
    }
    struct local_call call = {.W = &contact->exact.W,
                              .inverse = &contact->inverse,
                              .exact = &contact->exact,
                              .mu = contact->mu,
                              .cone = &rows->cone,
                              .relaxation = rows->relaxation};
    *fallbacks += !local_solve((enum gabion_local)contact->local, &call, u, next, &contact->k);
}

// Sweeps in all other cases.
static int64_t sweep_any(struct row_sweep *rows, int32_t begin, int32_t end) {
    int64_t fallbacks = 0;
    for (int32_t a = begin; a < end; a++) {
        vec3 next = contact_get(rows->state.r, a);
        vec3 u = contact_state_velocity(&rows->state, a);
        if (rows->alpha > 0)
            u = regularised(rows, a, next, u);
        solve_row(rows, a, u, &next, &fallbacks);
        contact_state_set(&rows->state, a, next);
    }
    return fallbacks;
}

static int64_t sweep_range(struct row_sweep *rows, int32_t begin, int32_t end) {
    if (rows->exact && rows->state.problem->face == FACE_MATRIX)
        return sweep_matrix(rows, begin, end);
    return sweep_any(rows, begin, end);
}

// Contacts of one colour share no moving body: any share of them gives the same bits.
static void sweep_colours(void *context, int thread, int threads) {
    struct row_sweep *rows = context;
    const struct contact_problem *problem = rows->state.problem;
    int64_t fallbacks = 0;
    for (int colour = 0; colour < rows->colours; colour++) {
        size_t from, to;
        team_share(rows->colour_start[colour], rows->colour_start[colour + 1], thread, threads,
                   &from, &to);
        for (size_t k = from; k < to; k++)
            fallbacks += sweep_range(rows, rows->run[k].begin, rows->run[k].end);
        if (threads > 1)
            team_barrier(problem->team, thread, threads);
    }
    rows->fallbacks[thread] += fallbacks;
}

void row_sweep_once(struct row_sweep *rows) {
    const struct contact_problem *problem = rows->state.problem;
    if (rows->colours == 0) {
        rows->fallbacks[0] += sweep_range(rows, 0, problem->contacts);
        return;
    }
    int threads = team_threads(problem);
    if (threads > 1) {
        threads = team_worth(problem->team, (size_t)problem->contacts, CONTACTS_PER_THREAD);
        team_run(problem->team, threads, sweep_colours, rows);
    } else {
        sweep_colours(rows, 0, 1);
    }
}

void row_sweep_refresh(struct row_sweep *rows) { contact_state_refresh(&rows->state); }

// Sweeps of nsgs ------------------------------------------------------------------------------

void row_start(void *context, int thread, int threads) {
    (void)thread, (void)threads;
    struct row_sweep *rows = context;
    size_t size = contact_problem_size(rows->state.problem);
    rows->before = memory_allocate(size, sizeof *rows->before, "sweeps");
    rows->last = memory_allocate(size, sizeof *rows->last, "sweeps");
    memcpy(rows->last, rows->state.r, size * sizeof *rows->last);
    rows->total = residual_of_rows(rows->state.problem, rows->state.r);
}

// The sums that the packed sweeps form contact by contact (sphere_sweep.h).
static void add_change(struct row_sweep *rows, int32_t a) {
    double rho = rows->state.problem->rho[a], w = rho > 0 ? 1 / rho : 0;
    vec3 next = contact_get(rows->state.r, a);
    vec3 d = vec3_sub(next, contact_get(rows->before, a));
    vec3 progress = vec3_sub(next, contact_get(rows->last, a));
    double change2 = vec3_dot(d, d);
    tally_add(&rows->change, -w * vec3_dot(d, progress), w * change2, w * w * change2);
}

void row_sweep(void *context, int sweep, double beta, int thread, int threads) {
    (void)sweep, (void)beta, (void)thread, (void)threads;
    struct row_sweep *rows = context;
    const struct contact_problem *problem = rows->state.problem;
    memcpy(rows->before, rows->state.r, contact_problem_size(problem) * sizeof *rows->before);
    row_sweep_once(rows);
    rows->change = (struct sweep_tally){0};
    for (int32_t a = 0; a < problem->contacts; a++)
        add_change(rows, a);
}

struct sweep_sums row_change(const void *context, int sweep) {
    (void)sweep;
    return tally_close(((const struct row_sweep *)context)->change);
}

// r + beta (r - last); `last` becomes r.
void row_extrapolate(void *context, double beta, int thread, int threads) {
    (void)thread, (void)threads;
    struct row_sweep *rows = context;
    double *r = rows->state.r;
    for (size_t i = 0; i < contact_problem_size(rows->state.problem); i++) {
        double progress = r[i] - rows->last[i];
        rows->last[i] = r[i];
        r[i] += beta * progress;
    }
    row_sweep_refresh(rows); // rounding of many sweeps must not hide in the velocities
}

void row_check(void *context, int thread, int threads) {
    (void)thread, (void)threads;
    struct row_sweep *rows = context;
    rows->total = residual_of_rows(rows->state.problem, rows->state.r);
}
