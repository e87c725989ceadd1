// The exact one-contact solver: Signorini and Coulomb with a full symmetric 3x3 block W.
#ifndef ENGINE_SOLVERS_LOCAL_EXACT_H
#define ENGINE_SOLVERS_LOCAL_EXACT_H

#include <float.h>

#include "geometry/vec.h"

// What depends on W alone: found once, used for every right-hand side.
struct exact_block {
    mat3 W;
    double w_nn;         // 0: locked along the normal
    double l[2], w[2];   // eigenvalues of S = W_TT - w w^T/w_nn; w = W_Tn in its eigenvectors
    double cosine, sine; // of those
};

// Entries of W below are the rounding of a locked direction: a body that cannot move along its axis
// x meets a normal that is perpendicular to the others up to rounding.
static inline double exact_floor(const mat3 *W) {
    return 8 * DBL_EPSILON * (W->row[0].x + W->row[1].y + W->row[2].z);
}

// W may be unsymmetric by rounding or by its source (FCLIB files by 1e-4): the symmetric part is
// taken. In a sweep that is a choice of the local model and not an error: b = u - block->W r there
// uses the same symmetric part, u comes from the true W, and an r that stays as it is has u itself.
void exact_prepare(const mat3 *W, struct exact_block *block);

// Finds r with u = W r + b obeying the contact law: r_n >= 0, u_n >= 0, r_n u_n = 0, |r_t| <= mu
// r_n, u_t = -k r_t with k >= 0, and k = 0 inside the cone. Vectors are (n, s, t). *k is the slip
// parameter, read as the start of the search and written for the next one. Returns false when only
// the fallback answered (a projected step): the caller counts those.
bool exact_answer(const struct exact_block *block, vec3 b, double mu, vec3 *r, double *k);

// The same for a definite W and a b that neither opens the contact nor lets it stick, as the caller
// has found out.
bool exact_slide(const struct exact_block *block, vec3 b, double mu, vec3 *r, double *k);

// Prepares and answers.
bool exact_solve(const mat3 *W, vec3 b, double mu, vec3 *r, double *k);

#endif
