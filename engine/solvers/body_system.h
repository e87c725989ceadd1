// The contact problem as one equation for the velocities of the bodies.
//
// With every contact slightly compliant around reference impulses, u + alpha (r - r_ref) in place
// of u, the impulse is an explicit function of the velocity, r = P(r_ref - u / alpha), where P
// projects r_t on the disk of radius mu r_n as Alart and Curnier (1991) do. What is left is
//
//   f(v) = M (v - v_free) - H r(H^T v) = 0:
//
// six unknowns per body, however many points a joint has and however singular W is. Its matrix
// M + H D H^T, D = -dr/du, has the pattern of the graph of bodies.
#ifndef ENGINE_SOLVERS_BODY_SYSTEM_H
#define ENGINE_SOLVERS_BODY_SYSTEM_H

#include "engine/problem.h"

struct body_system;

struct body_system *body_system_create(void);
void body_system_free(struct body_system *system);

// Takes the contacts of the world's problem and orders its bodies. Once for each problem.
void body_system_prepare(struct body_system *system, const struct gabion_world *world);

size_t body_system_size(const struct body_system *system); // numbers in a velocity
void body_system_start(const struct body_system *system, const struct gabion_world *world,
                       double *v); // velocities before the step

// Impulses of the problem become the reference; the compliance is in units of each contact's |W|.
void body_system_refer(struct body_system *system, const struct problem *problem,
                       double compliance);
void body_system_store(const struct body_system *system, struct problem *problem);

// Notes the impulses of the problem, and puts them back; zero where none have been noted.
void body_system_keep(struct body_system *system, const struct problem *problem);
void body_system_restore(const struct body_system *system, struct problem *problem);

// Friction by the normal impulse as it is, or by the one that body_system_freeze found: then f is
// the gradient of a convex function.
enum friction { FRICTION_COUPLED, FRICTION_FROZEN };
void body_system_freeze(struct body_system *system);

// M^-1 f(v) in `out`; returns its square in the norm of kinetic energy, and in *scale2 that of the
// velocities that the impulses cause.
double body_system_evaluate(struct body_system *system, const double *v, enum friction friction,
                            double *out, double *scale2);
double body_system_product(const struct body_system *system, const double *x,
                           const double *y); // x.M y

// The Newton matrix at the last evaluated v; then x = (that matrix)^-1 M x.
bool body_system_factorise(struct body_system *system, enum friction friction);
void body_system_solve(const struct body_system *system, double *x);

#endif
