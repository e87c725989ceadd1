// Interior point method on the contact law in the form of De Saxce and Feng (1998). Scaled so that
// every friction cone becomes the self-dual Lorentz cone L (engine/solvers/newton/lorentz.h), r =
// sigma S x, the law is u' + n |u'_t| in L, x in L, both orthogonal, with u' = W' x + q', W' = S W
// S and q' = S q / sigma. The term that makes it non-associated sits in the Newton matrix: lagging
// it makes the method linear and slow. In place of |u'_t| stands
//
//   f(z) = sqrt((1 - k) |z_t|^2 + k z_n^2),   0 < k < 1,   z = u' + n f(z):
//
// z_n >= |z_t| exactly where z_n >= f(z), so that the solutions are the same for every k, without a
// parameter that has to vanish; but inside the cone f is smooth, on the scale of z itself, which on
// hyperstatic problems goes to zero at very different speeds at different contacts. With V the
// scaling of Nesterov and Todd, H = V^-2 and E = I - n grad f^T, a Newton step on x o z = m e is
//
//   (W' + E H) dx = E rc + F,   E dz = W' dx - F,   F = z - n f(z) - W' x - q',
//
// and D = (E H)^-1 = V^2 E^-1 is explicit. In the axes of V, dx = V y,
//
//   (I + V E^-1 W' V) y = V rc + V E^-1 F
//
// is what engine/solvers/newton/resolvent.h factorises: near the boundary of the cone the
// eigenvalues of D are 1/m and m, and only in these axes do both survive. W may be as singular as
// it likes. Predictor and corrector are Mehrotra's (1992).
#include "engine/solvers/newton/ipm.h"

#include <string.h>

#include "engine/solvers/sweep/row_sweep.h"
#include "engine/solvers/newton/cone_points.h"
#include "engine/solvers/methods.h"
#include "parallel/memory.h"

#define SMALL_STEP 0.1   // shorter steps mean that the point is far from the central path
#define JAM        3     // so many of them in a row (nearly): push the point inside
#define POLISH     1e-6  // complementarity from which sweeps can finish
#define REACH      10    // times the tolerance: sweeps hardly ever finish from a larger measure
#define EXHAUSTED  1e-20 // complementarity below which rounding is all there is
#define REFINE     1e-9  // defect of a linear system from which it is refined
#define STUCK      3     // iterations without progress after which a warm start is dropped
#define GAINED     0.1   // of the measure of the start: it was worth starting from
#define PUSH       0.75  // power of the error by which a start is pushed inside; 0.5 to 0.85 do
#define NONE       1     // error up to which no impulses are a start,
#define WARM       5e-3  // and the impulses given: others are no better than none

// k of f. Where one path to the solution turns back another may not.
static const double shares[2] = {0.25, 0.9};

// Sticking contacts get the friction coefficient of a wide cone: their law has no form of De Saxce.
// A wider one would be worse conditioned; where a contact needs even more friction, the residual
// shows it.
#define WIDE_CONE 100

struct ipm {
    struct monitor *monitor;
    const struct contact_problem *problem;
    struct resolvent *resolvent;
    struct cone_scale *scales;
    struct cone_points *points;
    size_t size;
    double sigma, m, active;
    double share;  // k of f
    double jammed; // short steps in a row, nearly
    int pushes;
    bool known;   // r and u are those of x
    bool unswept; // the last answer was too far from the tolerance for closing sweeps
    double *x, *z, *F;
    double *dx, *dz;               // the step
    double *px, *pz;               // the predictor's
    double *py;                    // in the axes of V
    double *g, *y, *defect, *more; // of a linear solve, in the axes of V
    double *r, *u, *polished;      // in the problem's units
    mat3 *left, *right;
    struct row_sweep sweeps; // on `polished`
};

static struct ipm ipm_open(struct monitor *monitor, struct resolvent *resolvent) {
    const struct contact_problem *problem = monitor->problem;
    struct ipm p = {.monitor = monitor, .problem = problem, .resolvent = resolvent};
    double **vectors[] = {&p.x, &p.z, &p.F,      &p.dx,   &p.dz, &p.px, &p.pz,      &p.py,
                          &p.g, &p.y, &p.defect, &p.more, &p.r,  &p.u,  &p.polished};
    size_t room = cone_points_room(problem->contacts);
    p.size = contact_problem_size(problem);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = memory_allocate(3 * room, sizeof(double), "ipm");
    p.scales = memory_allocate(room, sizeof *p.scales, "ipm");
    p.points = cone_points_create(problem->contacts);
    p.left = memory_allocate(room, sizeof *p.left, "ipm");
    p.right = memory_allocate(room, sizeof *p.right, "ipm");
    return p;
}

