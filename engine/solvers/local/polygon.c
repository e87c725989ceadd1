#include "engine/solvers/local/polygon.h"

#include <float.h>
#include <stdio.h>

#include "engine/problem/residual.h"
#include "engine/solvers/dense/active_set.h"
#include "engine/solvers/local/exact.h"
#include "engine/solvers/dense/lcp.h"
#include "parallel/memory.h"

#define LOCAL_PIVOTS 1000 // far more than lexicographic pivots need on one contact
#define LOCAL_SEARCH 100  // programs

void polygon_name(const struct gabion_cone *cone, char *name, size_t size) {
    snprintf(name, size, "%s %d-gon", cone->outer ? "outer" : "inner", cone->sides);
}

// Corners -------------------------------------------------------------------------------------

// (cos, sin) without the C library's, whose last bits depend on the processor.
static vec3 direction(double angle) {
    quat q = quat_about(vec3_make(1, 0, 0), angle);
    return vec3_make(0, q.w * q.w - q.x * q.x, 2 * q.w * q.x);
}

vec3 *polygon_columns(const struct gabion_cone *cone) {
    const double turn = 6.283185307179586;
    vec3 *column = memory_allocate((size_t)cone->sides + 1, sizeof *column, "polygon");
    double radius = cone->outer ? 1 / direction(turn / 2 / cone->sides).y : 1;
    vec3 step = direction(turn / cone->sides);
    column[0] = vec3_scale(radius, direction(cone->angle));
    for (int k = 1; k < cone->sides; k++) {
        vec3 last = column[k - 1];
        column[k] =
            vec3_make(0, last.y * step.y - last.z * step.z, last.y * step.z + last.z * step.y);
    }
    column[cone->sides] = vec3_make(1, 0, 0);
    return column;
}

double polygon_support(const vec3 *column, int sides, vec3 u) {
    double most = 0;
    for (int k = 0; k < sides; k++)
        most = fmax(most, -vec3_dot(column[k], u));
    return most;
}

vec3 polygon_edge(const vec3 *column, int sides, double mu, int k, const mat3 *W) {
    vec3 edge = vec3_add_scaled(column[sides], fmin(mu, POLYGON_STICKS), column[k]);
    double w = vec3_dot(edge, mat3_apply(*W, edge));
    return w > 0 ? vec3_scale(1 / sqrt(w), edge) : edge;
}

// The complementarity problem -----------------------------------------------------------------

size_t polygon_unknowns(int sides, double mu) { return mu > 0 ? (size_t)sides + 2 : 1; }

// The columns of a contact's impulse: without friction the normal alone.
static int impulse_columns(int sides, double mu) { return mu > 0 ? sides + 1 : 1; }

static const vec3 *first_column(const vec3 *column, int sides, double mu) {
    return mu > 0 ? column : column + sides;
}

void polygon_add_block(const vec3 *column, int sides, double mu_row, double mu_column, mat3 W,
                       double *M, size_t stride) {
    const vec3 *left = first_column(column, sides, mu_row);
    const vec3 *right = first_column(column, sides, mu_column);
    int rows = impulse_columns(sides, mu_row), columns = impulse_columns(sides, mu_column);
    for (int i = 0; i < rows; i++) {
        vec3 through = mat3_apply_transposed(W, left[i]);
        for (int j = 0; j < columns; j++)
            M[(size_t)i * stride + (size_t)j] += vec3_dot(through, right[j]);
    }
}

void polygon_add_bound(int sides, double mu, double *M, size_t stride) {
    if (!(mu > 0))
        return;
    size_t n = (size_t)sides;
    for (size_t k = 0; k < n; k++) {
        M[k * stride + n + 1] += 1;
        M[(n + 1) * stride + k] -= 1;
    }
    M[(n + 1) * stride + n] += fmin(mu, POLYGON_STICKS);
}

void polygon_add_free(const vec3 *column, int sides, double mu, vec3 b, double *q) {
    const vec3 *left = first_column(column, sides, mu);
    for (int i = 0; i < impulse_columns(sides, mu); i++)
        q[i] += vec3_dot(left[i], b);
}

// Pivots obey mu r_n - e.beta >= 0 up to rounding, which may leave friction where r_n is zero.
vec3 polygon_impulse(const vec3 *column, int sides, double mu, const double *z) {
    if (!(mu > 0))
        return vec3_make(z[0], 0, 0);
    double limit = fmin(mu, POLYGON_STICKS) * z[sides], used = 0;
    vec3 r_t = vec3_zero();
    for (int k = 0; k < sides; k++) {
        used += z[k];
        r_t = vec3_add_scaled(r_t, z[k], column[k]);
    }
    double shrink = used > limit ? limit / used : 1;
    return vec3_make(z[sides], shrink * r_t.y, shrink * r_t.z);
}

