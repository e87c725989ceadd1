// (I + D W)^-1 for one 3x3 block D per contact: the linear algebra of every Newton-like method
// here.
//
// FACE_MATRIX factorises I + D W itself, in blocks of 3. FACE_BODIES never builds W: with v the
// velocity that x causes, (M + H D H^T) v = H f and x = f - D H^T v, in blocks of 6 per body,
// however many points a joint has and however singular W is.
#ifndef ENGINE_SOLVERS_NEWTON_RESOLVENT_H
#define ENGINE_SOLVERS_NEWTON_RESOLVENT_H

#include "engine/problem/contact_problem.h"

struct resolvent;

// Orders the unknowns and finds the fill. The cost of a factorisation in multiplications is known
// then, before any is done.
struct resolvent *resolvent_create(const struct contact_problem *problem);
void resolvent_free(struct resolvent *resolvent);
double resolvent_cost(const struct resolvent *resolvent);

// D = -dr/du at each contact, in its own axes. False where a pivot is singular.
bool resolvent_factorise(struct resolvent *resolvent, const mat3 *D);
void resolvent_solve(const struct resolvent *resolvent, const double *f, double *x);

// The same where the bodies move by share v beside what impulses cause: x + D (W x + share H^T v) =
// f. For FACE_BODIES; for FACE_MATRIX share has to be 0.
void resolvent_solve_with(const struct resolvent *resolvent, const double *f, double share,
                          const double *v, double *x);
double resolvent_energy(const struct resolvent *resolvent, const double *v); // v.M v

// D = right left, and x = right y: factorises I + left W right, and resolvent_solve finds y. Where
// D has eigenvalues of very different sizes they stay apart in coordinates that are its own, and
// are lost in one another in any others.
bool resolvent_factorise_split(struct resolvent *resolvent, const mat3 *left, const mat3 *right);

#endif
