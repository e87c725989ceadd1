// The residual: how far impulses r are from obeying the contact law
// (engine/problem/contact_problem.h defines r, u, q, W and mu). All solvers are judged by these
// measures; no solver has one of its own.
//
// With u = W r + q, ut = u + mu |u_T| n (De Saxce) and K the Coulomb cone, the natural map of
// contact a is  e_a(rho) = r_a - P_K(r_a - rho ut_a).  Two measures:
//
//   scaled:  sqrt(sum |e_a(rho_a)|^2 / rho_a^2) / s,  rho_a = 1/|W_aa|_2   (velocity over velocity)
//   fclib:   sqrt(sum |e_a(1)|^2) / max(|q|, |r|, |u|)                     (as Siconos reports it)
//
// s is the norm of q over the contacts that q closes (q_n < 0), and at least h |g|: distant
// candidate contacts cannot inflate it, and it does not vanish for a scene at rest. Without gravity
// s can still shrink to the rounding error of velocities that nearly cancel. Therefore the rounding
// error (a few units in the last place of the velocities and impulses involved) is subtracted from
// the scaled measure.
#ifndef ENGINE_PROBLEM_RESIDUAL_H
#define ENGINE_PROBLEM_RESIDUAL_H

#include <math.h>

#include "engine/problem/contact_problem.h"

// Sums over contacts from which both measures follow. The 2 in a name means squared.
struct residual_sums {
    double closing2, q2;       // |q|^2 over closing contacts, and over all
    double scaled2, unscaled2; // |e|^2 / rho^2, and |e|^2 with rho = 1
    double r2, u2;
    double v2, wr2; // velocities of the bodies of each contact; |r|^2 / rho^2
};

// One contact as the measures need it: normal components as numbers, tangential components as
// vectors in any frame.
struct contact_view {
    double r_n, u_n, mu, rho;
    double v2; // square of the velocities of the two bodies, spins included
    vec3 r_t, u_t;
    uint8_t held; // not 0: a point of a joint; components that it does not hold are zero above
};

// When impulses have diverged, r - (r - rho u) loses rho u to rounding. So where the projection
// changes nothing, the functions below use rho u itself. A NaN takes that branch as well and stays
// a NaN.

// Returns the squared natural map of a contact with infinite friction, which has no De Saxce form:
// u_t must vanish wherever the contact is closed.
static inline double sticking_map2(const struct contact_view *view, double rho) {
    bool closed = !(view->r_n - rho * view->u_n <= 0);
    double normal = closed ? rho * view->u_n : view->r_n;
    vec3 tangential = closed ? vec3_scale(rho, view->u_t) : view->r_t;
    return normal * normal + vec3_dot(tangential, tangential);
}

// Returns |r - P_K(r - rho ut)|^2; slip is |u_t|.
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

// Adds a contact whose view holds the free velocity q (r = 0).
static inline void residual_add_free(const struct contact_view *view, struct residual_sums *sums) {
    double q2 = view->u_n * view->u_n + vec3_dot(view->u_t, view->u_t);
    sums->q2 += q2;
    sums->v2 += view->v2;
    if (view->u_n < 0 || view->held)
        sums->closing2 += q2;
}

// Adds a contact whose view holds the velocity u that the impulses cause.
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

// Returns sqrt(sum |r|^2 / rho^2) relative to the velocities of the problem. A large value means
// that impulses which cancel each other have grown without bound.
double residual_swelling(const struct residual_sums *sums, double floor);

// Both measures.
struct contact_error {
    double scaled, fclib;
};
// Return the sums, and the measures that follow from them, of impulses over the rows of a problem;
// u is computed from r.
struct residual_sums residual_of_rows(const struct contact_problem *problem, const double *r);

struct contact_error residual_of(const struct contact_problem *problem, const double *r);

#endif