// One contact ---------------------------------------------------------------------------------

static bool solve_by_pivots(const vec3 *column, int sides, const mat3 *W, vec3 b, double mu,
                            vec3 *r) {
    size_t n = polygon_unknowns(sides, mu);
    double *M = memory_allocate(n * (n + 2), sizeof *M, "polygon");
    double *q = M + n * n, *z = q + n;
    polygon_add_block(column, sides, mu, mu, *W, M, n);
    polygon_add_bound(sides, mu, M, n);
    polygon_add_free(column, sides, mu, b, q);
    bool solved = lcp_solve(n, M, q, LOCAL_PIVOTS, NULL, z).status == LCP_SOLVED;
    if (solved)
        *r = polygon_impulse(column, sides, mu, z);
    memory_free(M);
    return solved;
}

// Edges of the cone of one contact, and Q between them.
struct one_contact {
    int sides;
    mat3 W;
    vec3 b;
    double mu;
    const vec3 *column;
    vec3 *edge;
    double *c, *x;
    struct active_set *set;
};

static void one_row(const void *context, size_t i, double *row) {
    const struct one_contact *one = context;
    vec3 through = mat3_apply_transposed(one->W, one->edge[i]);
    for (int k = 0; k < one->sides; k++)
        row[k] = vec3_dot(through, one->edge[k]);
}

static void one_response(const struct one_contact *one, vec3 r, double *y) {
    vec3 u = mat3_apply(one->W, r);
    for (int k = 0; k < one->sides; k++)
        y[k] = vec3_dot(one->edge[k], u);
}

static void one_column(const void *context, size_t j, double *column) {
    const struct one_contact *one = context;
    one_response(one, one->edge[j], column);
}

static vec3 one_impulse(const struct one_contact *one, const double *x) {
    vec3 r = vec3_zero();
    for (int k = 0; k < one->sides; k++)
        r = vec3_add_scaled(r, x[k], one->edge[k]);
    return r;
}

static void one_product(const void *context, const double *x, double *Qx) {
    one_response(context, one_impulse(context, x), Qx);
}

// The impulse when `slide` is what De Saxce adds to u_n, and what the velocity that follows would
// add instead, less `slide`.
static bool one_mismatch(const struct one_contact *one, double slide, vec3 *r, double *mismatch) {
    vec3 lifted = vec3_make(one->b.x + slide, one->b.y, one->b.z);
    for (int k = 0; k < one->sides; k++)
        one->c[k] = vec3_dot(one->edge[k], lifted);
    if (active_set_solve(one->set, one->c, one->x) != ACTIVE_SOLVED)
        return false;
    *r = one_impulse(one, one->x);
    vec3 u = vec3_add(mat3_apply(one->W, *r), one->b);
    *mismatch = one->mu * polygon_support(one->column, one->sides, u) - slide;
    return true;
}

// With slide = mu |u_t| known the law is a convex program over the cone (De Saxce, Feng 1998; a
// fixed point on it: Acary, Cadoux, Lemarechal, Malick 2011). For one contact the mismatch is a
// continuous function of one number, not negative at zero and negative where the contact opens:
// false position with the Illinois rule, which is exact once both ends have the same faces.
static bool find_slide(const struct one_contact *one, vec3 *r) {
    double low = 0, high = one->mu * polygon_support(one->column, one->sides, one->b) - one->b.x;
    double at_low, at_high = one->b.x, rounding = 4 * DBL_EPSILON * high;
    if (!one_mismatch(one, 0, r, &at_low))
        return false;
    if (at_low <= rounding)
        return true;
    for (int k = 0; k < LOCAL_SEARCH; k++) {
        double slide = high - at_high * (high - low) / (at_high - at_low), mismatch;
        if (!one_mismatch(one, slide, r, &mismatch))
            return false;
        if (fabs(mismatch) <= rounding || high - low <= rounding)
            return true;
        if (mismatch > 0) {
            low = slide;
            at_low = mismatch;
            at_high /= 2;
        } else {
            high = slide;
            at_high = mismatch;
            at_low /= 2;
        }
    }
    return false;
}

static bool solve_by_programs(const vec3 *column, int sides, const mat3 *W, vec3 b, double mu,
                              vec3 *r) {
    size_t n = (size_t)sides;
    struct one_contact one = {.sides = sides, .W = *W, .b = b, .mu = mu, .column = column};
    one.edge = memory_allocate(n, sizeof *one.edge, "polygon");
    one.c = memory_allocate(2 * n, sizeof *one.c, "polygon");
    one.x = one.c + n;
    for (int k = 0; k < sides; k++)
        one.edge[k] = polygon_edge(column, sides, mu, k, W);
    struct active_matrix matrix = {n, 3, &one, one_product, one_column, one_row};
    one.set = active_set_create(&matrix);
    bool solved = find_slide(&one, r);
    active_set_free(one.set);
    memory_free(one.c);
    memory_free(one.edge);
    return solved;
}

