// Sliding solutions are a curve of one parameter k >= 0, u_t = -k r_t. With S = W_TT - w w^T/w_nn
// and c = b_t - w b_n / w_nn, where w = W_Tn,
//
//   r_t(k) = -(S + k I)^-1 c,   r_n(k) = -(b_n + w.r_t(k)) / w_nn,   f(k) = |r_t| - mu r_n.
//
// k = 0 is sticking. If sticking leaves the cone then f(0) > 0, while f(inf) = mu b_n / w_nn < 0:
// with a definite W a root always exists, and there r_n = |r_t| / mu >= 0 (equivalent to the
// quartic of Bonnefon and Daviet 2011). S is diagonalised first: with eigenvalues l_i, r_i(k) =
// -c_i / (l_i + k). A locked degree of freedom is a zero eigenvalue; settle_locked says where even
// that leaves no root.
#include "engine/solvers/local/exact.h"

#include "engine/solvers/local/cone.h"

#define STICKING 1e100 // friction coefficients above count as infinite

// Relative defect from which one more Newton step is the last: Newton's method squares the error.
// The next search starts from its result, so that at convergence of the sweeps the error is squared
// once more.
#define LAST_STEP_DEFECT 1e-6

struct slide {
    double inverse_n, b_n, mu, inverse_mu;
    double l[2], c[2], w[2]; // eigenvalues of S; c and w in its eigenvectors
};

static double length2(const double *r) { return r[0] * r[0] + r[1] * r[1]; }

static double normal(const struct slide *slide, const double *r) {
    return -(slide->b_n + slide->w[0] * r[0] + slide->w[1] * r[1]) * slide->inverse_n;
}

// Computes r_t at k = 0; infinite along a locked direction.
static void stick(const struct slide *slide, double *r) {
    for (int i = 0; i < 2; i++)
        r[i] = slide->c[i] == 0 ? 0 : -slide->c[i] / slide->l[i];
}

// Returns a k above which f < 0, because |r_t| <= |c| / k: twice the root where S = 0 and w = 0.
static double slip_bound(const struct slide *slide) {
    double c = sqrt(length2(slide->c)), w = sqrt(length2(slide->w));
    return 2 * c * (slide->inverse_mu / slide->inverse_n + w) / -slide->b_n;
}

static double slip_guess(const struct slide *slide, double bound) {
    double c = sqrt(length2(slide->c)), mean = 0.5 * (slide->l[0] + slide->l[1]);
    double guess = c * slide->inverse_mu / (slide->inverse_n * -slide->b_n) - mean;
    return guess > 0 && guess < bound ? guess : 0.1 * bound;
}

// The point at k of the curve of sliding solutions, and where Newton's method goes from there: on
// 1/|r_t| - 1/(mu r_n), nearly linear in k, where that is defined, else on f.
struct slip_point {
    double r[2], r_n, x; // x = |r_t| / mu
    double next;
};

static struct slip_point slip_at(const struct slide *slide, double k) {
    double i0 = 1 / (slide->l[0] + k), i1 = 1 / (slide->l[1] + k);
    struct slip_point p = {.r = {-slide->c[0] * i0, -slide->c[1] * i1}};
    double r2 = length2(p.r);
    double A = p.r[0] * p.r[0] * i0 + p.r[1] * p.r[1] * i1; // -r_t.r_t'
    double B = (slide->w[0] * p.r[0] * i0 + slide->w[1] * p.r[1] * i1) * slide->inverse_n; // r_n'
    p.r_n = normal(slide, p.r);
    p.x = sqrt(r2) * slide->inverse_mu;
    if (p.r_n > 0)
        p.next = k + (p.x - p.r_n) * p.r_n * r2 / (A * p.r_n * p.r_n + B * p.x * r2);
    else
        p.next = k + (p.x - p.r_n) * r2 / (A * p.x + B * r2);
    return p;
}

