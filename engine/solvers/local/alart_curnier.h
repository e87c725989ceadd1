// The local solver `newton`: Newton's method on the Alart-Curnier function of one contact, whose
// 3x3 block of W is full. (The method `newton` for whole problems is
// engine/solvers/newton/proximal_newton.h.)
#ifndef ENGINE_SOLVERS_LOCAL_ALART_CURNIER_H
#define ENGINE_SOLVERS_LOCAL_ALART_CURNIER_H

#include "geometry/vec.h"

// Returns the inverse of the symmetric W, for alart_curnier_solve; zero where W is singular.
sym3 alart_curnier_inverse(const mat3 *W);

// Takes r and its velocity u = W r + b, and replaces r by the impulse whose velocity obeys the
// contact law. Where Newton's method fails, calls exact_solve (engine/solvers/local/exact.h), which
// also defines *k and the return value.
bool alart_curnier_solve(const mat3 *W, const sym3 *inverse, vec3 u, double mu, vec3 *r, double *k);

#endif
