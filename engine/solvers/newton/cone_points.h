// What the interior point method (engine/solvers/newton/ipm.c, whose names these are) computes for
// each contact by itself, for four contacts at a time. Its vectors have three numbers per contact
// and, like its matrices, room for a whole number of fours. Of contacts without a law nothing
// changes: their numbers stay zero.
#ifndef ENGINE_SOLVERS_NEWTON_CONE_POINTS_H
#define ENGINE_SOLVERS_NEWTON_CONE_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/vec.h"

enum cone_law { LAW_NONE, LAW_FRICTIONLESS, LAW_CONE };

// Law and scale of a contact.
struct cone_scale {
    enum cone_law law;
    vec3 S; // diagonal
};

struct cone_points;

// The number of contacts for which vectors and matrices have room.
size_t cone_points_room(int32_t contacts);

struct cone_points *cone_points_create(int32_t contacts);
void cone_points_free(struct cone_points *points);
void cone_points_put_scale(struct cone_points *points, int32_t contact, struct cone_scale scale);

// Takes the points x and z. Rounding may have put one on the boundary, and a singular matrix
// anywhere: false.
bool cone_points_inside(struct cone_points *points, const double *x, const double *z);

// The vectors of an iteration.
struct cone_vectors {
    const double *x, *z; // those of cone_points_inside
    const double *u;
    double *F;
};

// Finds F and the slopes of the law, D = right left.
void cone_points_linearise(struct cone_points *points, struct cone_vectors at, double sigma,
                           double share, mat3 *left, mat3 *right);

// Puts the right-hand side g of a step towards x o z = target e, in the axes of V, with `share` of
// the term of second order of the predictor y.
void cone_points_aim(const struct cone_points *points, double target, double share, const double *y,
                     double *g);

// r = right y
void cone_points_apply_right(const struct cone_points *points, const double *y, double *r);

// defect = g - y - left u
void cone_points_defect(const struct cone_points *points, const double *g, const double *y,
                        const double *u, double *defect);

// The step (dx, dz) that the solution y of the linear system, with velocities u, stands for.
// Returns the greatest speed with which x and z approach the boundary.
double cone_points_step(const struct cone_points *points, const double *y, const double *u,
                        const double *F, double *dx, double *dz);

// The size of the largest number of a vector; NaN does not count.
double cone_points_largest(const double *x, size_t size);

#endif
