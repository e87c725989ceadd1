// The active set of Galizzi and Faure ("Animation efficace de solides en contact par modele
// physique", AFIG 2002, sections 4 and 8) at the level of velocities: u = 0 at the contacts of the
// active set, solved by biconjugate gradients from the impulses at hand; contacts that would pull
// leave the set, contacts that close join it, and the solver starts anew.
//
// The paper's contacts slide freely (mu = 0: one row) or stick (mu infinite: three rows). In
// between a contact that left the cone slides: one row, u_n = 0, with r_t held on the edge of the
// cone that the last solution had, where r_t - rho u_t points. The edge and the direction follow
// the solution from system to system, a fixed point that contracts while friction is moderate.
//
// The paper looks at the set after every iteration. Impulses on their way change signs for nothing,
// so here a set has some iterations of patience, and more whenever the number of contacts in the
// wrong place did not fall. If that does not help they change place one at a time, which ends for
// every positive definite frictionless problem (Murty 1974; Judice and Pires 1994).
#include "engine/solvers/krylov/biconjugate.h"

#include <string.h>

#include "engine/solvers/local/cone.h"
#include "engine/solvers/methods.h"
#include "parallel/memory.h"

#define PATIENCE 10   // iterations of the first sets
#define TRIES    10   // without fewer contacts in the wrong place, before one at a time
#define INNER    1e-3 // of the tolerance: what the linear systems are solved to

#define FALLS 3 // out of sticking, after which a contact's r_t moves by gradient steps alone

enum place { OPEN, SLIDES, STICKS };

struct contact_set {
    const struct contact_problem *problem;
    size_t size;
    enum place *place;
    bool *active;  // of each component
    double *held;  // r_t where it slides
    int *falls;    // from sticking to sliding
    double *scale; // of the unknowns: r = scale x
    double *x, *rhs, *r, *u, *work;
    double noise; // velocities below are zero
};

static struct contact_set set_open(const struct contact_problem *problem) {
    struct contact_set set = {.problem = problem, .size = contact_problem_size(problem)};
    size_t contacts = (size_t)problem->contacts;
    double **vectors[] = {&set.scale, &set.x, &set.rhs, &set.r, &set.u, &set.work, &set.held};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = memory_allocate(set.size, sizeof(double), "bicg");
    set.place = memory_allocate(contacts, sizeof *set.place, "bicg");
    set.falls = memory_allocate(contacts, sizeof *set.falls, "bicg");
    set.active = memory_allocate(set.size, sizeof *set.active, "bicg");
    return set;
}

