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
#include "engine/solvers/newton/proximal_newton.h"

#include <string.h>

#include "engine/solvers/local/cone.h"
#include "engine/solvers/methods.h"
#include "parallel/memory.h"

// Compliance, in units of each contact's |W|. A small one is exact at once but has many kinks
// between the start and the solution, and Newton's method loses its way among them. From a start
// that is nearly right a small one is tried, with exact proximal steps: one or two of them do while
// a mechanism moves steadily. From a worse one, or when half of the factorisations are used up, the
// compliance starts with the error and falls from one rough proximal step to the next, quickly
// while they are easy, slowly after one that failed. It starts anew in every solve, because the
// state must not hide in the solver.
#define BOLD_COMPLIANCE 1e-4
#define BOLD_START      0.01 // scaled residual from which boldness is worth trying
#define BOLD_ITERATIONS 25   // Newton, per proximal step
#define BOLD_ACCURACY   0.01 // of a proximal step, times the tolerance
#define BOLD_EASY       8    // iterations up to which the compliance falls,
#define BOLD_HARD       12   // from which it rises
#define BOLD_ROUGH      4    // its rise after a step that was solved roughly,
#define BOLD_RISE       10   // after a failure
#define BOLD_SHARE      0.5  // of the budget: what is left from there on is for care

#define CAREFUL_COMPLIANCE 3.0 // times the residual of the start, but
#define CAREFUL_LEAST      1e-7
#define CAREFUL_MOST       1.0
#define CAREFUL_ITERATIONS 15
#define CAREFUL_ACCURACY   0.01 // of a proximal step, times the square root of the compliance,
#define CAREFUL_GAIN       0.03 // but at least so much better than its start
#define CAREFUL_SHARE      0.1  // and less than this share of the residual of the best
#define CAREFUL_ROUGH      1.5

#define COMPLIANCE_MIN 1e-9
#define COMPLIANCE_MAX 100.0 // nothing helps
#define FALL           0.3
#define RISE           2
#define EASY           3 // iterations after which the fall may be steeper

#define ROUNDING    1e-12 // accuracy beyond which rounding dominates
#define PROBES      20    // points of the line search
#define LEVEL       0.01  // where it ends, in slopes at its start
#define SHORT_STEP  0.03  // of a search: two of them, and Newton's method is lost
#define SHORT_STEPS 2

// A proximal step that Newton's method brought so near, and no nearer, counts all the same: what is
// left are a few contacts that change back and forth, and the next reference is better than this.
#define ROUGHLY 0.5 // of the merit it began with

// The matrix of the Newton step: with mu dr_n in dr_t, or symmetric without.
enum friction { FRICTION_COUPLED, FRICTION_FROZEN };

enum success { FAILED, SOLVED_ROUGHLY, SOLVED };

struct proximal {
    const struct contact_problem *problem;
    struct resolvent *resolvent;
    size_t size;
    bool bold;
    double compliance, fall;
    double accuracy;       // of exact proximal steps
    double best;           // scaled residual of the best impulses
    double searched;       // length of the last step
    int iterations;        // of the last proximal step
    double *y, *u;         // u = W y + q
    double *step, *W_step; // the Newton step
    double *trial_y, *trial_u, *r, *F, *product;
    double *kept_y, *kept_u;
    double *nearest_y, *nearest_u; // of this proximal step
    double *reference, *stiffness;
    double *foreseen; // velocities on the pieces of P that the first step expects
    bool leapt;       // the first step was tried
    mat3 *D;
    // Between bodies the start is their velocity before the step, which no impulses may give: u = W
    // y + q + carry offset_u. A step of length t takes off that share of it.
    double carry, kept_carry;
    double *offset, *offset_u; // 6 per body; at the contacts
    double offset_energy;      // offset.M offset
    double offset_step;        // offset.M (velocity of the step)
};

