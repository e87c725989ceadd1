// Interior point method on the contact law in the form of De Saxce and Feng (1998). Scaled so that
// every friction cone becomes the self-dual Lorentz cone L (engine/solvers/lorentz.h), r = sigma S
// x, the law is u' + n |u'_t| in L, x in L, both orthogonal, with u' = W' x + q', W' = S W S and q'
// = S q / sigma. The term that makes it non-associated sits in the Newton matrix: lagging it makes
// the method linear and slow. In place of |u'_t| stands
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
// is what engine/solvers/resolvent.h factorises: near the boundary of the cone the eigenvalues of D
// are 1/m and m, and only in these axes do both survive. W may be as singular as it likes.
// Predictor and corrector are Mehrotra's (1992).
#include "engine/solvers/ipm.h"

#include <string.h>

#include "engine/solvers/exact.h"
#include "engine/solvers/lorentz.h"
#include "engine/solvers/panel.h"
#include "parallel/memory.h"

#define SMALL_STEP 0.1   // shorter steps mean that the point is far from the central path
#define JAM        3     // so many of them in a row (nearly): push the point inside
#define POLISH     1e-6  // complementarity from which sweeps can finish
#define EXHAUSTED  1e-20 // complementarity below which rounding is all there is
#define REFINE     1e-9  // defect of a linear system from which it is refined
#define PATIENCE   30    // iterations without a better answer
#define WARM       1     // error up to which the impulses given are a start

// k of f. Where one path to the solution turns back another may not.
static const double shares[2] = {0.25, 0.9};

// Sticking contacts get the friction coefficient of a wide cone: their law has no form of De Saxce.
// A wider one would be worse conditioned; where even more friction is called for the residual
// tells.
#define WIDE_CONE 100

enum law { LAW_NONE, LAW_FRICTIONLESS, LAW_CONE };

struct point {
    enum law law;
    vec3 S; // diagonal
    struct lorentz_scaling V;
    vec3 lambda; // V z = V^-1 x
    vec3 tilt;   // E^-1 = I - n n^T + n tilt^T
};

struct ipm {
    struct monitor *monitor;
    const struct friction_problem *problem;
    struct resolvent *resolvent;
    struct point *points;
    size_t size;
    double sigma, m, active;
    double share; // k of f
    double *x, *z, *F;
    double *dx, *dz;               // the step
    double *px, *pz;               // the predictor's
    double *g, *y, *defect, *more; // of a linear solve, in the axes of V
    double *r, *u, *polished;      // in the problem's units
    mat3 *left, *right, *symmetric;
};

static struct ipm ipm_open(struct monitor *monitor, struct resolvent *resolvent) {
    const struct friction_problem *problem = monitor->problem;
    struct ipm p = {.monitor = monitor, .problem = problem, .resolvent = resolvent};
    size_t contacts = (size_t)problem->contacts;
    double **vectors[] = {&p.x, &p.z, &p.F,      &p.dx,   &p.dz, &p.px, &p.pz,
                          &p.g, &p.y, &p.defect, &p.more, &p.r,  &p.u,  &p.polished};
    p.size = friction_problem_size(problem);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = memory_allocate(p.size, sizeof(double), "ipm");
    p.points = memory_allocate(contacts, sizeof *p.points, "ipm");
    p.left = memory_allocate(contacts, sizeof *p.left, "ipm");
    p.right = memory_allocate(contacts, sizeof *p.right, "ipm");
    p.symmetric = memory_allocate(contacts, sizeof *p.symmetric, "ipm");
    return p;
}

static void ipm_close(struct ipm *p) {
    void *arrays[] = {p->x,  p->z,        p->F,      p->dx,     p->dz,    p->px,
                      p->pz, p->g,        p->y,      p->defect, p->more,  p->r,
                      p->u,  p->polished, p->points, p->left,   p->right, p->symmetric};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

// Scaling -------------------------------------------------------------------------------------

static double friction_of(const struct ipm *p, int32_t a) {
    return fmin(p->problem->mu[a], WIDE_CONE);
}

// One contact's W' has mean eigenvalue one.
static struct point scale_contact(const struct ipm *p, int32_t a) {
    const mat3 *W = &p->problem->diagonal[a];
    double mu = friction_of(p, a), w_n = W->row[0].x, w_t = W->row[1].y + W->row[2].z;
    struct point point = {.law = LAW_NONE};
    if (mu == 0 && w_n > 0) {
        point.law = LAW_FRICTIONLESS;
        point.S.x = 1 / sqrt(w_n);
    } else if (mu > 0 && w_n + w_t > 0) {
        double s = sqrt(3 / (w_n / (mu * mu) + w_t));
        point.law = LAW_CONE;
        point.S = vec3_make(s / mu, s, s);
    }
    return point;
}

// Contacts that open in q do not count: far candidates would. False when none closes, and nothing
// is to be solved.
static bool scale(struct ipm *p) {
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        p->points[a] = scale_contact(p, a);
        if (p->points[a].law == LAW_NONE)
            continue;
        vec3 q = vec3_times(p->points[a].S, friction_get(p->problem->q, a));
        if (q.x < 0)
            p->sigma = fmax(p->sigma, vec3_length(q));
        p->active++;
    }
    return p->sigma > 0 && isfinite(p->sigma);
}

