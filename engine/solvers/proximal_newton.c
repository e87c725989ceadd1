// With every contact slightly compliant around reference impulses, u + alpha (r - r_ref) in place
// of u, the impulse is an explicit function of the velocity, r(u) = P(r_ref - u / alpha), where P
// projects r_t on the disk of radius mu r_n as Alart and Curnier (1991) do. What is left is
//
//   F(y) = y - r(W y + q) = 0,   F' = I + D W,   D = -dr/du,
//
// solved by Newton's method; its impulses are the reference of the next proximal step. y matters
// only through W y: with W = H^T M^-1 H it is a velocity of the bodies in disguise, and all norms
// here are those of kinetic energy, x.W x. Proximal regularisation is what makes Newton's method
// robust on hyperstatic problems, whose W is singular (Acary, Bremond, Huber, "On solving contact
// problems with Coulomb friction: formulations and numerical comparisons", 2018).
#include "engine/solvers/proximal_newton.h"

#include <string.h>

#include "engine/solvers/panel.h"
#include "parallel/memory.h"

// Compliance, in units of each contact's |W|. A small one is exact at once but has many kinks
// between the start and the solution, and Newton's method loses its way among them. So it starts
// large where the start is far from the solution, falls from one proximal step to the next, and
// less steeply after one that failed. It starts anew in every solve, because the state must not
// hide in the solver.
#define COMPLIANCE_FIRST 100.0 // times the measure of the start
#define COMPLIANCE_LEAST 1e-4  // at the start
#define COMPLIANCE_MOST  1.0
#define COMPLIANCE_MIN   1e-9
#define COMPLIANCE_MAX   100.0 // nothing helps
#define FALL             0.3
#define RISE             2.5

#define ITERATIONS 8     // Newton, per proximal step
#define ACCURACY   0.01  // of a proximal step, times the square root of the compliance,
#define GAIN       0.01  // but at least so much better than its start,
#define ROUNDING   1e-12 // as far as that can be told
#define PROBES     12    // points of the line search

// Friction by the normal impulse as it is, or by the one that freeze() found: then F is the
// gradient of a convex function of y.
enum friction { FRICTION_COUPLED, FRICTION_FROZEN };

struct proximal {
    const struct friction_problem *problem;
    struct resolvent *resolvent;
    size_t size;
    double compliance, fall;
    double *y, *u;         // u = W y + q
    double *step, *W_step; // the Newton step
    double *trial_y, *trial_u, *r, *F, *product;
    double *kept_y, *kept_u;
    double *reference, *stiffness, *limit;
    mat3 *D;
};

static struct proximal proximal_open(const struct friction_problem *problem,
                                     struct resolvent *resolvent) {
    struct proximal p = {.problem = problem, .resolvent = resolvent};
    size_t contacts = (size_t)problem->contacts, size = friction_problem_size(problem);
    double **vectors[] = {&p.y, &p.u, &p.step,   &p.W_step, &p.trial_y, &p.trial_u,
                          &p.r, &p.F, &p.kept_y, &p.kept_u, &p.product, &p.reference};
    p.size = size;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = memory_allocate(size, sizeof(double), "newton");
    p.stiffness = memory_allocate(contacts, sizeof(double), "newton");
    p.limit = memory_allocate(contacts, sizeof(double), "newton");
    p.D = memory_allocate(contacts, sizeof *p.D, "newton");
    return p;
}

static void proximal_close(struct proximal *p) {
    void *arrays[] = {p->y,       p->u,         p->step,      p->W_step, p->trial_y,
                      p->trial_u, p->r,         p->F,         p->kept_y, p->kept_u,
                      p->product, p->reference, p->stiffness, p->limit,  p->D};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

static double dot(const struct proximal *p, const double *x, const double *y) {
    double sum = 0;
    for (size_t i = 0; i < p->size; i++)
        sum += x[i] * y[i];
    return sum;
}

// The function --------------------------------------------------------------------------------

static vec3 pull(const struct proximal *p, const double *u, int32_t a) {
    return vec3_add_scaled(friction_get(p->reference, a), -p->stiffness[a], friction_get(u, a));
}

// Frozen friction does not end where the contact opens: r would jump there.
static double friction_limit(const struct proximal *p, int32_t a, double w_n,
                             enum friction friction) {
    double coupled = w_n > 0 ? p->problem->mu[a] * w_n : 0; // mu may be infinite
    return friction == FRICTION_FROZEN ? p->limit[a] : coupled;
}

static void freeze(struct proximal *p) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        p->limit[a] = friction_limit(p, a, pull(p, p->u, a).x, FRICTION_COUPLED);
}