static struct proximal proximal_open(const struct contact_problem *problem,
                                     struct resolvent *resolvent) {
    struct proximal p = {.problem = problem, .resolvent = resolvent};
    size_t contacts = (size_t)problem->contacts, size = contact_problem_size(problem);
    double **vectors[] = {&p.y,       &p.u,         &p.step,      &p.W_step,    &p.trial_y,
                          &p.r,       &p.F,         &p.trial_u,   &p.kept_y,    &p.kept_u,
                          &p.product, &p.reference, &p.nearest_y, &p.nearest_u, &p.foreseen};
    p.size = size;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = memory_allocate(size, sizeof(double), "newton");
    p.stiffness = memory_allocate(contacts, sizeof(double), "newton");
    p.D = memory_allocate(contacts, sizeof *p.D, "newton");
    p.offset_u = memory_allocate(size, sizeof(double), "newton");
    p.offset = memory_allocate(6 * (size_t)problem->bodies.count, sizeof(double), "newton");
    return p;
}

static void proximal_close(struct proximal *p) {
    void *arrays[] = {p->y,       p->u,         p->step,      p->W_step,    p->trial_y,
                      p->trial_u, p->r,         p->F,         p->kept_y,    p->kept_u,
                      p->product, p->reference, p->stiffness, p->nearest_y, p->nearest_u,
                      p->D,       p->offset,    p->offset_u,  p->foreseen};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

static void copy(const struct proximal *p, const double *y, const double *u, double *to_y,
                 double *to_u) {
    memcpy(to_y, y, p->size * sizeof *y);
    memcpy(to_u, u, p->size * sizeof *u);
}

// The function --------------------------------------------------------------------------------

static inline vec3 pull(const struct proximal *p, int32_t a, vec3 u) {
    return vec3_add_scaled(contact_get(p->reference, a), -p->stiffness[a], u);
}

static inline double friction_limit(const struct proximal *p, int32_t a, double w_n) {
    return w_n > 0 ? p->problem->mu[a] * w_n : 0; // mu may be infinite
}

// r(u) at contact a. Open and sticking contacts need neither root nor division.
static inline vec3 impulse(const struct proximal *p, int32_t a, vec3 u) {
    vec3 w = pull(p, a, u);
    if (p->problem->held && p->problem->held[a])
        return hold_keep(p->problem->held[a], w);
    double length2 = w.y * w.y + w.z * w.z, limit = friction_limit(p, a, w.x);
    double n = w.x < 0 ? 0 : w.x; // what is not a number stays so
    if (length2 <= limit * limit)
        return vec3_make(n, w.y, w.z);
    double shrink = limit > 0 ? limit / sqrt(length2) : 0;
    return vec3_make(n, shrink * w.y, shrink * w.z);
}

// F at (y, u), and the impulses in r.
static void evaluate(struct proximal *p, const double *y, const double *u) {
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        vec3 r = impulse(p, a, contact_get(u, a));
        contact_set(p->r, a, r);
        contact_set(p->F, a, vec3_sub(contact_get(y, a), r));
    }
}

// How far the equation is from being solved: the square of F, and that of r.
struct merit {
    double value2, scale2;
};

static struct merit measure(struct proximal *p, const double *u, double carry) {
    struct merit merit = {.value2 = carry * carry * p->offset_energy};
    contact_problem_product(p->problem, p->r, p->product);
    merit.scale2 = fmax(contact_problem_dot(p->problem, p->r, p->product), 0);
    for (size_t i = 0; i < p->size; i++)
        merit.value2 +=
            p->F[i] * (u[i] - p->problem->q[i] - p->product[i] + carry * p->offset_u[i]);
    merit.value2 = merit.value2 < 0 ? 0 : merit.value2; // rounding; what is not a number stays so
    return merit;
}

// The Newton step -----------------------------------------------------------------------------