static void unscale(const struct ipm *p, double *r) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        friction_set(r, a, vec3_scale(p->sigma, vec3_times(p->points[a].S, friction_get(p->x, a))));
}

// The start -----------------------------------------------------------------------------------

static void start_cold(struct ipm *p) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        if (p->points[a].law != LAW_NONE) {
            friction_set(p->x, a, vec3_make(1, 0, 0));
            friction_set(p->z, a, vec3_make(1, 0, 0));
        }
}

static vec3 nearest(vec3 x) {
    double t = lorentz_tangent(x);
    if (t <= x.x)
        return x;
    if (t <= -x.x)
        return vec3_zero();
    double n = 0.5 * (t + x.x);
    return vec3_make(n, n * x.y / t, n * x.z / t);
}

static void push_inside(struct ipm *p, double shift) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        if (p->points[a].law != LAW_NONE) {
            p->x[3 * (size_t)a] += shift;
            p->z[3 * (size_t)a] += shift;
        }
}

// The impulses of before and the velocities that go with them, in the cones and then inside them by
// their error: with a larger push the start is forgotten, with a smaller one the point cannot leave
// the boundary where it has to. False when they are too wrong to be a start.
static bool start_warm(struct ipm *p, const double *r) {
    double error2 = 0;
    friction_problem_velocity(p->problem, r, p->u);
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        const struct point *point = &p->points[a];
        if (point->law == LAW_NONE)
            continue;
        vec3 S = point->S, x = vec3_scale(1 / p->sigma, friction_get(r, a));
        vec3 z = vec3_scale(1 / p->sigma, vec3_times(S, friction_get(p->u, a)));
        x = point->law == LAW_CONE ? vec3_make(x.x / S.x, x.y / S.y, x.z / S.z)
                                   : vec3_make(x.x / S.x, 0, 0);
        z.x += lorentz_tangent(z);
        vec3 map = vec3_sub(x, nearest(vec3_sub(x, z)));
        error2 += vec3_dot(map, map);
        friction_set(p->x, a, nearest(x));
        friction_set(p->z, a, nearest(z));
    }
    double error = sqrt(error2 / p->active);
    push_inside(p, error);
    return error > 0 && error < WARM;
}

// The linear system ---------------------------------------------------------------------------

static double complementarity(const struct ipm *p) {
    double sum = 0;
    for (size_t i = 0; i < p->size; i++)
        sum += p->x[i] * p->z[i];
    return sum / p->active;
}

// E^-1 y
static vec3 tilt(const struct point *point, vec3 y) {
    y.x = vec3_dot(point->tilt, y);
    return y;
}

// D = right left, through the axes of V.
static void split_slope(const struct point *point, mat3 *left, mat3 *right) {
    const struct lorentz_scaling *V = &point->V;
    double *to = &right->row[0].x;
    for (int i = 0; i < 3; i++) {
        vec3 unit = {0};
        vec3_set(&unit, i, vec3_get(V->value, i));
        vec3 axis = lorentz_back(V, unit), column = vec3_times(point->S, axis);
        to[i] = column.x;
        to[3 + i] = column.y;
        to[6 + i] = column.z;
        vec3 tilted = vec3_add_scaled(vec3_make(0, axis.y, axis.z), axis.x, point->tilt);
        left->row[i] = vec3_times(point->S, tilted);
    }
}

static void linearise_contact(struct ipm *p, int32_t a) {
    struct point *point = &p->points[a];
    vec3 x = friction_get(p->x, a), z = friction_get(p->z, a), u = friction_get(p->u, a);
    vec3 F = vec3_add_scaled(z, -1 / p->sigma, vec3_times(point->S, u));
    point->V = lorentz_scale(x, z);
    point->lambda = lorentz_back(&point->V, lorentz_lambda(&point->V, x, z));
    point->tilt = vec3_make(1, 0, 0);
    if (point->law == LAW_CONE) {
        double k = p->share, f = sqrt((1 - k) * (z.y * z.y + z.z * z.z) + k * z.x * z.x);
        double g = f - k * z.x; // f (1 - df/dz_n)
        F.x -= f;
        point->tilt = vec3_make(f / g, (1 - k) * z.y / g, (1 - k) * z.z / g);
    }
    friction_set(p->F, a, F);
    split_slope(point, &p->left[a], &p->right[a]);
}

