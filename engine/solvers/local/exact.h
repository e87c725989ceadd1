// The local solver `exact`: solves Signorini's and Coulomb's law of one contact directly, for a
// full symmetric 3x3 block W.
#ifndef ENGINE_SOLVERS_LOCAL_EXACT_H
#define ENGINE_SOLVERS_LOCAL_EXACT_H

#include <float.h>

#include "geometry/vec.h"

// The 3x3 block W of one contact and what depends on it alone: computed once, used for every
// right-hand side.
struct exact_block {
    mat3 W;
    double w_nn;         // 0: locked along the normal
    double l[2], w[2];   // eigenvalues of S = W_TT - w w^T/w_nn; w = W_Tn in its eigenvectors
    double cosine, sine; // of the angle of the eigenvectors
};

// Returns the size below which entries of W are rounding errors of a locked direction. (The normal
// may be perpendicular, up to rounding, to all directions in which the body can move.)
static inline double exact_floor(const mat3 *W) {
    return 8 * DBL_EPSILON * (W->row[0].x + W->row[1].y + W->row[2].z);
}

// Prepares a block from the symmetric part of W. W may be unsymmetric by rounding, or by up to 1e-4
// in FCLIB files. In a sweep this causes no error: u comes from the true W and b = u - block->W r
// uses the symmetric part, so at convergence, where r does not change, the velocity is u itself.
void exact_prepare(const mat3 *W, struct exact_block *block);

// Finds r so that u = W r + b obeys the contact law: r_n >= 0, u_n >= 0, r_n u_n = 0, |r_t| <= mu
// r_n, u_t = -k r_t with k >= 0, and k = 0 inside the cone. Vectors are (n, s, t). *k is the slip
// parameter, read as the start of the search and written for the next one. Returns false when the
// search failed and r is only a projected step; the caller counts those.
bool exact_answer(const struct exact_block *block, vec3 b, double mu, vec3 *r, double *k);

// Does the same where W is positive definite and the caller knows already that the contact slides:
// b neither opens it nor lets it stick.
bool exact_slide(const struct exact_block *block, vec3 b, double mu, vec3 *r, double *k);

// Calls exact_prepare and exact_answer.
bool exact_solve(const mat3 *W, vec3 b, double mu, vec3 *r, double *k);

#endif