static void ipm_close(struct ipm *p) {
    void *arrays[] = {p->x,  p->z,  p->F,        p->dx,     p->dz,     p->px,
                      p->pz, p->py, p->g,        p->y,      p->defect, p->more,
                      p->r,  p->u,  p->polished, p->scales, p->left,   p->right};
    if (p->sweeps.contacts) // something was polished
        row_sweep_close(&p->sweeps);
    cone_points_free(p->points);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

// Scaling -------------------------------------------------------------------------------------

static double friction_of(const struct ipm *p, int32_t a) {
    return fmin(p->problem->mu[a], WIDE_CONE);
}

// One contact's W' has mean eigenvalue one.
static struct cone_scale scale_contact(const struct ipm *p, int32_t a) {
    const mat3 *W = &p->problem->diagonal[a];
    double mu = friction_of(p, a), w_n = W->row[0].x, w_t = W->row[1].y + W->row[2].z;
    struct cone_scale scale = {.law = LAW_NONE};
    if (mu == 0 && w_n > 0) {
        scale.law = LAW_FRICTIONLESS;
        scale.S.x = 1 / sqrt(w_n);
    } else if (mu > 0 && w_n + w_t > 0) {
        double s = sqrt(3 / (w_n / (mu * mu) + w_t));
        scale.law = LAW_CONE;
        scale.S = vec3_make(s / mu, s, s);
    }
    return scale;
}

// Contacts that open in q do not count: far candidates would. False when none closes, and nothing
// is to be solved.
static bool scale(struct ipm *p) {
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        p->scales[a] = scale_contact(p, a);
        cone_points_put_scale(p->points, a, p->scales[a]);
        if (p->scales[a].law == LAW_NONE)
            continue;
        vec3 q = vec3_times(p->scales[a].S, contact_get(p->problem->q, a));
        if (q.x < 0)
            p->sigma = fmax(p->sigma, vec3_length(q));
        p->active++;
    }
    return p->sigma > 0 && isfinite(p->sigma);
}

static void unscale(const struct ipm *p, double *r) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        contact_set(r, a, vec3_scale(p->sigma, vec3_times(p->scales[a].S, contact_get(p->x, a))));
}

// Finds r and u of x.
static void put_answer(struct ipm *p) {
    unscale(p, p->r);
    contact_problem_velocity(p->problem, p->r, p->u);
    p->known = true;
}

// The start -----------------------------------------------------------------------------------

static void start_cold(struct ipm *p) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        if (p->scales[a].law != LAW_NONE) {
            contact_set(p->x, a, vec3_make(1, 0, 0));
            contact_set(p->z, a, vec3_make(1, 0, 0));
        }
}

static double tangent(vec3 x) { return sqrt(x.y * x.y + x.z * x.z); }

static vec3 nearest(vec3 x) {
    double t = tangent(x);
    if (t <= x.x)
        return x;
    if (t <= -x.x)
        return vec3_zero();
    double n = 0.5 * (t + x.x);
    return vec3_make(n, n * x.y / t, n * x.z / t);
}

static bool inside(struct ipm *p) { return cone_points_inside(p->points, p->x, p->z); }

static void push_inside(struct ipm *p, double shift) {
    p->known = false;
    for (int32_t a = 0; a < p->problem->contacts; a++)
        if (p->scales[a].law != LAW_NONE) {
            p->x[3 * (size_t)a] += shift;
            p->z[3 * (size_t)a] += shift;
        }
}

static double largest(const struct ipm *p, const double *x) {
    return cone_points_largest(x, p->size);
}

// The impulses of before and the velocities that go with them, in the cones and then inside them by
// somewhat more than their error: with a larger push the start is forgotten, with a smaller one the
// point cannot leave the boundary where it has to. False when they are too wrong to be a start.
static bool start_warm(struct ipm *p, const double *r) {
    double error2 = 0;
    contact_problem_velocity(p->problem, r, p->u);
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        const struct cone_scale *scale = &p->scales[a];
        if (scale->law == LAW_NONE)
            continue;
        vec3 S = scale->S, x = vec3_scale(1 / p->sigma, contact_get(r, a));
        vec3 z = vec3_scale(1 / p->sigma, vec3_times(S, contact_get(p->u, a)));
        x = scale->law == LAW_CONE ? vec3_make(x.x / S.x, x.y / S.y, x.z / S.z)
                                   : vec3_make(x.x / S.x, 0, 0);
        z.x += tangent(z);
        vec3 map = vec3_sub(x, nearest(vec3_sub(x, z)));
        error2 += vec3_dot(map, map);
        contact_set(p->x, a, nearest(x));
        contact_set(p->z, a, nearest(z));
    }
    double error = sqrt(error2 / p->active);
    push_inside(p, pow(error, PUSH));
    return error > 0 && error < (largest(p, r) > 0 ? WARM : NONE);
}