// -dr/du on the piece of P that the contact is on with velocity u.
static mat3 slope_of(const struct proximal *p, int32_t a, vec3 u, enum friction friction) {
    vec3 w = pull(p, a, u);
    double f = p->stiffness[a], length = sqrt(w.y * w.y + w.z * w.z);
    uint8_t held = contact_held(p->problem, a);
    if (held) {
        vec3 d = hold_keep(held, vec3_make(f, f, f));
        return (mat3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
    }
    double limit = friction_limit(p, a, w.x), pressed = w.x > 0 ? f : 0;
    if (!(pressed > 0))
        return (mat3){0};
    if (length <= limit)
        return (mat3){{{pressed, 0, 0}, {0, f, 0}, {0, 0, f}}};
    double t[2] = {w.y / length, w.z / length}, across = f * limit / length;
    double push = friction == FRICTION_FROZEN ? 0 : p->problem->mu[a] * pressed;
    return (mat3){{{pressed, 0, 0},
                   {push * t[0], across * t[1] * t[1], -across * t[0] * t[1]},
                   {push * t[1], -across * t[0] * t[1], across * t[0] * t[0]}}};
}

// Computes F at (y, u) with each r(u) continued from the piece that it is on at velocity `at`.
static void evaluate_along(struct proximal *p, const double *at) {
    evaluate(p, p->y, at);
    for (int32_t a = 0; a < p->problem->contacts && at != p->u; a++) {
        vec3 more = vec3_sub(contact_get(p->u, a), contact_get(at, a));
        contact_set(p->F, a, vec3_add(contact_get(p->F, a), mat3_apply(p->D[a], more)));
    }
}

// Finds the step for F linearised at the velocities `at`, as a rule u.
static bool direction(struct proximal *p, const double *at, enum friction friction, int *budget) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        p->D[a] = slope_of(p, a, contact_get(at, a), friction);
    if (*budget <= 0)
        return false;
    --*budget;
    if (!resolvent_factorise(p->resolvent, p->D))
        return false;
    evaluate_along(p, at);
    resolvent_solve_with(p->resolvent, p->F, p->carry, p->offset, p->step);
    contact_problem_product(p->problem, p->step, p->W_step);
    p->offset_step = p->carry * p->offset_energy;
    for (size_t i = 0; i < p->size && p->carry > 0; i++) {
        p->offset_step += p->step[i] * p->offset_u[i];
        p->W_step[i] += p->carry * p->offset_u[i];
    }
    return true;
}

// F at y - t step.
static void probe(struct proximal *p, double t) {
    for (size_t i = 0; i < p->size; i++) {
        p->trial_y[i] = p->y[i] - t * p->step[i];
        p->trial_u[i] = p->u[i] - t * p->W_step[i];
    }
    evaluate(p, p->trial_y, p->trial_u);
}

// The component of F along the step there: positive while it should go on.
static double slope_at(const struct proximal *p, double t) {
    double sum = (1 - t) * p->carry * p->offset_step;
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        vec3 du = contact_get(p->W_step, a);
        vec3 u = vec3_add_scaled(contact_get(p->u, a), -t, du);
        vec3 y = vec3_add_scaled(contact_get(p->y, a), -t, contact_get(p->step, a));
        sum += vec3_dot(vec3_sub(y, impulse(p, a, u)), du);
    }
    return sum;
}