// Finds the root of f in a bracket: `low` has f > 0, `high` has f < 0.
static bool find_slip(const struct slide *slide, double *k, double *r, double *r_n) {
    double low = 0, high = INFINITY;
    double at = *k > 0 ? *k : slip_guess(slide, slip_bound(slide));
    for (int iteration = 0; iteration < 200; iteration++) {
        struct slip_point p = slip_at(slide, at);
        double f = p.x - p.r_n;
        if (f > 0)
            low = at;
        else
            high = at;
        bool nearly = fabs(f) <= LAST_STEP_DEFECT * (p.x + fabs(p.r_n)),
             inside = p.next > low && p.next < high;
        *k = nearly && inside ? p.next : at;
        at = p.next;
        if (!inside && !nearly) {
            high = high < INFINITY ? high : slip_bound(slide);
            at = low > 0 ? sqrt(low * high) : 0.1 * high;
            inside = at > low && at < high;
        }
        if (nearly || !inside) { // else neighbouring numbers: no better k exists
            r[0] = -slide->c[0] / (slide->l[0] + *k);
            r[1] = -slide->c[1] / (slide->l[1] + *k);
            *r_n = sqrt(length2(r)) * slide->inverse_mu; // exactly on the cone
            return true;
        }
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
    bool jams = slide->mu * wc * slide->inverse_n >= (1 - 1e-9) * sqrt(cc);
    for (int i = 0; i < 2; i++)
        if (slide->l[i] == 0 && jams)
            slide->c[i] = 0;
}

// When even the bracket failed (not seen with a definite W): one projected step, which at least
// goes in the right direction.
static vec3 projected_step(const mat3 *W, vec3 b, double mu, vec3 r) {
    double rho = 1 / (W->row[0].x + W->row[1].y + W->row[2].z);
    vec3 u = vec3_add(mat3_apply(*W, r), b);
    return cone_clamp(vec3_add_scaled(r, -rho, u), mu);
}

void exact_prepare(const mat3 *W, struct exact_block *block) {
    *block = (struct exact_block){.W = mat3_symmetric_part(W), .cosine = 1};
    vec3 n = block->W.row[0], s = block->W.row[1];
    double w_nn = n.x, w_ns = n.y, w_nt = n.z, w_ss = s.y, w_st = s.z, w_tt = block->W.row[2].z;
    double floor = exact_floor(W);
    if (!(w_nn > floor))
        return;
    block->w_nn = w_nn;
    diagonalise(w_ss - w_ns * w_ns / w_nn, w_st - w_ns * w_nt / w_nn, w_tt - w_nt * w_nt / w_nn,
                floor, block->l, &block->cosine, &block->sine);
    block->w[0] = block->cosine * w_ns - block->sine * w_nt;
    block->w[1] = block->sine * w_ns + block->cosine * w_nt;
}

static struct slide slide_of(const struct exact_block *block, vec3 b, double mu) {
    double inverse_n = 1 / block->w_nn, share = b.x * inverse_n;
    return (struct slide){
        .inverse_n = inverse_n,
        .b_n = b.x,
        .mu = mu,
        .inverse_mu = 1 / mu,
        .l = {block->l[0], block->l[1]},
        .c = {block->cosine * b.y - block->sine * b.z - block->w[0] * share,
              block->sine * b.y + block->cosine * b.z - block->w[1] * share},
        .w = {block->w[0], block->w[1]},
    };
}

static vec3 turn_back(const struct exact_block *block, double r_n, const double *r) {
    return vec3_make(r_n, block->cosine * r[0] + block->sine * r[1],
                     -block->sine * r[0] + block->cosine * r[1]);
}

static bool answer_slide(const struct exact_block *block, const struct slide *slide, vec3 b,
                         vec3 *r, double *k) {
    double r_t[2], r_n;
    if (find_slip(slide, k, r_t, &r_n) && isfinite(r_t[0] + r_t[1] + r_n)) {
        *r = turn_back(block, r_n, r_t);
        return true;
    }
    *r = projected_step(&block->W, b, slide->mu, *r);
    return false;
}

bool exact_slide(const struct exact_block *block, vec3 b, double mu, vec3 *r, double *k) {
    if (mu == 0) {
        *r = vec3_make(-b.x / block->w_nn, 0, 0);
        return true;
    }
    struct slide slide = slide_of(block, b, mu);
    return answer_slide(block, &slide, b, r, k);
}

bool exact_answer(const struct exact_block *block, vec3 b, double mu, vec3 *r, double *k) {
    if (b.x >= 0 || !(block->w_nn > 0)) { // open, or locked along the normal: nothing to be done
        *r = vec3_zero();
        return b.x >= 0;
    }
    if (mu == 0)
        return exact_slide(block, b, mu, r, k);
    struct slide slide = slide_of(block, b, mu);
    settle_locked(&slide, 8 * DBL_EPSILON * vec3_length(b));
    double r_t[2];
    stick(&slide, r_t);
    double r_n = normal(&slide, r_t), length = sqrt(length2(r_t));
    // Infinite along a locked direction, which never sticks.
    if (!(isfinite(length) && r_n >= 0 && length <= mu * r_n))
        return answer_slide(block, &slide, b, r, k);
    *r = turn_back(block, r_n, r_t);
    return true;
}

bool exact_solve(const mat3 *W, vec3 b, double mu, vec3 *r, double *k) {
    struct exact_block block;
    exact_prepare(W, &block);
    return exact_answer(&block, b, mu, r, k);
}
