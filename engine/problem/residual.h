// How well impulses obey the contact law. The measures take impulses and velocities as they are and
// know nothing of how they were found; no solver has a measure of its own.
//
// With u = W r + q, ut = u + mu |u_T| n (De Saxce) and K the Coulomb cone, the natural map of
// contact a is  e_a(rho) = r_a - P_K(r_a - rho ut_a).  Two measures:
//
//   scaled:  sqrt(sum |e_a(rho_a)|^2 / rho_a^2) / s,  rho_a = 1/|W_aa|_2   (velocity over velocity)
//   fclib:   sqrt(sum |e_a(1)|^2) / max(|q|, |r|, |u|)                     (as Siconos reports it)
//
// s is the norm of q over the contacts that close in q, and at least h |g|: it cannot be inflated
// by far candidates and does not vanish for a scene at rest. Without gravity it can still shrink
// to the rounding of velocities that nearly cancel, so what rounding alone explains is taken off
// the scaled error: a few units in the last place of the velocities and impulses involved.
#ifndef ENGINE_PROBLEM_RESIDUAL_H
#define ENGINE_PROBLEM_RESIDUAL_H

#include <math.h>

#include "engine/problem/contact_problem.h"

struct residual_sums {
    double closing2, q2;       // |q|^2 over closing contacts, and over all
    double scaled2, unscaled2; // |e|^2 / rho^2, and |e|^2 with rho = 1
    double r2, u2;
    double v2, wr2; // velocities of the bodies of each contact; |r|^2 / rho^2
};

// One contact as the measures see it: normal parts apart, tangential parts as vectors in any frame.
struct contact_view {
    double r_n, u_n, mu, rho;
    double v2; // square of the velocities of the two bodies, spins included
    vec3 r_t, u_t;
    uint8_t held; // the point of a joint: what is not held is zero above
};

// Impulses that ran away drown rho u in r - (r - rho u): where the projection changes nothing the
// difference is taken as what it is. What is not a number ends up there and stays so.

// Sticking has no De Saxce form: u_t must vanish wherever the contact is closed.
static inline double sticking_map2(const struct contact_view *view, double rho) {
    bool closed = !(view->r_n - rho * view->u_n <= 0);
    double normal = closed ? rho * view->u_n : view->r_n;
    vec3 tangential = closed ? vec3_scale(rho, view->u_t) : view->r_t;
    return normal * normal + vec3_dot(tangential, tangential);
}

// |r - P_K(r - rho ut)|^2, slip = |u_t|.
static inline double natural_map2(const struct contact_view *view, double slip, double rho) {
    double mu = view->mu;
    if (view->held)
        return rho * rho * (view->u_n * view->u_n + slip * slip);
    if (mu >= 1e100)
        return sticking_map2(view, rho);
    double step = rho * (view->u_n + mu * slip), a_n = view->r_n - step, e_n = step;
    vec3 a_t = vec3_add_scaled(view->r_t, -rho, view->u_t), e_t = vec3_scale(rho, view->u_t);
    double length = vec3_length(a_t);
    if (mu * length <= -a_n) {
        e_n = view->r_n;
        e_t = view->r_t;
    } else if (length > mu * a_n) {
        double inverse = 1 / (1 + mu * mu), p_n = (mu * length + a_n) * inverse;
        e_n = (mu * (mu * view->r_n - length) + step) * inverse;
        e_t = vec3_add_scaled(view->r_t, -mu * p_n / length, a_t);
    }
    return e_n * e_n + vec3_dot(e_t, e_t);
}

// Adds a contact with its free velocity, as r = 0 has it.
static inline void residual_add_free(const struct contact_view *view, struct residual_sums *sums) {
    double q2 = view->u_n * view->u_n + vec3_dot(view->u_t, view->u_t);
    sums->q2 += q2;
    sums->v2 += view->v2;
    if (view->u_n < 0 || view->held)
        sums->closing2 += q2;
}

// Adds a contact with the velocity that the impulses give.
static inline void residual_add_solved(const struct contact_view *view,
                                       struct residual_sums *sums) {
    double slip2 = vec3_dot(view->u_t, view->u_t), slip = sqrt(slip2);
    double r2 = view->r_n * view->r_n + vec3_dot(view->r_t, view->r_t);
    sums->unscaled2 += natural_map2(view, slip, 1);
    if (view->rho > 0) {
        double inverse2 = 1 / (view->rho * view->rho);
        sums->scaled2 += natural_map2(view, slip, view->rho) * inverse2;
        sums->wr2 += r2 * inverse2;
    }
    sums->r2 += r2;
    sums->u2 += view->u_n * view->u_n + slip2;
}

// Adds the sums of another part of the contacts.
void residual_add(struct residual_sums *total, const struct residual_sums *part);

double residual_scale(const struct residual_sums *sums, double floor); // s above
double residual_rounding(const struct residual_sums *sums);
double residual_scaled(const struct residual_sums *sums, double floor);
double residual_fclib(const struct residual_sums *sums);

// Returns |r| / rho over the velocities there are: how far impulses that cancel each other have
// grown.
double residual_swelling(const struct residual_sums *sums, double floor);

// Returns both measures of impulses over the rows of a problem; u is built anew from r.
struct contact_error {
    double scaled, fclib;
};
// The sums behind them.
struct residual_sums residual_of_rows(const struct contact_problem *problem, const double *r);

struct contact_error residual_of(const struct contact_problem *problem, const double *r);

#endif
