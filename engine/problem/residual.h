// How well impulses obey the contact law. This code is shared with no solver: it takes impulses
// and velocities as they are and knows nothing of how they were found.
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

#include "engine/problem/friction_problem.h"

struct residual_sums {
    double closing2, q2;       // |q|^2 over closing contacts, and over all
    double scaled2, unscaled2; // |e|^2 / rho^2, and |e|^2 with rho = 1
    double r2, u2;
    double v2, wr2; // velocities of the bodies of each contact; |r|^2 / rho^2
};

// Adds one chunk's part. The first wants the free velocities in problem->bodies, the second those
// that the impulses give.
void residual_add_free(const struct problem *problem, const struct chunk *chunk,
                       struct residual_sums *sums);
void residual_add(const struct problem *problem, const struct chunk *chunk,
                  struct residual_sums *sums);

double residual_scale(const struct residual_sums *sums, double floor); // s above
double residual_rounding(const struct residual_sums *sums);
double residual_scaled(const struct residual_sums *sums, double floor);
double residual_fclib(const struct residual_sums *sums);

// |r| / rho to the velocities there are: what impulses that cancel each other have grown to.
double residual_swelling(const struct residual_sums *sums, double floor);

// Both measures of a problem by itself; u is built anew from r.
struct friction_error {
    double scaled, fclib;
};
struct friction_error residual_of(const struct friction_problem *problem, const double *r);

#endif