// The linear system ---------------------------------------------------------------------------

static double complementarity(const struct ipm *p) {
    double sum = 0;
    for (size_t i = 0; i < p->size; i++)
        sum += p->x[i] * p->z[i];
    return sum / p->active;
}

// What of the equations is not fulfilled, and the slopes of the law.
static bool linearise(struct ipm *p) {
    if (!p->known)
        put_answer(p);
    p->known = false; // the linear system uses r and u
    cone_points_linearise(p->points, (struct cone_vectors){p->x, p->z, p->u, p->F}, p->sigma,
                          p->share, p->left, p->right);
    return resolvent_factorise_split(p->resolvent, p->left, p->right);
}

// u = W right y
static void respond(struct ipm *p, const double *y) {
    cone_points_apply_right(p->points, y, p->r);
    contact_problem_product(p->problem, p->r, p->u);
}

// y with (I + left W right) y = g, refined where factors lost digits: near the end.
static void solve(struct ipm *p, double *y) {
    resolvent_solve(p->resolvent, p->g, y);
    respond(p, y);
    cone_points_defect(p->points, p->g, y, p->u, p->defect);
    if (largest(p, p->defect) <= REFINE * largest(p, p->g))
        return;
    resolvent_solve(p->resolvent, p->defect, p->more);
    for (size_t i = 0; i < p->size; i++)
        y[i] += p->more[i];
    respond(p, y);
}

// A step, and how far x and z may go along it together, to the boundary.
static double aim(struct ipm *p, double target, double share, double *y, double *dx, double *dz) {
    cone_points_aim(p->points, target, share, p->py, p->g);
    solve(p, y);
    return 1 / cone_points_step(p->points, y, p->u, p->F, dx, dz);
}

// Steps ---------------------------------------------------------------------------------------

static double complementarity_after(const struct ipm *p, double step) {
    double sum = 0;
    for (size_t i = 0; i < p->size; i++)
        sum += (p->x[i] + step * p->px[i]) * (p->z[i] + step * p->pz[i]);
    return sum / p->active;
}

// The direction of predictor and corrector, and how far to go along it. Where that is hardly
// anywhere, pure centring by the same factors may reach further.
static double direction(struct ipm *p) {
    double far = fmin(1, 0.999 * aim(p, 0, 0, p->py, p->px, p->pz));
    double left = fmax(complementarity_after(p, far) / p->m, 1 - far);
    double centring = fmin(fmax(left * left * left, 1e-4), 1), second = far < 0.3 ? far * far : 1;
    double step = fmin(1, 0.99 * aim(p, centring * p->m, second, p->y, p->dx, p->dz));
    if (step >= SMALL_STEP)
        return step;
    double other = fmin(1, 0.99 * aim(p, fmax(centring, 0.5) * p->m, 0, p->y, p->px, p->pz));
    if (other > step) {
        memcpy(p->dx, p->px, p->size * sizeof *p->dx);
        memcpy(p->dz, p->pz, p->size * sizeof *p->dz);
        step = other;
    }
    return step;
}

static void move(struct ipm *p, double step) {
    for (size_t i = 0; i < p->size; i++) {
        p->x[i] += step * p->dx[i];
        p->z[i] += step * p->dz[i];
    }
}

// Answers -------------------------------------------------------------------------------------

// Near the end the active contacts are known and what is left is local: three sweeps find what the
// centre of the cones approaches slowly.
static void polish(struct ipm *p) {
    memcpy(p->polished, p->r, p->size * sizeof *p->r);
    if (!p->sweeps.contacts) {
        struct solver_settings exact = *p->monitor->settings;
        exact.local = GABION_LOCAL_EXACT;
        exact.relaxation = 1;
        p->sweeps = row_sweep_open(p->problem, &exact, p->polished);
    }
    row_sweep_refresh(&p->sweeps);
    for (int sweep = 0; sweep < 3; sweep++)
        row_sweep_once(&p->sweeps);
}

static bool answer_swept(struct ipm *p, int iteration, double *best) {
    polish(p);
    bool done = monitor_check(p->monitor, iteration, p->polished);
    *best = fmin(*best, p->monitor->last);
    return done;
}

