// Block Gauss-Seidel over the rows of a problem: one contact after the other is given the impulse
// that obeys the law with the impulses of the others as they are. What nsgs does on problems
// without views, and what anderson, prox and ipm have in common.
#ifndef ENGINE_SOLVERS_SWEEP_ROW_SWEEP_H
#define ENGINE_SOLVERS_SWEEP_ROW_SWEEP_H

#include "engine/problem/residual.h"
#include "engine/solvers/local/local.h"
#include "engine/solvers/monitor.h"
#include "engine/solvers/sweep/sphere_sweep.h"

struct row_run {
    int32_t begin, end; // contacts
};

struct row_sweep {
    struct contact_state state;
    struct gabion_cone cone;
    double relaxation;
    bool exact; // every contact is solved by the exact solver, without relaxation
    struct local_contact *contacts;
    size_t substitutions;
    double alpha;            // proximal term; 0: none
    const double *reference; // the caller's
    int64_t *fallbacks;      // one per thread
    // Large problems through bodies: runs of contacts between the same two bodies, by colour; those
    // of one colour share no moving body. colours = 0: sweeps go in natural order.
    struct row_run *run;
    size_t *colour_start; // in runs, colours + 1
    int colours;
    // Of nsgs: impulses before and after the last sweep, what it changed, and the measure.
    double *before, *last;
    struct sweep_sums change;
    struct residual_sums total;
};

// Sweeps work on r, with the settings' local solver and relaxation.
struct row_sweep row_sweep_open(const struct contact_problem *problem,
                                const struct solver_settings *settings, double *r);
int64_t row_sweep_close(struct row_sweep *rows); // returns the fallbacks of local solvers

// From here on the sweeps solve the problem with W + A and q - A reference, A = alpha tr W_aa / 3
// at each contact: alpha is a number without unit, and masses may differ as they like.
void row_sweep_regularise(struct row_sweep *rows, double alpha, const double *reference);

void row_sweep_once(struct row_sweep *rows);
void row_sweep_refresh(struct row_sweep *rows); // after r was changed as a whole

// What a struct sweeper of nsgs.h needs; context is a struct row_sweep.
void row_start(void *context, int thread, int threads);
void row_sweep(void *context, int sweep, double beta, int thread, int threads);
struct sweep_sums row_change(const void *context, int sweep);
void row_extrapolate(void *context, double beta, int thread, int threads);
void row_check(void *context, int thread, int threads);

#endif
