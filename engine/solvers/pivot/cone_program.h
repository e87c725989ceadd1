// The convex program min 1/2 r.W r + (q + slide n).r with every r_a in its polygonal cone
// (engine/solvers/local/polygon.h), which the method qp solves repeatedly. The cones are generated
// by their edges, r = G x, so that x >= 0 is the only constraint. r, q and W are those of
// engine/problem/contact_problem.h.
#ifndef ENGINE_SOLVERS_PIVOT_CONE_PROGRAM_H
#define ENGINE_SOLVERS_PIVOT_CONE_PROGRAM_H

#include "engine/problem/contact_problem.h"
#include "engine/solvers/dense/active_set.h"

struct cone_program {
    struct contact_problem *problem; // with W stored
    int sides;
    vec3 *column;     // of the polygon
    size_t *start;    // edges of contact a
    vec3 *edge;       // scaled so that Q has ones on its diagonal
    int32_t *contact; // of each edge
    double *r, *u;    // temporary vectors
    double *c, *x;
    struct active_set *set;
};

struct cone_program *cone_program_create(const struct contact_problem *problem,
                                         const struct gabion_cone *cone);
void cone_program_free(struct cone_program *program);

// Makes every contact compliant: replaces u by u + compliance (r - reference) / rho. A compliance
// of 0 restores the original problem.
void cone_program_soften(struct cone_program *program, const struct contact_problem *original,
                         double compliance, const double *reference);

enum active_status cone_program_solve(struct cone_program *program, const double *slide, double *r);

// Computes what De Saxce's form adds to u_n at each contact when it slides with the velocities of
// r: mu max -d_k.u_t.
void cone_program_slide(const struct cone_program *program, const double *r, double *slide);

// Computes I - J, where J is the derivative of the slide that the last solution gives
// (cone_program_slide) with respect to the slide that went into the program, as long as the active
// edges and the sliding corners stay the same. The matrix is contacts x contacts, by rows.
void cone_program_jacobian(struct cone_program *program, const double *r, double *jacobian);

#endif
