// The resolvent (I + D W)^-1, where D has one 3x3 block per contact and W is that of the contact
// problem (engine/problem/contact_problem.h): the linear algebra of the methods newton and ipm.
//
// FACE_MATRIX factorises I + D W itself, in blocks of 3. FACE_BODIES never builds W: with v the
// velocity that x causes, it solves (M + H D H^T) v = H f and x = f - D H^T v, in blocks of 6 per
// body. The cost does not grow with the number of contact points between two bodies, and W may be
// singular.
#ifndef ENGINE_SOLVERS_NEWTON_RESOLVENT_H
#define ENGINE_SOLVERS_NEWTON_RESOLVENT_H

#include "engine/problem/contact_problem.h"

struct resolvent;
struct solver_workspace;

// Creates a resolvent: orders the unknowns and finds the fill. resolvent_cost then returns the
// number of multiplications of a factorisation before any is done.
struct resolvent *resolvent_create(const struct contact_problem *problem);
// Does the same in a matrix that the workspace keeps: while the same bodies touch, their order and
// the fill are found once. One resolvent at a time; it must be freed before the workspace, which is
// not needed for FACE_MATRIX.
struct resolvent *resolvent_create_kept(struct solver_workspace *workspace,
                                        const struct contact_problem *problem);
void resolvent_free(struct resolvent *resolvent);
double resolvent_cost(const struct resolvent *resolvent);

// Factorises I + D W, where D = -dr/du at each contact, in its own axes; resolvent_solve then
// solves (I + D W) x = f. Returns false where a pivot is singular.
bool resolvent_factorise(struct resolvent *resolvent, const mat3 *D);
void resolvent_solve(const struct resolvent *resolvent, const double *f, double *x);

// Solves x + D (W x + share H^T v) = f: the bodies have the velocities share v in addition to those
// that impulses cause. Needs FACE_BODIES; for FACE_MATRIX share must be 0.
void resolvent_solve_with(const struct resolvent *resolvent, const double *f, double share,
                          const double *v, double *x);
double resolvent_energy(const struct resolvent *resolvent, const double *v); // returns v.M v

// Factorises I + left W right, where D = right left; resolvent_solve then finds y with x = right y.
// This keeps accuracy where the eigenvalues of D differ by many orders of magnitude: in its own
// coordinates the small ones are not lost to rounding.
bool resolvent_factorise_split(struct resolvent *resolvent, const mat3 *left, const mat3 *right);

#endif
