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
// s is the norm of q over the contacts that q closes (q_n < 0), so that distant candidate contacts
// cannot inflate it, and at least the floor of the problem, so that it does not vanish for a scene
// at rest. In a step the floor is h |g| with the gravity that acts in this step, and no less than
// LEAST_TRAVEL of the smallest body per step.
//
// One fast body must not loosen the tolerance for all others. Where there is a floor, a contact
// counts towards s with no more than RESIDUAL_FAST times the usual closing speed. That is the
// geometric mean of |q_a|, which a few fast contacts hardly move; contacts below the floor count
// less, so that contacts which close by rounding alone do not lower it.
//
// A third number is the worst contact in its own scale: the largest of |e_a| / rho_a over
// max(|u_a|, |r_a| / rho_a, floor).
//
// Rounding is allowed for twice, each time the same in a frame that moves and bounded. An error
// |e_a| / rho_a that moves no body by more than STILL_TRAVEL of the smallest body in a step counts
// as none: without it bodies that drift together could never pass, since their q is all rounding.
// And the rounding error of u, a few units in the last place of the closing speeds and of the
// velocities that each impulse causes alone, is subtracted from the scaled measure, but never more
// than RESIDUAL_ROUNDING_MOST of s.
#ifndef ENGINE_PROBLEM_RESIDUAL_H
#define ENGINE_PROBLEM_RESIDUAL_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "engine/problem/contact_problem.h"
#include "parallel/binned_sum.h"

// Sums over contacts from which both measures follow. The 2 in a name means squared. They are
// formed in a tally, whose sums do not depend on the order of the contacts.
struct residual_sums {
    double closing2, q2;       // |q|^2 over closing contacts, and over all
    double scaled2, unscaled2; // |e|^2 / rho^2, and |e|^2 with rho = 1
    double r2, u2;
    double wr2; // |r|^2 / rho^2
    // Of closing contacts: sums of weights, and of weights times log2 |q|^2; the largest |q|^2.
    double weight, log_speed, fastest2;
    double worst2; // largest (|e| / rho)^2 in the contact's own scale, and its place (the least of
    int64_t worst; // several): contact_view.place; 0: no contact has an error
};

struct residual_tally {
    struct binned_sum closing2, q2, scaled2, unscaled2, r2, u2, wr2, weight, log_speed;
    double fastest2, worst2;
    int64_t worst;
};

// Shares of the smallest body that it moves in a step. Double precision holds about 1e-16 of a
// body's distance from the origin.
#define LEAST_TRAVEL 1e-9
#define STILL_TRAVEL 1e-14

#define RESIDUAL_FAST          10.0
#define RESIDUAL_ROUNDING_MOST 1e-9