// F at (y, u), and the impulses in r.
static void evaluate(struct proximal *p, const double *y, const double *u, enum friction friction) {
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        vec3 w = pull(p, u, a);
        double length = sqrt(w.y * w.y + w.z * w.z);
        double limit = friction_limit(p, a, w.x, friction);
        double shrink = length > limit ? limit / length : 1;
        vec3 r = vec3_make(fmax(w.x, 0), shrink * w.y, shrink * w.z);
        friction_set(p->r, a, r);
        friction_set(p->F, a, vec3_sub(friction_get(y, a), r));
    }
}

// How far the equation is from being solved: the square of F, and that of r.
struct merit {
    double value2, scale2;
};

static struct merit measure(struct proximal *p, const double *u) {
    struct merit merit = {0};
    friction_problem_product(p->problem, p->r, p->product);
    merit.scale2 = fmax(dot(p, p->r, p->product), 0);
    for (size_t i = 0; i < p->size; i++)
        merit.value2 += p->F[i] * (u[i] - p->problem->q[i] - p->product[i]);
    merit.value2 = merit.value2 < 0 ? 0 : merit.value2; // rounding; what is not a number stays so
    return merit;
}

// The Newton step -----------------------------------------------------------------------------

// -dr/du on the piece of P that the contact is on.
static mat3 slope_of(const struct proximal *p, int32_t a, enum friction friction) {
    vec3 w = pull(p, p->u, a);
    double f = p->stiffness[a], length = sqrt(w.y * w.y + w.z * w.z);
    double limit = friction_limit(p, a, w.x, friction), pressed = w.x > 0 ? f : 0;
    if (!(pressed > 0) && !(limit > 0))
        return (mat3){0};
    if (length <= limit)
        return (mat3){{{pressed, 0, 0}, {0, f, 0}, {0, 0, f}}};
    double t[2] = {w.y / length, w.z / length}, across = f * limit / length;
    double push = friction == FRICTION_FROZEN ? 0 : p->problem->mu[a] * pressed;
    return (mat3){{{pressed, 0, 0},
                   {push * t[0], across * t[1] * t[1], -across * t[0] * t[1]},
                   {push * t[1], -across * t[0] * t[1], across * t[0] * t[0]}}};
}

static bool direction(struct proximal *p, enum friction friction, int *budget) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        p->D[a] = slope_of(p, a, friction);
    if (--*budget < 0 || !resolvent_factorise(p->resolvent, p->D))
        return false;
    evaluate(p, p->y, p->u, friction);
    resolvent_solve(p->resolvent, p->F, p->step);
    friction_problem_product(p->problem, p->step, p->W_step);
    return true;
}

// F at y - t step; its component along the step is positive while the step should go on.
static double probe(struct proximal *p, double t, enum friction friction) {
    for (size_t i = 0; i < p->size; i++) {
        p->trial_y[i] = p->y[i] - t * p->step[i];
        p->trial_u[i] = p->u[i] - t * p->W_step[i];
    }
    evaluate(p, p->trial_y, p->trial_u, friction);
    return dot(p, p->F, p->W_step);
}

// With frozen friction F is the gradient of a convex function: its slope along the step falls, and
// where it vanishes is found by false position (Illinois). This is what brings Newton's method
// through thousands of kinks (Castro et al., "An unconstrained convex formulation of compliant
// contact", 2023, for the frictional cone).
static void search(struct proximal *p, double slope) {
    double low = 0, high = 1, f_low = slope, t = 1;
    double f_high = probe(p, 1, FRICTION_FROZEN);
    int side = 0;
    for (int k = 0; k < PROBES && f_high < -0.05 * slope; k++) {
        t = (low * f_high - high * f_low) / (f_high - f_low);
        double f = probe(p, t, FRICTION_FROZEN);
        if (fabs(f) <= 0.05 * slope)
            break;
        if (f > 0) {
            low = t;
            f_low = f;
            f_high *= side > 0 ? 0.5 : 1;
        } else {
            high = t;
            f_high = f;
            f_low *= side < 0 ? 0.5 : 1;
        }
        side = f > 0 ? 1 : -1;
    }
    probe(p, t, FRICTION_COUPLED);
}

