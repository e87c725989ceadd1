// Coulomb's cone with flat faces: r_t in mu r_n P, P a regular polygon (struct gabion_cone). Its
// corners d_k are the columns of D; the principle of maximal dissipation over P is
//
//   0 <= beta  ⊥  D^T u_t + lambda e >= 0,   0 <= lambda  ⊥  mu r_n - e.beta >= 0,   r_t = D beta
//
// (Stewart, Trinkle 1996; Renouf, Acary 2006, section 3.2). These are the optimality conditions of
//   min u_t.D beta,  beta >= 0,  e.beta <= mu r_n
// and ask nothing of D but that its columns span the plane by positive sums, so that lambda = max
// -d_k.u_t vanishes only with u_t: true for three corners and more. That corners come in pairs
// d, -d, which the papers assume "for simplicity", is not needed.
#ifndef ENGINE_SOLVERS_LOCAL_POLYGON_H
#define ENGINE_SOLVERS_LOCAL_POLYGON_H

#include "engine/problem/contact_problem.h"

// Sticking contacts need a bound too: an open contact must bear no friction.
#define POLYGON_STICKS 1e4

// Columns that impulses are combined of: sides corners (0, d_k), then the normal (1, 0, 0).
// The caller frees them with memory_free.
vec3 *polygon_columns(const struct gabion_cone *cone);

// max over k of -d_k.u_t: what sliding at u dissipates per unit of mu r_n.
double polygon_support(const vec3 *column, int sides, vec3 u);

// An edge of the cone, as long as makes edge.W edge one; where nothing moves along it, as it is.
vec3 polygon_edge(const vec3 *column, int sides, double mu, int k, const mat3 *W);

// One contact, u = W r + b, by lexicographic pivots (GABION_LOCAL_LEMKE) or quadratic programs
// (GABION_LOCAL_QP). Where friction is zero or sticks there is no polygon and the exact solver
// answers. False: only the exact solver for the round cone had an answer; the caller counts those.
bool polygon_solve(enum gabion_local local, const struct gabion_cone *cone, const mat3 *W, vec3 b,
                   double mu, vec3 *r);

// The linear complementarity problem of contacts with unknowns (beta, r_n, lambda), or r_n alone
// where mu is zero. Adds the block of W between two contacts at M, rows `stride` apart; then what
// ties lambda to its own contact.
size_t polygon_unknowns(int sides, double mu);
void polygon_add_block(const vec3 *column, int sides, double mu_row, double mu_column, mat3 W,
                       double *M, size_t stride);
void polygon_add_bound(int sides, double mu, double *M, size_t stride);
void polygon_add_free(const vec3 *column, int sides, double mu, vec3 b, double *q);
vec3 polygon_impulse(const vec3 *column, int sides, double mu, const double *z);

// The scaled measure of engine/problem/residual.h with the polygon's cone in place of Coulomb's.
double polygon_residual(const struct contact_problem *problem, const struct gabion_cone *cone,
                        const double *r);

// "inner 8-gon"
void polygon_name(const struct gabion_cone *cone, char *name, size_t size);

#endif
