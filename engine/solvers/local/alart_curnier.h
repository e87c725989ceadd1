// Newton's method on the Alart-Curnier function of one contact, with the full 3x3 block W.
#ifndef ENGINE_SOLVERS_LOCAL_ALART_CURNIER_H
#define ENGINE_SOLVERS_LOCAL_ALART_CURNIER_H

#include "geometry/vec.h"

// Inverse of the symmetric W, for newton_solve; zero where W is singular.
sym3 newton_inverse(const mat3 *W);

// From r with the velocity u = W r + b that goes with it, finds the r whose u obeys the contact
// law. Where Newton's method does not get there, exact_solve (engine/solvers/local/exact.h)
// answers; *k and the return value are its own.
bool newton_solve(const mat3 *W, const sym3 *inverse, vec3 u, double mu, vec3 *r, double *k);

#endif