// Were the friction limits held, F would be the gradient of a convex function and its slope would
// fall along the step; with limits that follow r_n it mostly does. Where it vanishes is found by
// false position (Illinois). This is what brings Newton's method through thousands of kinks (Castro
// et al., "An unconstrained convex formulation of compliant contact", 2023, for the frictional
// cone).
static void search(struct proximal *p, double slope) {
    double low = 0, high = 1, f_low = slope, t = 1;
    double f_high = slope_at(p, 1);
    int side = 0;
    for (int k = 0; k < PROBES && f_high < -LEVEL * slope; k++) {
        t = (low * f_high - high * f_low) / (f_high - f_low);
        double f = slope_at(p, t);
        if (fabs(f) <= LEVEL * slope)
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
    p->searched = t;
    probe(p, t);
}

// A step that ends with so much of the square of the merit is clearly good.
#define CLEARLY 0.25

// The first step -------------------------------------------------------------------------------

// Impulses well inside their cone stick. Frames turn a little from step to step, and impulses that
// slid are then inside by as much.
#define WELL_INSIDE 0.998 // of the square of the friction limit

// While a mechanism moves steadily, contacts are in this step what they were in the last, and its
// impulses tell: those that pushed are closed, and those inside their cones stick. The velocities
// before the step do not, because small errors times a large stiffness open or slide contacts: the
// ground of a wall that accelerates leaves it at these velocities.
static vec3 foresee(const struct proximal *p, int32_t a) {
    vec3 r = contact_get(p->reference, a), u = contact_get(p->u, a);
    if (!(r.x > 0) || contact_held(p->problem, a))
        return u;
    double limit = friction_limit(p, a, r.x);
    u.x = u.x > 0 ? 0 : u.x;
    if (r.y * r.y + r.z * r.z < WELL_INSIDE * limit * limit)
        u.y = u.z = 0;
    return u;
}

// Tries a full step on the pieces that the reference tells. Where it is not clearly good nothing is
// changed.
static bool leap(struct proximal *p, struct merit *merit, int *budget) {
    p->leapt = true;
    for (int32_t a = 0; a < p->problem->contacts; a++)
        contact_set(p->foreseen, a, foresee(p, a));
    if (memcmp(p->foreseen, p->u, p->size * sizeof *p->u) == 0)
        return false;
    if (!direction(p, p->foreseen, FRICTION_COUPLED, budget))
        return false;
    probe(p, 1);
    struct merit after = measure(p, p->trial_u, 0);
    if (!(after.value2 <= CLEARLY * merit->value2))
        return false;
    *merit = after;
    p->searched = 1;
    p->carry = 0;
    copy(p, p->trial_y, p->trial_u, p->y, p->u);
    return true;
}

// Further steps --------------------------------------------------------------------------------

// A full step where that is clearly good; else a search. The matrix of coupled friction is not
// symmetric, and its direction may lead uphill: then that of frozen friction, which never does.
static bool iterate(struct proximal *p, struct merit *merit, int *budget) {
    if (!p->leapt && leap(p, merit, budget))
        return true;
    struct merit before = *merit;
    p->searched = 1;
    if (!direction(p, p->u, FRICTION_COUPLED, budget))
        return false;
    probe(p, 1);
    *merit = measure(p, p->trial_u, 0);
    if (!(merit->value2 <= CLEARLY * before.value2)) {
        double slope = slope_at(p, 0);
        if (!(slope > 0)) {
            if (!direction(p, p->u, FRICTION_FROZEN, budget))
                return false;
            slope = slope_at(p, 0);
        }
        search(p, slope);
        *merit = measure(p, p->trial_u, (1 - p->searched) * p->carry);
    }
    p->carry *= 1 - p->searched;
    copy(p, p->trial_y, p->trial_u, p->y, p->u);
    return isfinite(merit->value2);
}

// Proximal steps ------------------------------------------------------------------------------

static double goal2(const struct proximal *p, const struct merit *merit) {
    double goal = p->accuracy;
    if (!p->bold) {
        goal = fmin(CAREFUL_ACCURACY * sqrt(fmin(p->compliance, 1)), CAREFUL_SHARE * p->best);
        goal = fmin(goal, CAREFUL_GAIN * sqrt(merit->value2 / merit->scale2));
    }
    goal = fmax(goal, ROUNDING);
    return goal * goal;
}

static enum success newton(struct proximal *p, int *budget) {
    int most = p->bold ? BOLD_ITERATIONS : CAREFUL_ITERATIONS, short_steps = 0;
    evaluate(p, p->y, p->u);
    struct merit merit = measure(p, p->u, p->carry);
    double goal = goal2(p, &merit), first2 = merit.value2, nearest2 = INFINITY;
    for (p->iterations = 0; p->iterations <= most; p->iterations++) {
        if (merit.value2 <= goal * merit.scale2)
            return SOLVED;
        if (p->carry == 0 && merit.value2 < nearest2) {
            nearest2 = merit.value2;
            copy(p, p->y, p->u, p->nearest_y, p->nearest_u);
        }
        if (p->iterations == most || short_steps == SHORT_STEPS || !iterate(p, &merit, budget))
            break;
        short_steps += !p->bold && p->searched < SHORT_STEP;
    }
    if (!(nearest2 <= ROUGHLY * ROUGHLY * first2))
        return FAILED;
    copy(p, p->nearest_y, p->nearest_u, p->y, p->u);
    p->carry = 0; // as it was there
    evaluate(p, p->y, p->u);
    return SOLVED_ROUGHLY;
}

static void refer(struct proximal *p, const double *r) {
    memcpy(p->reference, r, p->size * sizeof *r);
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        double rho = p->problem->rho[a];
        p->stiffness[a] = (rho > 0 ? rho : 1) / p->compliance;
    }
}

// One proximal step around r. When it succeeds r holds its impulses; y and u go on from there.
static enum success proximal_step(struct proximal *p, int *budget, double *r) {
    copy(p, p->y, p->u, p->kept_y, p->kept_u);
    p->kept_carry = p->carry;
    refer(p, r);
    enum success success = newton(p, budget);
    if (success == FAILED) {
        copy(p, p->kept_y, p->kept_u, p->y, p->u);
        p->carry = p->kept_carry;
        return FAILED;
    }
    memcpy(r, p->r, p->size * sizeof *r);
    return success;
}