// One contact as the measures need it: normal components as numbers, tangential components as
// vectors in any frame.
struct contact_view {
    double r_n, u_n, mu, rho;
    double still;  // errors below count as none
    int64_t place; // the caller's name of the contact, above 0
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

// log2 between powers of two replaced by a straight line, and its inverse. The exponent and the
// fraction of a double, read as one whole number, are this function; it gives the same bits on
// every machine.
static inline double straight_log2(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (double)bits * 0x1p-52 - 1023;
}

static inline double straight_exp2(double y) {
    int64_t bits = (int64_t)((y + 1023) * 0x1p52);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The larger of two numbers, and the first one where either is none. (fmax would be a call.)
static inline double residual_larger(double a, double b) { return b > a ? b : a; }

static inline bool residual_closes(const struct contact_view *view) {
    return view->u_n < 0 || view->held;
}

static inline double residual_speed2(const struct contact_view *view) {
    return view->u_n * view->u_n + vec3_dot(view->u_t, view->u_t);
}

// What a contact adds whose view holds the free velocity q (r = 0). All but the speed are zero
// where it does not close.
struct residual_free {
    double speed2, closing2, weight, log_speed;
};

static inline struct residual_free residual_free_of(const struct contact_view *view, double floor) {
    struct residual_free free = {.speed2 = residual_speed2(view)};
    if (!residual_closes(view))
        return free;
    free.closing2 = free.speed2;
    if (floor > 0 && free.speed2 >= DBL_MIN) {
        double share = free.speed2 / (floor * floor);
        free.weight = share < 1 ? share : 1;
        free.log_speed = free.weight * straight_log2(free.speed2);
    }
    return free;
}

static inline void residual_add_free(const struct contact_view *view, double floor,
                                     struct residual_tally *tally) {
    struct residual_free free = residual_free_of(view, floor);
    binned_add(&tally->q2, free.speed2);
    binned_add(&tally->closing2, free.closing2);
    tally->fastest2 = residual_larger(tally->fastest2, free.closing2);
    binned_add(&tally->weight, free.weight);
    binned_add(&tally->log_speed, free.log_speed);
}

// Adds a contact, with a speed of at most the square root of fast2, to closing2 anew.
static inline void residual_add_limited(const struct contact_view *view, double fast2,
                                        struct residual_tally *tally) {
    if (residual_closes(view))
        binned_add(&tally->closing2, fmin(residual_speed2(view), fast2));
}

static inline void residual_note_worst(struct residual_tally *tally, double error2, int64_t place) {
    if (error2 > tally->worst2 || (error2 == tally->worst2 && place < tally->worst)) {
        tally->worst2 = error2;
        tally->worst = place;
    }
}

// Adds a contact whose view holds the velocity u that the impulses cause.
static inline void residual_add_solved(const struct contact_view *view, double floor,
                                       struct residual_tally *tally) {
    double slip2 = vec3_dot(view->u_t, view->u_t), slip = sqrt(slip2);
    double r2 = view->r_n * view->r_n + vec3_dot(view->r_t, view->r_t);
    double u2 = view->u_n * view->u_n + slip2;
    binned_add(&tally->unscaled2, natural_map2(view, slip, 1));
    if (view->rho > 0) {
        double inverse2 = 1 / (view->rho * view->rho), wr2 = r2 * inverse2;
        double error2 = natural_map2(view, slip, view->rho) * inverse2;
        error2 = error2 <= view->still * view->still ? 0 : error2; // a NaN stays
        double own2 = residual_larger(residual_larger(u2, wr2), floor * floor);
        binned_add(&tally->scaled2, error2);
        binned_add(&tally->wr2, wr2);
        if (error2 > 0)
            residual_note_worst(tally, error2 / own2, view->place);
    }
    binned_add(&tally->r2, r2);
    binned_add(&tally->u2, u2);
}

// Adds the tally of another part of the contacts.
void residual_merge(struct residual_tally *total, const struct residual_tally *part);

struct residual_sums residual_close(const struct residual_tally *tally);

// Returns the square of the speed with which faster contacts count in closing2, from sums over all
// contacts; INFINITY where none is faster and closing2 is right as it is.
double residual_limit2(const struct residual_sums *sums, double floor);

double residual_scale(const struct residual_sums *sums, double floor); // s above
double residual_rounding(const struct residual_sums *sums, double floor);
double residual_scaled(const struct residual_sums *sums, double floor);
double residual_fclib(const struct residual_sums *sums);

// Returns sqrt(sum |r|^2 / rho^2) relative to the velocities of the problem. A large value means
// that impulses which cancel each other have grown without bound.
double residual_swelling(const struct residual_sums *sums, double floor);

// Both measures and the worst contact in its own scale.
struct contact_error {
    double scaled, fclib, worst;
};
struct contact_error residual_error(const struct residual_sums *sums, double floor);

// Return the sums, and the measures that follow from them, of impulses over the rows of a problem;
// u is computed from r.
struct residual_sums residual_of_rows(const struct contact_problem *problem, const double *r);
// Returns the sums for impulses r and velocities u, whether r causes them or not.
struct residual_sums residual_at(const struct contact_problem *problem, const double *r,
                                 const double *u);

// Returns closing2 of a problem with rows: the square of s, where that is above the floor.
double residual_closing2(const struct contact_problem *problem);

struct contact_error residual_of(const struct contact_problem *problem, const double *r);

// What the measures of all impulses of a problem share: the sums over its free velocities, and the
// rho of contacts whose W_aa vanishes. Whoever measures often keeps it.
struct residual_base {
    struct residual_sums free;
    double spare;
};
struct residual_base residual_base(const struct contact_problem *problem);
// Returns what residual_of does, to the bit.
struct contact_error residual_from(const struct residual_base *base,
                                   const struct contact_problem *problem, const double *r);
// Does the same where the velocities u that r causes are known.
struct contact_error residual_from_both(const struct residual_base *base,
                                        const struct contact_problem *problem, const double *r,
                                        const double *u);

#endif
