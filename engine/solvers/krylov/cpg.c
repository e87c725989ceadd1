// The conjugate projected gradient of Renouf and Alart ("Conjugate gradient type algorithms for
// frictional multi-contact problems", Comput. Methods Appl. Mech. Engrg. 194, 2005; outline in
// Renouf, Acary, Dumont 2005, section 6.3) on
//
//   min 1/2 r.W r + q.r   over   r_n >= 0, |r_t| <= limit,   limit = mu r_n.
//
// A step along p is projected on the set, the gradient on its tangent cone there, and the direction
// before on the face that is left; the two make the next p. Beyond the paper:
//
//   - gradients are scaled by 1/W_nn and 2/(W_ss + W_tt): halfline and disk stay what they are;
//   - limits are held while the frozen, convex problem gains, then follow r_n. With limits that
//     follow at once the objective means nothing and most frictional problems stand at 1e-2;
//   - a step may not rise above the highest of the last objectives (Grippo, Lampariello, Lucidi
//     1986). Where it would, conjugacy is lost: a projected gradient step, and p starts anew.
//
// The sign of beta is that of W-conjugate directions; the paper prints the opposite one.
#include <string.h>

#include "engine/solvers/local/cone.h"
#include "engine/solvers/local/exact.h"
#include "engine/solvers/methods.h"
#include "parallel/memory.h"

#define CHECK_EVERY 5
#define RECENT      10    // objectives looked back on
#define HOLD        50    // steps at most with the same limits
#define GAIN        0.3   // of the projected gradient, after which limits follow
#define HALVINGS    40    // of a gradient step before the method gives up
#define EDGE        1e-12 // relative distance to the disk's edge that is on it
#define NOISE       1e-14 // relative; objectives this close are the same

struct cpg {
    const struct contact_problem *problem;
    size_t size;
    double *scale;             // D, of each component; 0 where W has no diagonal
    double *r, *u, *p, *Wp;    // r is the caller's
    double *w, *next, *next_u; // projected gradient; trial
    double *limit;             // of |r_t|, of each contact
    double curvature;          // p.Wp: 0 before the first step along p
    double stiffness;          // largest p.Wp / p.D^-1 p seen
    double objective, recent[RECENT];
    int taken;          // steps since the limits changed
    double first_slope; // projected gradient at that time
};

// |x|^2 in the metric of the scaled variables
static double norm2(const struct cpg *c, const double *x) {
    double sum = 0;
    for (size_t i = 0; i < c->size; i++)
        sum += c->scale[i] > 0 ? x[i] * x[i] / c->scale[i] : 0;
    return sum;
}

static void find_scale(struct cpg *c) {
    for (int32_t a = 0; a < c->problem->contacts; a++) {
        const mat3 *W = &c->problem->diagonal[a];
        double n = W->row[0].x, t = 0.5 * (W->row[1].y + W->row[2].z);
        double floor = exact_floor(W), d_t = t > floor ? 1 / t : 0;
        uint8_t held = contact_held(c->problem, a);
        if (held) {
            vec3 d = {1 / n, 1 / W->row[1].y, 1 / W->row[2].z};
            contact_set(c->scale, a, hold_keep(held, d));
            continue;
        }
        contact_set(c->scale, a, vec3_make(n > floor ? 1 / n : 0, d_t, d_t));
    }
}

static struct cpg cpg_open(const struct contact_problem *problem, double *r) {
    struct cpg c = {.problem = problem, .size = contact_problem_size(problem), .r = r};
    double **vectors[] = {&c.scale, &c.u, &c.p, &c.Wp, &c.w, &c.next, &c.next_u};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = memory_allocate(c.size, sizeof(double), "cpg");
    c.limit = memory_allocate((size_t)problem->contacts, sizeof(double), "cpg");
    find_scale(&c);
    return c;
}

static void cpg_close(struct cpg *c) {
    double *vectors[] = {c->scale, c->u, c->p, c->Wp, c->w, c->next, c->next_u, c->limit};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        memory_free(vectors[k]);
}

// The set -------------------------------------------------------------------------------------

static void project(const struct cpg *c, double *x) {
    for (int32_t a = 0; a < c->problem->contacts; a++) {
        if (contact_held(c->problem, a))
            continue;
        vec3 r = cone_clip(contact_get(x, a), c->limit[a]);
        contact_set(x, a, vec3_make(fmax(r.x, 0), r.y, r.z));
    }
}

static bool slides(const struct cpg *c, int32_t a, vec3 r, vec3 descent) {
    return cone_tangential(r) >= c->limit[a] * (1 - EDGE) && descent.y * r.y + descent.z * r.z > 0;
}

// Takes off what leads out of the disk.
static vec3 along_edge(vec3 x, vec3 r) {
    double length = cone_tangential(r), out = (x.y * r.y + x.z * r.z) / (length * length);
    return vec3_make(x.x, x.y - out * r.y, x.z - out * r.z);
}

// w: -D u on the tangent cone at r. What of p leaves the face that w keeps is taken off p.
static void reduce(struct cpg *c) {
    for (int32_t a = 0; a < c->problem->contacts; a++) {
        vec3 r = contact_get(c->r, a), p = contact_get(c->p, a);
        vec3 w = vec3_negate(vec3_times(contact_get(c->scale, a), contact_get(c->u, a)));
        if (contact_held(c->problem, a)) {
            contact_set(c->w, a, w);
            continue;
        }
        if (r.x <= 0 && w.x <= 0)
            w.x = p.x = 0;
        if (!(c->limit[a] > 0)) {
            w.y = w.z = p.y = p.z = 0;
        } else if (slides(c, a, r, w)) {
            w = along_edge(w, r);
            p = along_edge(p, r);
        }
        contact_set(c->w, a, w);
        contact_set(c->p, a, p);
    }
}