// What of the equations is not fulfilled, and the slopes of the law.
static bool linearise(struct ipm *p) {
    p->m = complementarity(p);
    unscale(p, p->r);
    friction_problem_velocity(p->problem, p->r, p->u);
    for (int32_t a = 0; a < p->problem->contacts; a++)
        if (p->points[a].law != LAW_NONE)
            linearise_contact(p, a);
    return resolvent_factorise_split(p->resolvent, p->left, p->right);
}

// u = W right y
static void respond(struct ipm *p) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        friction_set(p->r, a, mat3_apply(p->right[a], friction_get(p->y, a)));
    friction_problem_product(p->problem, p->r, p->u);
}

static double largest(const struct ipm *p, const double *x) {
    double most = 0;
    for (size_t i = 0; i < p->size; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

// y with (I + left W right) y = g, refined where factors lost digits: near the end.
static void solve(struct ipm *p) {
    resolvent_solve(p->resolvent, p->g, p->y);
    respond(p);
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        vec3 rest = vec3_sub(friction_get(p->g, a), friction_get(p->y, a));
        friction_set(p->defect, a, vec3_sub(rest, mat3_apply(p->left[a], friction_get(p->u, a))));
    }
    if (largest(p, p->defect) <= REFINE * largest(p, p->g))
        return;
    resolvent_solve(p->resolvent, p->defect, p->more);
    for (size_t i = 0; i < p->size; i++)
        p->y[i] += p->more[i];
    respond(p);
}

// What V^-1 dx + V dz has to be: towards x o z = target e, with `share` of the predictor's term of
// second order.
static vec3 wanted(const struct ipm *p, int32_t a, double target, double share) {
    const struct lorentz_scaling *V = &p->points[a].V;
    vec3 lambda = p->points[a].lambda;
    vec3 sum = vec3_add_scaled(vec3_negate(lambda), target, lorentz_inverse(lambda));
    if (share == 0)
        return sum;
    vec3 dx = lorentz_axes(V, friction_get(p->px, a)), dz = lorentz_axes(V, friction_get(p->pz, a));
    vec3 inverse = {1 / V->value.x, 1 / V->value.y, 1 / V->value.z};
    vec3 product = lorentz_product(lorentz_back(V, vec3_times(inverse, dx)),
                                   lorentz_back(V, vec3_times(V->value, dz)));
    return vec3_add_scaled(sum, -share, lorentz_divide(product, lambda, lorentz_det(lambda)));
}

static void aim(struct ipm *p, double target, double share, double *dx, double *dz) {
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        const struct point *point = &p->points[a];
        if (point->law == LAW_NONE)
            continue;
        vec3 F = lorentz_axes(&point->V, tilt(point, friction_get(p->F, a)));
        vec3 rest = lorentz_axes(&point->V, wanted(p, a, target, share));
        friction_set(p->g, a, vec3_add(rest, vec3_times(point->V.value, F)));
    }
    solve(p);
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        const struct point *point = &p->points[a];
        if (point->law == LAW_NONE)
            continue;
        vec3 y = friction_get(p->y, a), u = friction_get(p->u, a);
        vec3 step = lorentz_back(&point->V, vec3_times(point->V.value, y));
        if (point->law == LAW_FRICTIONLESS)
            step.y = step.z = 0; // but for rounding
        friction_set(dx, a, step);
        friction_set(dz, a, tilt(point, vec3_sub(vec3_times(point->S, u), friction_get(p->F, a))));
    }
}

// Steps ---------------------------------------------------------------------------------------

// How far x and z may go together, to the boundary.
static double reach(const struct ipm *p, const double *dx, const double *dz) {
    double least = INFINITY;
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        if (p->points[a].law == LAW_NONE)
            continue;
        double x = lorentz_reach(friction_get(p->x, a), friction_get(dx, a));
        double z = lorentz_reach(friction_get(p->z, a), friction_get(dz, a));
        least = fmin(least, fmin(x, z));
    }
    return least;
}

static double complementarity_after(const struct ipm *p, double step) {
    double sum = 0;
    for (size_t i = 0; i < p->size; i++)
        sum += (p->x[i] + step * p->px[i]) * (p->z[i] + step * p->pz[i]);
    return sum / p->active;
}

