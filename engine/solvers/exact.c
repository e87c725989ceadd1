// Sliding solutions are a curve of one parameter k >= 0, u_t = -k r_t. With S = W_TT - w w^T/w_nn
// and c = b_t - w b_n / w_nn, where w = W_Tn,
//
//   r_t(k) = -(S + k I)^-1 c,   r_n(k) = -(b_n + w.r_t(k)) / w_nn,   f(k) = |r_t| - mu r_n.
//
// k = 0 is sticking. If sticking leaves the cone then f(0) > 0, while f(inf) = mu b_n / w_nn < 0:
// a root always exists, and there r_n = |r_t| / mu >= 0 (the quartic of Bonnefon and Daviet 2011
// in another dress). S is diagonalised first, so that locked degrees of freedom (a zero
// eigenvalue) need no special case: with eigenvalues l_i, r_i(k) = -c_i / (l_i + k).
#include "engine/solvers/exact.h"

#include <float.h>

struct slide {
    double w_nn, b_n, mu;
    double l[2], c[2], w[2]; // eigenvalues of S; c and w in its eigenvectors
};

static double tangential(const struct slide *slide, double k, double *r) {
    for (int i = 0; i < 2; i++)
        r[i] = slide->c[i] == 0 ? 0 : -slide->c[i] / (slide->l[i] + k);
    return sqrt(r[0] * r[0] + r[1] * r[1]);
}

static double normal(const struct slide *slide, const double *r) {
    return -(slide->b_n + slide->w[0] * r[0] + slide->w[1] * r[1]) / slide->w_nn;
}

// One Newton step for f, on 1/|r_t| - 1/(mu r_n) where that is defined: nearly linear in k.
static double newton_step(const struct slide *slide, double k, const double *r, double length,
                          double r_n) {
    double dr[2], slope_n = 0, slope_t = 0;
    for (int i = 0; i < 2; i++) {
        dr[i] = slide->c[i] == 0 ? 0 : -r[i] / (slide->l[i] + k);
        slope_t += r[i] * dr[i] / length;
        slope_n -= slide->w[i] * dr[i] / slide->w_nn;
    }
    double limit = slide->mu * r_n;
    if (r_n > 0) {
        double value = 1 / length - 1 / limit;
        double slope = -slope_t / (length * length) + slide->mu * slope_n / (limit * limit);
        return k - value / slope;
    }
    return k - (length - limit) / (slope_t - slide->mu * slope_n);
}

// Root of f, bracketed: `low` has f > 0, `high` has f < 0.
static bool find_slip(const struct slide *slide, double *k, double *r, double *r_n) {
    double low = 0, high = INFINITY, scale = slide->l[0] + slide->l[1];
    double at = *k > 0 && isfinite(*k) ? *k : 0.1 * scale + DBL_MIN;
    for (int iteration = 0; iteration < 200; iteration++) {
        double length = tangential(slide, at, r);
        *r_n = normal(slide, r);
        double f = length - slide->mu * *r_n;
        *k = at;
        if (fabs(f) <= 4 * DBL_EPSILON * (length + slide->mu * fabs(*r_n)) || at == low ||
            at == high)
            return true;
        if (f > 0)
            low = at;
        else
            high = at;
        double next = newton_step(slide, at, r, length, *r_n);
        if (!(next > low && next < high)) {
            if (isinf(high))
                next = 10 * at + 1e-3 * scale + DBL_MIN;
            else
                next = low > 0 ? sqrt(low * high) : 0.1 * high;
        }
        if (next == at)
            return true; // neighbouring numbers: no better k exists
        at = next;
    }
    return false;
}

// Eigenvectors of the symmetric 2x2 matrix [a b; b d] as a rotation (cosine, sine).
static void diagonalise(double a, double b, double d, double *l, double *cosine, double *sine) {
    *cosine = 1;
    *sine = 0;
    if (b != 0) {
        double theta = (d - a) / (2 * b);
        double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
        *cosine = 1 / sqrt(t * t + 1);
        *sine = t * *cosine;
        a -= t * b;
        d += t * b;
    }
    double floor = 1e-14 * fmax(a, d); // rounding of a locked direction
    l[0] = a > floor ? a : 0;
    l[1] = d > floor ? d : 0;
}

// When even the bracket failed (not seen with a definite W): one projected step, which at least
// goes in the right direction.
static vec3 projected_step(const mat3 *W, vec3 b, double mu, vec3 r) {
    double rho = 1 / (W->row[0].x + W->row[1].y + W->row[2].z);
    vec3 u = vec3_add(mat3_apply(*W, r), b);
    r = vec3_add_scaled(r, -rho, u);
    r.x = fmax(r.x, 0);
    double length = sqrt(r.y * r.y + r.z * r.z), limit = mu * r.x;
    if (length > limit) {
        r.y *= limit / length;
        r.z *= limit / length;
    }
    return r;
}

bool exact_solve(const mat3 *W, vec3 b, double mu, vec3 *r, double *k) {
    double w_nn = W->row[0].x;
    if (b.x >= 0 || !(w_nn > 0)) {
        *r = vec3_zero();
        return w_nn > 0 || b.x >= 0;
    }
    if (mu == 0) {
        *r = vec3_make(-b.x / w_nn, 0, 0);
        return true;
    }
    double ws = W->row[1].x, wt = W->row[2].x, cosine, sine, q[2], q_n;
    struct slide slide = {.w_nn = w_nn, .b_n = b.x, .mu = mu};
    diagonalise(W->row[1].y - ws * ws / w_nn, W->row[1].z - ws * wt / w_nn,
                W->row[2].z - wt * wt / w_nn, slide.l, &cosine, &sine);
    double cs = b.y - ws * b.x / w_nn, ct = b.z - wt * b.x / w_nn;
    slide.c[0] = cosine * cs - sine * ct;
    slide.c[1] = sine * cs + cosine * ct;
    slide.w[0] = cosine * ws - sine * wt;
    slide.w[1] = sine * ws + cosine * wt;
    double length = tangential(&slide, 0, q);
    q_n = normal(&slide, q);
    if (!(q_n >= 0 && length <= mu * q_n)) { // infinite along a locked direction: never sticks
        if (!find_slip(&slide, k, q, &q_n) || !isfinite(q_n)) {
            *r = projected_step(W, b, mu, *r);
            return false;
        }
        length = sqrt(q[0] * q[0] + q[1] * q[1]);
        if (length > 0) { // exactly on the cone
            q[0] *= mu * q_n / length;
            q[1] *= mu * q_n / length;
        }
    }
    *r = vec3_make(q_n, cosine * q[0] + sine * q[1], -sine * q[0] + cosine * q[1]);
    return true;
}