// Steps ---------------------------------------------------------------------------------------

static double ceiling_of(const struct cpg *c) {
    double highest = c->recent[0];
    for (int k = 1; k < RECENT; k++)
        highest = fmax(highest, c->recent[k]);
    return highest + NOISE * fabs(highest);
}

// r + length p or r - length D u, projected; taken unless the objective rises.
static bool try_step(struct cpg *c, double length, bool gradient) {
    for (size_t i = 0; i < c->size; i++)
        c->next[i] = c->r[i] + length * (gradient ? -c->scale[i] * c->u[i] : c->p[i]);
    project(c, c->next);
    contact_problem_velocity(c->problem, c->next, c->next_u);
    double change = 0;
    bool moved = false;
    for (size_t i = 0; i < c->size; i++) {
        change += 0.5 * (c->next[i] - c->r[i]) * (c->next_u[i] + c->u[i]);
        moved |= c->next[i] != c->r[i];
    }
    if (!moved || !(c->objective + change <= ceiling_of(c)))
        return false;
    memcpy(c->r, c->next, c->size * sizeof *c->r);
    memcpy(c->u, c->next_u, c->size * sizeof *c->u);
    c->objective += change;
    c->recent[c->taken++ % RECENT] = c->objective;
    return true;
}

static bool conjugate_step(struct cpg *c) {
    contact_problem_product(c->problem, c->p, c->Wp);
    c->curvature = contact_problem_dot(c->problem, c->p, c->Wp);
    double descent = -contact_problem_dot(c->problem, c->p, c->u), length2 = norm2(c, c->p);
    if (!(c->curvature > 0) || !(descent > 0))
        return false;
    c->stiffness = fmax(c->stiffness, c->curvature / length2);
    return try_step(c, descent / c->curvature, false);
}

// Short enough a step always descends; how short is learned.
static bool gradient_step(struct cpg *c) {
    c->curvature = 0;
    for (int k = 0; k < HALVINGS && c->stiffness > 0; k++, c->stiffness *= 2)
        if (try_step(c, 1 / c->stiffness, true))
            return true;
    return false;
}

static void turn(struct cpg *c) {
    reduce(c);
    double beta =
        c->curvature > 0 ? -contact_problem_dot(c->problem, c->w, c->Wp) / c->curvature : 0;
    for (size_t i = 0; i < c->size; i++)
        c->p[i] = c->w[i] + beta * c->p[i];
}

// Limits --------------------------------------------------------------------------------------

static double slope(struct cpg *c) {
    double length = c->stiffness > 0 ? 1 / c->stiffness : 1;
    for (size_t i = 0; i < c->size; i++)
        c->next[i] = c->r[i] - length * c->scale[i] * c->u[i];
    project(c, c->next);
    for (size_t i = 0; i < c->size; i++)
        c->next[i] -= c->r[i];
    return sqrt(norm2(c, c->next));
}

// The limits follow r_n, and impulses that slide go with their edge. False: all is as before.
static bool follow(struct cpg *c) {
    bool changed = false;
    for (int32_t a = 0; a < c->problem->contacts; a++) {
        vec3 r = contact_get(c->r, a);
        if (contact_held(c->problem, a))
            continue;
        double limit = r.x > 0 ? c->problem->mu[a] * r.x : 0, length = cone_tangential(r);
        changed |= limit != c->limit[a];
        if (length > 0 && limit < INFINITY && slides(c, a, r, vec3_negate(contact_get(c->u, a))))
            contact_set(c->r, a, vec3_make(r.x, limit / length * r.y, limit / length * r.z));
        c->limit[a] = limit;
    }
    project(c, c->r);
    contact_problem_velocity(c->problem, c->r, c->u);
    c->objective = 0;
    memset(c->recent, 0, sizeof c->recent);
    c->taken = 0;
    c->first_slope = slope(c);
    return changed;
}

static bool due(struct cpg *c) { return c->taken >= HOLD || slope(c) < GAIN * c->first_slope; }

// A start may hold what no answer can.
static void begin(struct cpg *c) {
    for (int32_t a = 0; a < c->problem->contacts; a++)
        if (contact_held(c->problem, a))
            contact_set(c->r, a, hold_keep(c->problem->held[a], contact_get(c->r, a)));
        else if (!(c->scale[3 * (size_t)a] > 0) || !(c->r[3 * (size_t)a] > 0))
            contact_set(c->r, a, vec3_zero());
    follow(c);
    turn(c);
}

void solver_cpg(struct monitor *monitor, double *r) {
    struct cpg c = cpg_open(monitor->problem, r);
    int cap = monitor->settings->max_iterations - monitor->before;
    bool stands = false;
    begin(&c);
    for (int k = 1; !monitor_done(monitor) && !stands; k++) {
        bool moved = conjugate_step(&c) || gradient_step(&c);
        if (!moved || due(&c))
            stands = !follow(&c) && !moved;
        turn(&c);
        if (k <= CHECK_EVERY || k % CHECK_EVERY == 0 || k >= cap || stands || monitor_late(monitor))
            monitor_check_admitted(monitor, k, r, c.next);
    }
    cpg_close(&c);
}