// In a run no answer counts as far: where a step is given up, the next one goes on from its best.
static bool is_far(const struct ipm *p) {
    bool in_run = p->problem->views.midpoint != NULL;
    return !in_run && p->monitor->last > REACH * p->monitor->settings->tolerance;
}

// Measures the impulses at hand; *best is the best of this stage.
static bool answer(struct ipm *p, int iteration, double *best) {
    put_answer(p);
    bool done = monitor_check_both(p->monitor, iteration, p->r, p->u);
    *best = fmin(*best, p->monitor->last);
    p->unswept = p->m <= POLISH && is_far(p);
    if (done || p->m > POLISH || p->unswept)
        return done;
    return answer_swept(p, iteration, best);
}

// Makes up for closing sweeps that were left out, where there will be no better answer: whatever
// comes next goes on from there.
static void catch_up(struct ipm *p, int iteration) {
    double best = INFINITY;
    if (!p->unswept || monitor_done(p->monitor))
        return;
    put_answer(p);
    answer_swept(p, iteration, &best);
    p->unswept = false;
}

struct progress {
    double best, mark; // the best measure of this stage, and where progress was last noted
    double least;      // complementarity there
    int since;         // iterations since then
};

static struct progress progress_open(void) {
    return (struct progress){.best = INFINITY, .mark = INFINITY, .least = INFINITY};
}

// Counts the iterations since the answer became better. Before the end the measure may rise while
// the complementarity falls.
static void note_progress(struct progress *progress, double m) {
    progress->since++;
    if (progress->best < 0.9 * progress->mark || (m > POLISH && m < 0.9 * progress->least)) {
        progress->mark = progress->best;
        progress->least = m;
        progress->since = 0;
    }
}

// A point that was stuck too often is pushed inside.
static void unjam(struct ipm *p, double step) {
    p->jammed = fmax(p->jammed + (step < SMALL_STEP ? 1 : -0.5), 0);
    if (p->jammed < JAM)
        return;
    push_inside(p, sqrt(10 * p->m));
    inside(p);
    p->m = complementarity(p);
    p->share = shares[++p->pushes % 2];
    p->jammed = 0;
}

// Iterates until nothing is gained any more for `patience` iterations, or for `early` ones while
// the end has not been near. Returns whether it was, or nothing is left to iterate with.
static bool go_along(struct ipm *p, int budget, int early, int patience, int *used) {
    struct progress progress = progress_open();
    p->share = shares[0];
    p->jammed = 0;
    p->pushes = 0;
    p->known = false;
    inside(p);
    p->m = complementarity(p);
    bool near = false; // from a good start the complementarity is small at once
    double goal = GAINED * p->monitor->best_measure;
    while (*used < budget && progress.since < (near ? patience : early)) {
        ++*used;
        if (!linearise(p))
            return true;
        double step = direction(p);
        move(p, step);
        if (!(step > 0) || !inside(p))
            return true;
        p->m = complementarity(p);
        if (answer(p, *used, &progress.best) || !(p->m > EXHAUSTED))
            return true;
        near = near || (p->m <= POLISH && progress.best <= goal);
        note_progress(&progress, p->m);
        unjam(p, step);
    }
    return near;
}

static bool iterate(struct ipm *p, int budget, int early, int patience, int *used) {
    bool near = go_along(p, budget, early, patience, used);
    catch_up(p, *used);
    return near;
}

// Tries the start r. Returns whether that came near the end.
static bool run_warm(struct ipm *p, const double *r, int budget, int patience, int *used) {
    return start_warm(p, r) && iterate(p, budget, STUCK, patience, used);
}

// Starts from r where that is near enough. Impulses that sweeps have brought near a solution often
// lie where no step can leave the boundary of the cones. The next start is then what the closing
// sweeps of that way left (no impulses where it did not come so far), and the centres of the cones
// are the last.
int ipm_run(struct monitor *monitor, struct resolvent *resolvent, int budget, int patience,
            double *r) {
    struct ipm p = ipm_open(monitor, resolvent);
    int used = 0;
    if (!scale(&p)) {
        monitor_check(monitor, 0, p.polished); // no impulse at all
    } else if (!run_warm(&p, r, budget, patience, &used) &&
               !(largest(&p, r) > 0 && run_warm(&p, p.polished, budget, patience, &used))) {
        start_cold(&p);
        iterate(&p, budget, patience, patience, &used);
    }
    ipm_close(&p);
    return used;
}

void solver_ipm(struct monitor *monitor, double *r) {
    struct resolvent *resolvent = resolvent_create_kept(monitor->workspace, monitor->problem);
    ipm_run(monitor, resolvent, monitor->settings->max_iterations, IPM_PATIENT, r);
    resolvent_free(resolvent);
}
