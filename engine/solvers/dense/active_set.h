// The convex quadratic program  min 1/2 x.Q x + c.x,  x >= 0,  by the dual active-set method of
// Goldfarb and Idnani ("A numerically stable dual method for solving strictly convex quadratic
// programs", Math. Programming 27, 1983), formulated here in the multipliers x: with y = Q x + c,
// the dual is strictly convex in y and requires y >= 0. Q may be semidefinite: an unknown whose
// column depends linearly on those of the active unknowns never joins them but replaces one of
// them.
//
// Q must have ones on its diagonal. It need not be exactly symmetric: the solution satisfies y >=
// 0, x >= 0, x.y = 0.
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
    ACTIVE_UNBOUNDED, // no x >= 0 has y = Q x + c >= 0
    ACTIVE_CAP,       // did not end within the allowed number of changes, because of rounding, or
                      // was asked to stop (parallel/stop.h)
};

struct active_set;

struct active_set *active_set_create(const struct active_matrix *matrix);
void active_set_free(struct active_set *set);

// Solves the program, starting from the active unknowns of the last call.
enum active_status active_set_solve(struct active_set *set, const double *c, double *x);

void active_set_renew(struct active_set *set); // call it after Q has changed

// Computes the change dx of x for a change dc of c while the active unknowns stay the same.
void active_set_follow(const struct active_set *set, const double *dc, double *dx);
int active_set_changes(const struct active_set *set); // of the active unknowns, in all calls

#endif