static void begin_boldly(struct proximal *p) {
    p->bold = true;
    p->compliance = BOLD_COMPLIANCE;
}

static void begin_carefully(struct proximal *p, double residual) {
    p->bold = false;
    p->compliance = fmin(fmax(CAREFUL_COMPLIANCE * residual, CAREFUL_LEAST), CAREFUL_MOST);
    p->fall = FALL;
}

static void adapt_bold(struct proximal *p, enum success success) {
    if (success == FAILED)
        p->compliance *= BOLD_RISE;
    else if (success == SOLVED_ROUGHLY)
        p->compliance *= BOLD_ROUGH;
    else if (p->iterations <= BOLD_EASY)
        p->compliance = fmax(FALL * p->compliance, COMPLIANCE_MIN);
    else if (p->iterations > BOLD_HARD)
        p->compliance *= 2;
}

static void adapt_careful(struct proximal *p, enum success success) {
    if (success == FAILED) {
        p->compliance *= RISE;
        p->fall = sqrt(p->fall);
        return;
    }
    if (success == SOLVED_ROUGHLY) {
        p->compliance *= CAREFUL_ROUGH;
        return;
    }
    if (p->iterations <= EASY)
        p->fall = fmax(FALL, p->fall * p->fall);
    p->compliance = fmax(p->fall * p->compliance, COMPLIANCE_MIN);
}

static void start(struct proximal *p, enum newton_start from, const double *r) {
    const struct contact_bodies *bodies = &p->problem->bodies;
    memcpy(p->y, r, p->size * sizeof *r);
    contact_problem_velocity(p->problem, p->y, p->u);
    if (p->problem->face == FACE_MATRIX || !bodies->drift || from == NEWTON_FROM_IMPULSES)
        return;
    struct contact_state state = contact_state_open(p->problem, p->y);
    for (size_t i = 0; i < 6 * (size_t)bodies->count; i++)
        p->offset[i] = bodies->drift[i] - state.v[i];
    contact_state_close(&state);
    p->carry = 1;
    p->offset_energy = resolvent_energy(p->resolvent, p->offset);
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        vec3 u = contact_row_velocity(&bodies->rows[a], p->offset);
        contact_set(p->offset_u, a, u);
        contact_set(p->u, a, vec3_add(contact_get(p->u, a), u));
    }
}

// Impulses that are right except for one loaded contact that was not matched have a residual of
// about 10, and from there a third of the factorisations do. The limits rule out impulses that
// begin to diverge.
bool proximal_newton_starts_from(double residual, double swelling) {
    return residual <= 30 && swelling <= 1e4;
}

int proximal_newton_run(struct monitor *monitor, struct resolvent *resolvent, int budget,
                        enum newton_start from, double *r) {
    struct proximal p = proximal_open(monitor->problem, resolvent);
    const struct contact_error *error = &monitor->result.error;
    int left = budget;
    p.accuracy = BOLD_ACCURACY * monitor->settings->tolerance;
    if (error->scaled <= BOLD_START)
        begin_boldly(&p);
    else
        begin_carefully(&p, error->scaled);
    start(&p, from, r);
    while (left > 0 && p.compliance <= COMPLIANCE_MAX && !monitor_late(monitor)) {
        int before = left;
        p.best = error->scaled;
        enum success success = proximal_step(&p, &left, r);
        left -= left == before; // without an answer impulses may grow for ever and cost nothing
        if (success != FAILED && monitor_check(monitor, budget - left, r))
            break;
        if (p.bold)
            adapt_bold(&p, success);
        else
            adapt_careful(&p, success);
        if (p.bold && (p.compliance > COMPLIANCE_MAX || left < BOLD_SHARE * budget))
            begin_carefully(&p, error->scaled);
    }
    proximal_close(&p);
    return budget - left;
}

void solver_newton(struct monitor *monitor, double *r) {
    struct resolvent *resolvent = resolvent_create_kept(monitor->workspace, monitor->problem);
    int cap = monitor->settings->max_iterations;
    int used = proximal_newton_run(monitor, resolvent, cap, NEWTON_FROM_DRIFT, r);
    resolvent_free(resolvent);
    if (used >= cap && monitor->result.status == SOLVER_STALLED)
        monitor_check(monitor, cap, monitor->best);
}
