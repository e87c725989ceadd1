// The convex quadratic program  min 1/2 x.Q x + c.x,  x >= 0,  by the dual active-set method of
// Goldfarb and Idnani ("A numerically stable dual method for solving strictly convex quadratic
// programs", Math. Programming 27, 1983), told here from the side of the multipliers x: it is
// strictly convex in what x causes, y = Q x + c, and asks for y >= 0. Q may be semidefinite: an
// unknown whose column depends on those already taken never joins them, it takes one's place.
//
// Q is expected to have ones on its diagonal. It need not be quite symmetric: what is found is  y
// >= 0,  x >= 0,  x.y = 0.
#ifndef ENGINE_SOLVERS_DENSE_ACTIVE_SET_H
#define ENGINE_SOLVERS_DENSE_ACTIVE_SET_H

#include <stddef.h>

struct active_matrix {
    size_t size, rank; // at most `rank` columns are independent
    const void *context;
    void (*product)(const void *context, const double *x, double *Qx);
    void (*column)(const void *context, size_t j, double *column);
    void (*row)(const void *context, size_t i, double *row);
};

enum active_status {
    ACTIVE_SOLVED,
    ACTIVE_UNBOUNDED, // no y = Q x + c is positive
    ACTIVE_CAP,       // rounding kept it from ending
};

struct active_set;

struct active_set *active_set_create(const struct active_matrix *matrix);
void active_set_free(struct active_set *set);

// Starts from the unknowns that were taken in the last call.
enum active_status active_set_solve(struct active_set *set, const double *c, double *x);

void active_set_renew(struct active_set *set); // Q has changed

// How x would change with c while the same unknowns are taken.
void active_set_follow(const struct active_set *set, const double *dc, double *dx);
int active_set_changes(const struct active_set *set); // of all calls

#endif
