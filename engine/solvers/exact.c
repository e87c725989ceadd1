// Sliding solutions are a curve of one parameter k >= 0, u_t = -k r_t. With S = W_TT - w w^T/w_nn
// and c = b_t - w b_n / w_nn, where w = W_Tn,
//
//   r_t(k) = -(S + k I)^-1 c,   r_n(k) = -(b_n + w.r_t(k)) / w_nn,   f(k) = |r_t| - mu r_n.
//
// k = 0 is sticking. If sticking leaves the cone then f(0) > 0, while f(inf) = mu b_n / w_nn < 0:
// with a definite W a root always exists, and there r_n = |r_t| / mu >= 0 (the quartic of Bonnefon
// and Daviet 2011 in another dress). S is diagonalised first: with eigenvalues l_i,
// r_i(k) = -c_i / (l_i + k). A locked degree of freedom is a zero eigenvalue; settle_locked says
// where even that leaves no root.
#include "engine/solvers/exact.h"

#include <float.h>

#define STICKING 1e100 // friction from here on means infinite

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

// Root of f, bracketed: `low` has f > 0, `high` has f < 0. As |r_t| <= |c| / k, the latter is sure
// from k = |c| (w_nn / mu + |w|) / |b_n| on, which is the root itself where S = 0 and w = 0.
static bool find_slip(const struct slide *slide, double *k, double *r, double *r_n) {
    double c = hypot(slide->c[0], slide->c[1]), w = hypot(slide->w[0], slide->w[1]);
    double low = 0, high = 2 * c * (slide->w_nn / slide->mu + w) / -slide->b_n;
    double guess = c * slide->w_nn / (slide->mu * -slide->b_n) - 0.5 * (slide->l[0] + slide->l[1]);
    double at = *k > 0 && *k < high ? *k : guess > 0 && guess < high ? guess : 0.1 * high;
    for (int iteration = 0; iteration < 200; iteration++) {
        double length = tangential(slide, at, r);
        *r_n = normal(slide, r);
        double f = length / slide->mu - *r_n;
        *k = at;
        if (fabs(f) <= 4 * DBL_EPSILON * (length / slide->mu + fabs(*r_n)))
            return true;
        if (f > 0)
            low = at;
        else
            high = at;
        at = newton_step(slide, at, r, length, *r_n);
        if (!(at > low && at < high))
            at = low > 0 ? sqrt(low * high) : 0.1 * high;
        if (!(at > low && at < high))
            return true; // neighbouring numbers: no better k exists
    }
    return false;
}

// Eigenvectors of the symmetric 2x2 matrix [a b; b d] as a rotation (cosine, sine).
// Eigenvalues below `floor` are the rounding of a locked direction.
static void diagonalise(double a, double b, double d, double floor, double *l, double *cosine,
                        double *sine) {
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
    l[0] = a > floor ? a : 0;
    l[1] = d > floor ? d : 0;
}

// Along a locked direction no tangential impulse changes the velocity that the normal one leaves.
// Rounding there is not sliding; infinite friction would be an infinite impulse; and a body locked
// to a line may meet the contact so obliquely that friction feeds the normal force faster than it
// uses it up (self-locking): as k -> 0, f -> |r_t| (1 - mu w.c / (|c| w_nn)) < 0 and there is no
// root. None of these gets an impulse there.
static void settle_locked(struct slide *slide, double rounding) {
    double wc = 0, cc = 0;
    for (int i = 0; i < 2; i++) {
        if (slide->l[i] > 0)
            continue;
        if (fabs(slide->c[i]) <= rounding || slide->mu >= STICKING)
            slide->c[i] = 0;
        wc += slide->w[i] * slide->c[i];
        cc += slide->c[i] * slide->c[i];
    }
    bool jams = slide->mu * wc >= (1 - 1e-9) * slide->w_nn * sqrt(cc);
    for (int i = 0; i < 2; i++)
        if (slide->l[i] == 0 && jams)
            slide->c[i] = 0;
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
    double w_nn = W->row[0].x, floor = 8 * DBL_EPSILON * (w_nn + W->row[1].y + W->row[2].z);
    if (b.x >= 0 || !(w_nn > floor)) { // open, or locked along the normal: nothing to be done
        *r = vec3_zero();
        return b.x >= 0;
    }
    if (mu == 0) {
        *r = vec3_make(-b.x / w_nn, 0, 0);
        return true;
    }
    double ws = W->row[1].x, wt = W->row[2].x, cosine, sine, q[2], q_n;
    struct slide slide = {.w_nn = w_nn, .b_n = b.x, .mu = mu};
    diagonalise(W->row[1].y - ws * ws / w_nn, W->row[1].z - ws * wt / w_nn,
                W->row[2].z - wt * wt / w_nn, floor, slide.l, &cosine, &sine);
    double cs = b.y - ws * b.x / w_nn, ct = b.z - wt * b.x / w_nn;
    slide.c[0] = cosine * cs - sine * ct;
    slide.c[1] = sine * cs + cosine * ct;
    slide.w[0] = cosine * ws - sine * wt;
    slide.w[1] = sine * ws + cosine * wt;
    settle_locked(&slide, 8 * DBL_EPSILON * vec3_length(b));
    double length = tangential(&slide, 0, q);
    q_n = normal(&slide, q);
    // Infinite along a locked direction, which never sticks.
    if (!(isfinite(length) && q_n >= 0 && length <= mu * q_n)) {
        if (!find_slip(&slide, k, q, &q_n) || !isfinite(q[0] + q[1] + q_n)) {
            *r = projected_step(W, b, mu, *r);
            return false;
        }
        q_n = sqrt(q[0] * q[0] + q[1] * q[1]) / mu; // exactly on the cone
    }
    *r = vec3_make(q_n, cosine * q[0] + sine * q[1], -sine * q[0] + cosine * q[1]);
    return true;
}
