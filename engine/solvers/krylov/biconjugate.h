// Biconjugate gradients on the active rows of a linear system that is known by its products only.
#ifndef ENGINE_SOLVERS_KRYLOV_BICONJUGATE_H
#define ENGINE_SOLVERS_KRYLOV_BICONJUGATE_H

#include <stdbool.h>
#include <stddef.h>

struct bicg_operator {
    size_t size;
    void *context;
    void (*product)(void *context, const double *x, double *Ax);
    void (*transposed)(void *context, const double *x, double *Ax); // A^T x
};

// The recurrence by itself, for those who look at x after every iteration. `active` is the caller's
// and may change before a restart.
struct bicg;
struct bicg *bicg_open(const struct bicg_operator *A, const bool *active);
void bicg_close(struct bicg *bicg);
void bicg_restart(struct bicg *bicg, const double *rhs, const double *x);
bool bicg_step(struct bicg *bicg, double *x);  // false: it has broken down, x stays
double bicg_residual(const struct bicg *bicg); // |rhs - A x| over the active rows

// Goes on from x towards A x = rhs on the rows and columns with active[i] for up to `iterations`,
// or until the residual is `small` of |rhs|; the other unknowns keep their value and do not take
// part. Leaves the x with the smallest residual. Returns the iterations; *left is the residual over
// |rhs|.
int bicg_solve(const struct bicg_operator *A, const bool *active, const double *rhs, double *x,
               int iterations, double small, double *left);

#endif
