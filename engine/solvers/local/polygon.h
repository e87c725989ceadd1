// The local solvers `lemke` and `qp`, and what the methods of those names share: Coulomb's cone is
// replaced by one with flat faces, r_t in mu r_n P, where P is a regular polygon (struct
// gabion_cone). Its corners d_k are the columns of D; the principle of maximal dissipation over P
// is
//
//   0 <= beta  ⊥  D^T u_t + lambda e >= 0,   0 <= lambda  ⊥  mu r_n - e.beta >= 0,   r_t = D beta
//
// (Stewart, Trinkle 1996; Renouf, Acary 2006, section 3.2). These are the optimality conditions of
//   min u_t.D beta,  beta >= 0,  e.beta <= mu r_n
// They require of D only that its columns span the plane by positive sums, so that lambda = max
// -d_k.u_t vanishes only with u_t. Three or more corners satisfy this. The papers assume "for
// simplicity" that corners come in pairs d, -d; that is not needed.
#ifndef ENGINE_SOLVERS_LOCAL_POLYGON_H
#define ENGINE_SOLVERS_LOCAL_POLYGON_H

#include "engine/problem/contact_problem.h"

// The friction coefficient used for infinite friction: a finite one makes r_t vanish where the
// contact is open.
#define POLYGON_STICKS 1e4

// Returns the vectors whose combinations are the impulses: `sides` corners (0, d_k), then the
// normal (1, 0, 0). The caller frees them with memory_free.
vec3 *polygon_columns(const struct gabion_cone *cone);

// Returns the maximum over k of -d_k.u_t: the power that sliding at u dissipates per unit of mu
// r_n.
double polygon_support(const vec3 *column, int sides, vec3 u);

// Returns edge k of the cone, scaled so that edge.W edge = 1; not scaled where nothing moves along
// it.
vec3 polygon_edge(const vec3 *column, int sides, double mu, int k, const mat3 *W);

// Solves one contact, u = W r + b, by lexicographic pivots (GABION_LOCAL_LEMKE) or quadratic
// programs (GABION_LOCAL_QP). Where friction is zero or infinite there is no polygon and the exact
// solver is used. Returns false where only the exact solver for the round cone found a solution;
// the caller counts those.
bool polygon_solve(enum gabion_local local, const struct gabion_cone *cone, const mat3 *W, vec3 b,
                   double mu, vec3 *r);

// These build the linear complementarity problem w = M z + q of several contacts, with the unknowns
// (beta, r_n, lambda) per contact, or r_n alone where mu is zero. polygon_add_block adds the block
// of W between two contacts at M, whose rows are `stride` apart; polygon_add_bound adds the terms
// of lambda for one contact; polygon_add_free adds the free velocity b; polygon_impulse reads the
// impulse of a contact from z.
size_t polygon_unknowns(int sides, double mu);
void polygon_add_block(const vec3 *column, int sides, double mu_row, double mu_column, mat3 W,
                       double *M, size_t stride);
void polygon_add_bound(int sides, double mu, double *M, size_t stride);
void polygon_add_free(const vec3 *column, int sides, double mu, vec3 b, double *q);
vec3 polygon_impulse(const vec3 *column, int sides, double mu, const double *z);

// Returns the scaled measure of engine/problem/residual.h with the polygonal cone in place of
// Coulomb's.
double polygon_residual(const struct contact_problem *problem, const struct gabion_cone *cone,
                        const double *r);

// "inner 8-gon"
void polygon_name(const struct gabion_cone *cone, char *name, size_t size);

#endif
