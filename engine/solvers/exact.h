// The exact one-contact solver: Signorini and Coulomb with a full symmetric 3x3 block W.
#ifndef ENGINE_SOLVERS_EXACT_H
#define ENGINE_SOLVERS_EXACT_H

#include "geometry/vec.h"

// Finds r with u = W r + b obeying the contact law: r_n >= 0, u_n >= 0, r_n u_n = 0, |r_t| <= mu
// r_n, u_t = -k r_t with k >= 0, and k = 0 inside the cone. Vectors are (n, s, t). *k is the slip
// parameter, read as the start of the search and written for the next one. Returns false when only
// the fallback answered (a projected step): the caller counts those.
bool exact_solve(const mat3 *W, vec3 b, double mu, vec3 *r, double *k);

#endif