// The direction of predictor and corrector, and how far to go along it. Where that is hardly
// anywhere, pure centring by the same factors may reach further.
static double direction(struct ipm *p) {
    aim(p, 0, 0, p->px, p->pz);
    double far = fmin(1, 0.999 * reach(p, p->px, p->pz));
    double left = fmax(complementarity_after(p, far) / p->m, 1 - far);
    double centring = fmin(fmax(left * left * left, 1e-4), 1);
    aim(p, centring * p->m, far < 0.3 ? far * far : 1, p->dx, p->dz);
    double step = fmin(1, 0.99 * reach(p, p->dx, p->dz));
    if (step >= SMALL_STEP)
        return step;
    aim(p, fmax(centring, 0.5) * p->m, 0, p->px, p->pz);
    double other = fmin(1, 0.99 * reach(p, p->px, p->pz));
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

// Rounding may have put a point on the boundary, and a singular matrix anywhere.
static bool inside(const struct ipm *p) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        if (p->points[a].law != LAW_NONE &&
            !(lorentz_inside(friction_get(p->x, a)) && lorentz_inside(friction_get(p->z, a))))
            return false;
    return true;
}

// Answers -------------------------------------------------------------------------------------

// Near the end the active contacts are known and what is left is local: three sweeps with the exact
// one-contact solver, there and back and there, find what the centre of the cones approaches
// slowly.
static void polish(struct ipm *p) {
    const struct friction_problem *problem = p->problem;
    memcpy(p->polished, p->r, p->size * sizeof *p->r);
    struct friction_state state = friction_state_open(problem, p->polished);
    for (int sweep = 0; sweep < 3; sweep++)
        for (int32_t k = 0; k < problem->contacts; k++) {
            int32_t a = sweep == 1 ? problem->contacts - 1 - k : k;
            vec3 r = friction_get(state.r, a), u = friction_state_velocity(&state, a);
            vec3 b = vec3_sub(u, mat3_apply(p->symmetric[a], r));
            double slip = 0;
            if (problem->rho[a] > 0) {
                exact_solve(&p->symmetric[a], b, problem->mu[a], &r, &slip);
                friction_state_set(&state, a, r);
            }
        }
    friction_state_close(&state);
}

// Measures the impulses at hand; *best is the best of this stage.
static bool answer(struct ipm *p, int iteration, double *best) {
    unscale(p, p->r);
    bool done = monitor_check(p->monitor, iteration, p->r);
    *best = fmin(*best, p->monitor->last);
    if (done || p->m > POLISH)
        return done;
    polish(p);
    done = monitor_check(p->monitor, iteration, p->polished);
    *best = fmin(*best, p->monitor->last);
    return done;
}

static mat3 symmetric_part(const mat3 *W) {
    double ns = 0.5 * (W->row[0].y + W->row[1].x), nt = 0.5 * (W->row[0].z + W->row[2].x);
    double st = 0.5 * (W->row[1].z + W->row[2].y);
    return (mat3){{{W->row[0].x, ns, nt}, {ns, W->row[1].y, st}, {nt, st, W->row[2].z}}};
}

static int iterate(struct ipm *p, int budget) {
    double jammed = 0, best = INFINITY, mark = INFINITY;
    int used = 0, since = 0, pushes = 0;
    p->share = shares[0];
    while (used < budget && since++ < PATIENCE) {
        used++;
        if (!linearise(p))
            break;
        double step = direction(p);
        move(p, step);
        if (!(step > 0) || !inside(p))
            break;
        p->m = complementarity(p);
        if (answer(p, used, &best) || !(p->m > EXHAUSTED))
            break;
        if (best < 0.9 * mark) {
            mark = best;
            since = 0;
        }
        jammed = fmax(jammed + (step < SMALL_STEP ? 1 : -0.5), 0);
        if (jammed >= JAM) {
            push_inside(p, sqrt(10 * p->m));
            p->share = shares[++pushes % 2];
            jammed = 0;
        }
    }
    return used;
}

int ipm_run(struct monitor *monitor, struct resolvent *resolvent, int budget, double *r) {
    struct ipm p = ipm_open(monitor, resolvent);
    int used = 0;
    for (int32_t a = 0; a < p.problem->contacts; a++)
        p.symmetric[a] = symmetric_part(&p.problem->diagonal[a]);
    if (scale(&p)) {
        if (!start_warm(&p, r))
            start_cold(&p);
        used = iterate(&p, budget);
    } else {
        monitor_check(monitor, 0, p.r); // no impulse at all
    }
    ipm_close(&p);
    return used;
}

void solver_ipm(struct monitor *monitor, double *r) {
    struct resolvent *resolvent = resolvent_create(monitor->problem);
    ipm_run(monitor, resolvent, monitor->settings->max_iterations, r);
    resolvent_free(resolvent);
}