static void set_close(struct contact_set *set) {
    void *arrays[] = {set->scale, set->x,     set->rhs,    set->r,    set->u,
                      set->work,  set->place, set->active, set->held, set->falls};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

// The linear system ---------------------------------------------------------------------------

// Impulses of the unknowns, without those that are held.
static void spread(const struct contact_set *set, const double *x, double *r) {
    for (size_t i = 0; i < set->size; i++)
        r[i] = set->active[i] ? set->scale[i] * x[i] : 0;
}

static void system_product(void *context, const double *x, double *Ax) {
    struct contact_set *set = context;
    spread(set, x, set->work);
    contact_problem_product(set->problem, set->work, Ax);
    for (size_t i = 0; i < set->size; i++)
        Ax[i] *= set->scale[i];
}

// W^T x; between bodies W is symmetric.
static void product_transposed(const struct contact_problem *problem, const double *x, double *Wx) {
    const struct contact_matrix *W = &problem->matrix;
    if (problem->face == FACE_BODIES) {
        contact_problem_product(problem, x, Wx);
        return;
    }
    memset(Wx, 0, contact_problem_size(problem) * sizeof *Wx);
    for (int32_t a = 0; a < problem->contacts; a++)
        for (size_t e = W->start[a]; e < W->start[a + 1]; e++) {
            const double *column = W->value + e * CONTACT_BLOCK, *from = x + 3 * (size_t)a;
            double *to = Wx + 3 * (size_t)W->column[e];
            for (int j = 0; j < 3; j++, column += 4)
                to[j] += column[0] * from[0] + column[1] * from[1] + column[2] * from[2];
        }
}

static void system_transposed(void *context, const double *x, double *Ax) {
    struct contact_set *set = context;
    spread(set, x, set->work);
    product_transposed(set->problem, set->work, Ax);
    for (size_t i = 0; i < set->size; i++)
        Ax[i] *= set->scale[i];
}

// Contacts whose W_aa vanishes cannot be helped and stay open.
static enum place closed_place(const struct contact_set *set, int32_t a) {
    if (contact_held(set->problem, a))
        return STICKS;
    if (!(set->problem->rho[a] > 0))
        return OPEN;
    return set->problem->mu[a] > 0 ? STICKS : SLIDES;
}

static void begin(struct contact_set *set, const double *r, double tolerance) {
    const struct contact_problem *problem = set->problem;
    double most = 0;
    for (size_t i = 0; i < set->size; i++)
        most = fmax(most, fabs(problem->q[i]));
    set->noise = INNER * tolerance * most;
    for (int32_t a = 0; a < problem->contacts; a++) {
        double s = sqrt(problem->rho[a]);
        set->place[a] = closed_place(set, a);
        contact_set(set->scale, a, vec3_make(s, s, s));
        if (s > 0)
            contact_set(set->x, a, vec3_scale(1 / s, contact_get(r, a)));
    }
}

static int solve_system(struct contact_set *set, int iterations, double small, double *left) {
    struct bicg_operator A = {set->size, set, system_product, system_transposed};
    for (size_t i = 0; i < set->size; i++) {
        enum place place = set->place[i / 3];
        uint8_t held = contact_held(set->problem, (int32_t)(i / 3));
        set->active[i] =
            held ? held >> i % 3 & 1 : place == STICKS || (place == SLIDES && i % 3 == 0);
        set->x[i] = set->active[i] ? set->x[i] : 0;
    }
    contact_problem_velocity(set->problem, set->held, set->rhs);
    for (size_t i = 0; i < set->size; i++)
        set->rhs[i] *= -set->scale[i];
    int used = bicg_solve(&A, set->active, set->rhs, set->x, iterations, small, left);
    spread(set, set->x, set->r);
    for (size_t i = 0; i < set->size; i++)
        set->r[i] += set->held[i];
    contact_problem_velocity(set->problem, set->r, set->u);
    return used;
}

// The set -------------------------------------------------------------------------------------

// A contact that opened because sticking would have pulled comes back without friction at first.
static enum place joining_place(const struct contact_set *set, int32_t a) {
    enum place place = closed_place(set, a);
    return place == STICKS && set->problem->mu[a] < CONTACT_STICKS ? SLIDES : place;
}

// r_t - rho u_t, with the normal impulse
static vec3 pull_of(const struct contact_set *set, int32_t a) {
    vec3 r = contact_get(set->r, a), u = contact_get(set->u, a);
    double rho = set->problem->rho[a];
    return vec3_make(r.x, r.y - rho * u.y, r.z - rho * u.z);
}

static enum place right_place(const struct contact_set *set, int32_t a) {
    double mu = set->problem->mu[a], noise = set->problem->rho[a] * set->noise;
    vec3 pull = pull_of(set, a);
    if (contact_held(set->problem, a))
        return STICKS;
    if (set->place[a] == OPEN)
        return contact_get(set->u, a).x < -set->noise ? joining_place(set, a) : OPEN;
    if (pull.x < -noise)
        return set->place[a] == joining_place(set, a) ? OPEN : SLIDES;
    if (mu >= CONTACT_STICKS || !(mu > 0))
        return set->place[a];
    bool within = cone_tangential(pull) <= mu * fmax(pull.x, 0) + noise;
    return within && set->falls[a] < FALLS ? STICKS : SLIDES;
}

// Puts r_t in the cone, by one step against the velocity. Returns the change.
static double hold(struct contact_set *set, int32_t a) {
    vec3 pull = cone_clamp(pull_of(set, a), set->problem->mu[a]), held = {0};
    if (set->place[a] == SLIDES)
        held = vec3_make(0, pull.y, pull.z);
    double change = cone_tangential(vec3_sub(held, contact_get(set->held, a)));
    contact_set(set->held, a, held);
    return change;
}

// Moves contacts that are in the wrong place: all of them, or the last. Returns how many were.
static int32_t rearrange(struct contact_set *set, bool one) {
    int32_t wrong = 0;
    for (int32_t a = set->problem->contacts - 1; a >= 0; a--) {
        enum place place = right_place(set, a);
        if (place == set->place[a] || (wrong++ > 0 && one))
            continue;
        bool joins = set->place[a] == OPEN;
        set->falls[a] += set->place[a] == STICKS && place == SLIDES;
        set->place[a] = place;
        if (!joins)
            hold(set, a);
    }
    return wrong;
}

// True while the impulses of sliding contacts still change.
static bool hold_all(struct contact_set *set) {
    bool changed = false;
    for (int32_t a = 0; a < set->problem->contacts; a++)
        changed |= hold(set, a) > set->problem->rho[a] * set->noise;
    return changed;
}

// How long a set is kept, learned from how many contacts were in the wrong place.
struct patience {
    int iterations, tries;
    int32_t least;
};

static void learn(struct patience *patience, int32_t wrong, size_t size) {
    if (wrong < patience->least) {
        patience->least = wrong;
        patience->tries = 0;
    } else {
        patience->tries++;
        if ((size_t)patience->iterations < 2 * size)
            patience->iterations *= 2;
    }
}

void solver_bicg(struct monitor *monitor, double *r) {
    double tolerance = monitor->settings->tolerance, small = INNER * tolerance, left;
    int used = 0, cap = monitor->settings->max_iterations - monitor->before;
    struct contact_set set = set_open(monitor->problem);
    struct patience patience = {PATIENCE, 0, INT32_MAX};
    begin(&set, r, tolerance);
    for (bool changed = true; changed && !monitor_done(monitor);) {
        int rest = cap - used - 1, most = patience.iterations < rest ? patience.iterations : rest;
        used += 1 + solve_system(&set, most, small, &left);
        monitor_check_admitted(monitor, used, set.r, set.work);
        int32_t wrong = rearrange(&set, patience.tries >= TRIES);
        learn(&patience, wrong, set.size);
        changed = wrong > 0 || left > small;
        if (wrong == 0 && left <= small) {
            changed = hold_all(&set);
            patience.least = INT32_MAX;
            patience.tries = 0;
        }
    }
    memcpy(r, set.r, set.size * sizeof *r);
    set_close(&set);
}