bool polygon_solve(enum gabion_local local, const struct gabion_cone *cone, const mat3 *W, vec3 b,
                   double mu, vec3 *r) {
    double k = 0;
    vec3 start = *r;
    if (b.x >= 0 || mu == 0 || mu >= POLYGON_STICKS)
        return exact_solve(W, b, mu, r, &k);
    vec3 *column = polygon_columns(cone);
    bool solved = local == GABION_LOCAL_QP ? solve_by_programs(column, cone->sides, W, b, mu, r)
                                           : solve_by_pivots(column, cone->sides, W, b, mu, r);
    memory_free(column);
    if (solved && vec3_finite(*r))
        return true;
    *r = start;
    exact_solve(W, b, mu, r, &k);
    return false;
}

// The residual --------------------------------------------------------------------------------

// Nearest point of the cone with edges (1, mu d_k): the point itself, or the nearest of its
// projections on faces and edges, or the tip.
struct nearest {
    vec3 from, point;
    double distance2;
};

static void nearest_try(struct nearest *nearest, vec3 point) {
    vec3 apart = vec3_sub(point, nearest->from);
    double distance2 = vec3_dot(apart, apart);
    if (distance2 < nearest->distance2) {
        nearest->distance2 = distance2;
        nearest->point = point;
    }
}

static vec3 project(const vec3 *column, int sides, double mu, vec3 a) {
    struct nearest nearest = {a, vec3_zero(), vec3_dot(a, a)};
    bool inside = true;
    for (int k = 0; k < sides; k++) {
        vec3 edge = vec3_add_scaled(column[sides], mu, column[k]);
        vec3 next = vec3_add_scaled(column[sides], mu, column[(k + 1) % sides]);
        double along = vec3_dot(edge, a) / vec3_dot(edge, edge);
        if (along > 0)
            nearest_try(&nearest, vec3_scale(along, edge));
        vec3 inward = vec3_cross(edge, next);
        double depth = vec3_dot(inward, a) / vec3_dot(inward, inward);
        vec3 foot = vec3_add_scaled(a, -depth, inward);
        inside = inside && depth >= 0;
        // Between its two edges as seen along the face.
        if (vec3_dot(vec3_cross(inward, edge), foot) >= 0 &&
            vec3_dot(vec3_cross(next, inward), foot) >= 0)
            nearest_try(&nearest, foot);
    }
    return inside ? a : nearest.point;
}

static vec3 natural_map(const vec3 *column, int sides, double mu, double rho, vec3 r, vec3 u) {
    double pushed = fmax(r.x - rho * u.x, 0);
    if (mu == 0)
        return vec3_make(r.x - pushed, r.y, r.z);
    if (mu >= POLYGON_STICKS) {
        bool closed = pushed > 0;
        return vec3_make(r.x - pushed, closed ? rho * u.y : r.y, closed ? rho * u.z : r.z);
    }
    u.x += mu * polygon_support(column, sides, u);
    return vec3_sub(r, project(column, sides, mu, vec3_add_scaled(r, -rho, u)));
}

static void add_contact(const struct contact_problem *problem, int32_t a, vec3 e, vec3 r,
                        struct residual_tally *tally) {
    double rho = problem->rho[a];
    if (rho == 0)
        return;
    binned_add(&tally->scaled2, vec3_dot(e, e) / (rho * rho));
    binned_add(&tally->wr2, vec3_dot(r, r) / (rho * rho));
}

double polygon_residual(const struct contact_problem *problem, const struct gabion_cone *cone,
                        const double *r) {
    struct residual_tally tally = {0};
    vec3 *column = polygon_columns(cone);
    double *u = memory_allocate(contact_problem_size(problem), sizeof *u, "residual");
    contact_problem_velocity(problem, r, u);
    for (int32_t a = 0; a < problem->contacts; a++) {
        uint8_t held = contact_held(problem, a);
        vec3 e = held ? vec3_scale(problem->rho[a], hold_keep(held, contact_get(u, a)))
                      : natural_map(column, cone->sides, problem->mu[a], problem->rho[a],
                                    contact_get(r, a), contact_get(u, a));
        add_contact(problem, a, e, contact_get(r, a), &tally);
    }
    memory_free(column);
    memory_free(u);
    struct residual_sums sums = residual_close(&tally);
    sums.closing2 = residual_closing2(problem);
    return residual_scaled(&sums, problem->least.floor);
}