// A full step where that is clearly good; else a search with the friction of the moment frozen. The
// matrix of coupled friction is not symmetric, and its direction may lead uphill: then that of
// frozen friction, which never does.
static bool iterate(struct proximal *p, struct merit *merit, int *budget) {
    struct merit before = *merit;
    freeze(p);
    if (!direction(p, FRICTION_COUPLED, budget))
        return false;
    probe(p, 1, FRICTION_COUPLED);
    *merit = measure(p, p->trial_u);
    if (!(merit->value2 <= 0.25 * before.value2)) {
        double slope = probe(p, 0, FRICTION_FROZEN);
        if (!(slope > 0)) {
            if (!direction(p, FRICTION_FROZEN, budget))
                return false;
            slope = probe(p, 0, FRICTION_FROZEN);
        }
        search(p, slope);
        *merit = measure(p, p->trial_u);
    }
    memcpy(p->y, p->trial_y, p->size * sizeof *p->y);
    memcpy(p->u, p->trial_u, p->size * sizeof *p->u);
    return isfinite(merit->value2);
}

// Proximal steps ------------------------------------------------------------------------------

static bool newton(struct proximal *p, int *budget) {
    evaluate(p, p->y, p->u, FRICTION_COUPLED);
    struct merit merit = measure(p, p->u);
    double goal2 = fmin(ACCURACY * ACCURACY * fmin(p->compliance, 1) * merit.scale2,
                        GAIN * GAIN * merit.value2);
    for (int iteration = 0; iteration <= ITERATIONS; iteration++) {
        if (merit.value2 <= fmax(goal2, ROUNDING * ROUNDING * merit.scale2))
            return true;
        if (iteration == ITERATIONS || !iterate(p, &merit, budget))
            break;
    }
    return false;
}

static void refer(struct proximal *p, const double *r) {
    memcpy(p->reference, r, p->size * sizeof *r);
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        double rho = p->problem->rho[a];
        p->stiffness[a] = (rho > 0 ? rho : 1) / p->compliance;
    }
}

// One proximal step around r. When it succeeds r holds its impulses; y and u go on from there.
static bool proximal_step(struct proximal *p, int *budget, double *r) {
    memcpy(p->kept_y, p->y, p->size * sizeof *p->y);
    memcpy(p->kept_u, p->u, p->size * sizeof *p->u);
    refer(p, r);
    if (!newton(p, budget)) {
        memcpy(p->y, p->kept_y, p->size * sizeof *p->y);
        memcpy(p->u, p->kept_u, p->size * sizeof *p->u);
        p->compliance *= RISE;
        p->fall = sqrt(p->fall);
        return false;
    }
    memcpy(r, p->r, p->size * sizeof *r);
    p->compliance = fmax(p->fall * p->compliance, COMPLIANCE_MIN);
    return true;
}

int proximal_newton_run(struct monitor *monitor, struct resolvent *resolvent, int budget,
                        double *r) {
    struct proximal p = proximal_open(monitor->problem, resolvent);
    int left = budget;
    double first = COMPLIANCE_FIRST * monitor->last;
    p.compliance = fmin(fmax(first, COMPLIANCE_LEAST), COMPLIANCE_MOST);
    p.fall = FALL;
    memcpy(p.y, r, p.size * sizeof *r);
    friction_problem_velocity(p.problem, p.y, p.u);
    while (left > 0 && p.compliance <= COMPLIANCE_MAX) {
        int before = left;
        bool solved = proximal_step(&p, &left, r);
        left -= left == before; // without an answer impulses may grow for ever and cost nothing
        if (solved && monitor_check(monitor, budget - left, r))
            break;
    }
    proximal_close(&p);
    return budget - (left > 0 ? left : 0);
}

void solver_newton(struct monitor *monitor, double *r) {
    struct resolvent *resolvent = resolvent_create(monitor->problem);
    int cap = monitor->settings->max_iterations;
    int used = proximal_newton_run(monitor, resolvent, cap, r);
    resolvent_free(resolvent);
    if (used >= cap && monitor->result.status == SOLVER_STALLED)
        monitor_check(monitor, cap, monitor->best);
}
