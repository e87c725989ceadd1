// The alternating direction method of multipliers (Boyd, Parikh, Chu, Peleato, Eckstein 2011;
// Tasora, Mangoni, Benatti, Garziera 2021 for contact problems). The impulses are split in two:
// t obeys the friction cones contact by contact, x obeys u = W x + q for all contacts together, and
// a penalty f pulls both towards each other. The first half is a projection, the second a linear
// system with the matrix I + f W, which stays the same and is factorised once. The projection is
// that of Alart and Curnier (1991), whose fixed points obey Coulomb's law without De Saxce's term.
//
// The method finds which contacts of a structure stick within some tens of iterations, each much
// cheaper than a factorisation, and that is most of the work of a cold start. Where contacts keep
// changing between sticking and sliding it converges slowly.
#include "engine/solvers/newton/admm.h"

#include <string.h>

#include "engine/solvers/local/cone.h"
#include "engine/solvers/methods.h"
#include "engine/solvers/sweep/rate.h"
#include "parallel/memory.h"

// Penalty in units of each contact's 1/|W|. A large one makes W the smaller part of I + f W near
// nothing but the diagonal: hundreds and more spread a load through a structure in one iteration.
#define PENALTY    1e3
#define RELAXATION 1.6 // over-relaxation of x (Eckstein, Bertsekas 1992)
#define CHECK      4   // iterations between checks, each of which costs about as much as one

struct admm {
    const struct contact_problem *problem;
    size_t size;
    double *f;     // penalty; 0 along the directions that a point of a joint leaves free
    double *p;     // what is projected
    double *t;     // impulses inside the cones
    double *z;     // velocities that go with t
    double *w, *x; // right-hand side, and impulses that obey u = W x + q
    mat3 *D;       // f as blocks
};

static struct admm admm_open(const struct contact_problem *problem) {
    struct admm admm = {.problem = problem, .size = contact_problem_size(problem)};
    double **vectors[] = {&admm.f, &admm.p, &admm.t, &admm.z, &admm.w, &admm.x};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = memory_allocate(admm.size, sizeof(double), "admm");
    admm.D = memory_allocate((size_t)problem->contacts, sizeof *admm.D, "admm");
    return admm;
}

static void admm_close(struct admm *admm) {
    void *arrays[] = {admm->f, admm->p, admm->t, admm->z, admm->w, admm->x, admm->D};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

static void set_penalties(struct admm *admm) {
    const struct contact_problem *problem = admm->problem;
    for (int32_t a = 0; a < problem->contacts; a++) {
        uint8_t held = contact_held(problem, a);
        double f = PENALTY * (problem->rho[a] > 0 ? problem->rho[a] : 1);
        vec3 d = vec3_make(f, f, f);
        if (held)
            d = hold_keep(held, d);
        contact_set(admm->f, a, d);
        admm->D[a] = (mat3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
    }
}

static void start(struct admm *admm, const double *r) {
    contact_problem_velocity(admm->problem, r, admm->z);
    for (size_t i = 0; i < admm->size; i++)
        admm->p[i] = r[i] - admm->f[i] * admm->z[i];
}

// Finds t and z from p, contact by contact.
static void project(struct admm *admm) {
    for (int32_t a = 0; a < admm->problem->contacts; a++)
        contact_set(admm->t, a, cone_admit(admm->problem, a, contact_get(admm->p, a)));
    for (size_t i = 0; i < admm->size; i++)
        admm->z[i] = admm->f[i] > 0 ? (admm->t[i] - admm->p[i]) / admm->f[i] : 0;
}

// Finds x, then the next p from its velocities u = z + (t - x) / f.
static void couple(struct admm *admm, const struct resolvent *resolvent) {
    const double *q = admm->problem->q;
    for (size_t i = 0; i < admm->size; i++)
        admm->w[i] = admm->t[i] + admm->f[i] * (admm->z[i] - q[i]);
    resolvent_solve(resolvent, admm->w, admm->x);
    for (size_t i = 0; i < admm->size; i++) {
        double f = admm->f[i], u = f > 0 ? (admm->w[i] - admm->x[i]) / f + q[i] : 0;
        admm->p[i] = admm->t[i] - f * (RELAXATION * u + (1 - RELAXATION) * admm->z[i]);
    }
}

// Returns whether another method takes less for the digits that are missing. Walls take up to
// twenty iterations before their residual begins to fall.
static bool too_slow(struct rate *rate, const struct monitor *monitor, int used,
                     struct admm_worth worth) {
    double tolerance = monitor->settings->tolerance;
    double left = rate_left(rate, used, monitor->last, tolerance);
    return used >= worth.trial && left > RATE_LEFT * worth.digit * log10(monitor->last / tolerance);
}

int admm_run(struct monitor *monitor, struct resolvent *resolvent, int budget,
             struct admm_worth worth, double *r) {
    struct admm admm = admm_open(monitor->problem);
    struct rate rate = rate_open(monitor->best_measure);
    int used = 0;
    set_penalties(&admm);
    start(&admm, r);
    if (budget > 0 && resolvent_factorise(resolvent, admm.D)) {
        for (bool done = false; !done && used < budget;) {
            if (used > 0)
                couple(&admm, resolvent);
            project(&admm);
            used++;
            if (used % CHECK > 0 && used < budget)
                continue;
            done = monitor_check(monitor, used, admm.t) || too_slow(&rate, monitor, used, worth);
        }
        memcpy(r, admm.t, admm.size * sizeof *r);
    }
    admm_close(&admm);
    return used;
}

void solver_admm(struct monitor *monitor, double *r) {
    struct resolvent *resolvent = resolvent_create(monitor->problem);
    admm_run(monitor, resolvent, monitor->settings->max_iterations, ADMM_PATIENT, r);
    resolvent_free(resolvent);
}
