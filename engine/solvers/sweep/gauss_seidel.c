#include "engine/solvers/sweep/gauss_seidel.h"

#include "engine/solvers/local/cone.h"
#include "parallel/memory.h"
#include "parallel/team.h"
#include "parallel/wide.h"

// Below this many contacts per thread a barrier costs more than the help it brings.
#define CONTACTS_PER_THREAD 1000

static int team_threads(const struct friction_problem *problem) {
    return problem->team ? team_size(problem->team) : 1;
}

static void prepare(struct gauss_seidel *sweeps) {
    const struct friction_problem *problem = sweeps->state.problem;
    for (int32_t a = 0; a < problem->contacts; a++) {
        struct local_contact *contact = &sweeps->contacts[a];
        mat3 W = problem->diagonal[a];
        double k = contact->k, mean = (W.row[0].x + W.row[1].y + W.row[2].z) / 3;
        contact->compliance = sweeps->alpha * mean;
        W.row[0].x += contact->compliance;
        W.row[1].y += contact->compliance;
        W.row[2].z += contact->compliance;
        local_prepare(&W, problem->mu[a], friction_held(problem, a), contact);
        contact->k = k;
    }
}

struct gauss_seidel gauss_seidel_open(const struct friction_problem *problem,
                                      const struct solver_settings *settings, double *r) {
    struct gauss_seidel sweeps = {.state = friction_state_open(problem, r),
                                  .local = settings->local,
                                  .cone = settings->cone,
                                  .relaxation = settings->relaxation};
    size_t contacts = (size_t)problem->contacts, threads = (size_t)team_threads(problem);
    sweeps.contacts = memory_allocate(contacts, sizeof *sweeps.contacts, "sweeps");
    sweeps.fallbacks = memory_allocate(threads, sizeof *sweeps.fallbacks, "sweeps");
    prepare(&sweeps);
    return sweeps;
}

void gauss_seidel_close(struct gauss_seidel *sweeps) {
    friction_state_close(&sweeps->state);
    memory_free(sweeps->contacts);
    memory_free(sweeps->fallbacks);
}

void gauss_seidel_regularise(struct gauss_seidel *sweeps, double alpha, const double *reference) {
    bool changed = alpha != sweeps->alpha;
    sweeps->alpha = alpha;
    sweeps->reference = reference;
    if (changed)
        prepare(sweeps);
}

static vec3 regularised(const struct gauss_seidel *sweeps, int32_t a, vec3 r, vec3 u) {
    vec3 away = vec3_sub(r, friction_get(sweeps->reference, a));
    return vec3_add_scaled(u, sweeps->contacts[a].compliance, away);
}

// By the exact solver without relaxation on the matrix: nearly every sweep there is. What the loop
// uses is held in local variables: as far as the compiler knows, a store to r may change the rest.
WIDE static int64_t sweep_matrix(struct gauss_seidel *sweeps, int32_t begin, int32_t end) {
    const struct friction_matrix matrix = sweeps->state.problem->matrix;
    const double *q = sweeps->state.problem->q;
    struct local_contact *contacts = sweeps->contacts;
    double *r = sweeps->state.r;
    bool plain = !(sweeps->alpha > 0);
    int64_t fallbacks = 0;
    for (int32_t a = begin; a < end; a++) {
        vec3 next = friction_get(r, a);
        vec3 u = vec3_add(friction_matrix_row(&matrix, a, r), friction_get(q, a));
        if (!plain)
            u = regularised(sweeps, a, next, u);
        fallbacks += !local_exact(&contacts[a], u, &next);
        friction_set(r, a, next);
    }
    return fallbacks;
}

// Everything else.
static int64_t sweep_any(struct gauss_seidel *sweeps, int32_t begin, int32_t end) {
    double omega = sweeps->relaxation;
    int64_t fallbacks = 0;
    for (int32_t a = begin; a < end; a++) {
        struct local_contact *contact = &sweeps->contacts[a];
        vec3 r = friction_get(sweeps->state.r, a), next = r;
        vec3 u = friction_state_velocity(&sweeps->state, a);
        if (sweeps->alpha > 0)
            u = regularised(sweeps, a, r, u);
        fallbacks += !local_solve(sweeps->local, &sweeps->cone, contact, u, &next);
        if (omega != 1)
            next = vec3_add_scaled(r, omega, vec3_sub(next, r));
        if (omega != 1 && !contact->held) // must not leave the cone
            next = cone_clamp(next, contact->mu);
        friction_state_set(&sweeps->state, a, next);
    }
    return fallbacks;
}

static int64_t sweep_range(struct gauss_seidel *sweeps, int32_t begin, int32_t end) {
    bool exact = sweeps->local == GABION_LOCAL_AUTO || sweeps->local == GABION_LOCAL_EXACT;
    if (exact && sweeps->relaxation == 1 && sweeps->state.problem->face == FACE_MATRIX)
        return sweep_matrix(sweeps, begin, end);
    return sweep_any(sweeps, begin, end);
}

// Contacts of one colour share no moving body: any share of them gives the same bits.
static void sweep_colours(void *context, int thread, int threads) {
    struct gauss_seidel *sweeps = context;
    const struct friction_problem *problem = sweeps->state.problem;
    int64_t fallbacks = 0;
    for (int colour = 0; colour < problem->colours; colour++) {
        size_t from, to;
        team_share(problem->colour_start[colour], problem->colour_start[colour + 1], thread,
                   threads, &from, &to);
        for (size_t k = from; k < to; k++)
            fallbacks += sweep_range(sweeps, problem->run[k].begin, problem->run[k].end);
        if (threads > 1)
            team_barrier(problem->team, thread, threads);
    }
    sweeps->fallbacks[thread] += fallbacks;
}

void gauss_seidel_sweep(struct gauss_seidel *sweeps) {
    const struct friction_problem *problem = sweeps->state.problem;
    if (problem->colours == 0) {
        sweeps->fallbacks[0] += sweep_range(sweeps, 0, problem->contacts);
        return;
    }
    int threads = team_threads(problem);
    if (threads > 1) {
        threads = team_worth(problem->team, (size_t)problem->contacts, CONTACTS_PER_THREAD);
        team_run(problem->team, threads, sweep_colours, sweeps);
    } else {
        sweep_colours(sweeps, 0, 1);
    }
}

void gauss_seidel_refresh(struct gauss_seidel *sweeps) { friction_state_refresh(&sweeps->state); }

int64_t gauss_seidel_fallbacks(const struct gauss_seidel *sweeps) {
    int64_t total = 0;
    for (int t = 0; t < team_threads(sweeps->state.problem); t++)
        total += sweeps->fallbacks[t];
    return total;
}
