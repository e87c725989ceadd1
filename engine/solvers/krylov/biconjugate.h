// The biconjugate gradient method on the active rows of a linear system A x = rhs, where A is given
// by its products with vectors.
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

// The recurrence step by step, for callers that inspect x after every iteration. `active` belongs
// to the caller and may change before a restart.
struct bicg;
struct bicg *bicg_open(const struct bicg_operator *A, const bool *active);
void bicg_close(struct bicg *bicg);
void bicg_restart(struct bicg *bicg, const double *rhs, const double *x);
bool bicg_step(struct bicg *bicg, double *x);  // false: broke down, x is unchanged
double bicg_residual(const struct bicg *bicg); // |rhs - A x| over the active rows

// Solves A x = rhs on the rows and columns with active[i], starting from x, in up to `iterations`
// iterations or until the residual is below small |rhs|. The other unknowns keep their values and
// take no part. Leaves the x with the smallest residual. Returns the number of iterations; *left is
// the residual divided by |rhs|.
int bicg_solve(const struct bicg_operator *A, const bool *active, const double *rhs, double *x,
               int iterations, double small, double *left);

#endif
