// Gauss-Seidel sweeps over the rows of a contact problem (engine/problem/contact_problem.h): each
// contact in turn receives the impulse that obeys its law while the other impulses stay fixed. nsgs
// sweeps this way on problems without views; anderson, prox and ipm use these sweeps too.
#ifndef ENGINE_SOLVERS_SWEEP_ROW_SWEEP_H
#define ENGINE_SOLVERS_SWEEP_ROW_SWEEP_H

#include "engine/problem/residual.h"
#include "engine/solvers/local/local.h"
#include "engine/solvers/monitor.h"
#include "engine/solvers/sweep/sphere_sweep.h"

// Consecutive rows between the same two bodies.
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
    // For large FACE_BODIES problems: the runs of rows, sorted by colour; runs of one colour share
    // no moving body. colours = 0: sweeps visit the rows in their own order.
    struct row_run *run;
    size_t *colour_start; // in runs, colours + 1
    int colours;
    // Used by nsgs alone: impulses before and after the last sweep, what it changed, and the
    // measure.
    double *before, *last;
    struct sweep_tally change;
    struct residual_sums total;
};

// Prepares sweeps that improve r with the local solver and the relaxation of the settings.
struct row_sweep row_sweep_open(const struct contact_problem *problem,
                                const struct solver_settings *settings, double *r);
int64_t row_sweep_close(struct row_sweep *rows); // returns the fallbacks of local solvers

// Makes the following sweeps solve the problem with W + A and q - A reference in place of W and q,
// where A = alpha tr W_aa / 3 at each contact. The trace makes alpha a pure number, whatever the
// masses are.
void row_sweep_regularise(struct row_sweep *rows, double alpha, const double *reference);

void row_sweep_once(struct row_sweep *rows);
void row_sweep_refresh(struct row_sweep *rows); // call it after r was changed from outside

// The functions of a struct sweeper (nsgs.h); context is a struct row_sweep.
void row_start(void *context, int thread, int threads);
void row_sweep(void *context, int sweep, double beta, int thread, int threads);
struct sweep_sums row_change(const void *context, int sweep);
void row_extrapolate(void *context, double beta, int thread, int threads);
void row_check(void *context, int thread, int threads);

#endif
