// Anderson acceleration of Gauss-Seidel sweeps over rows (engine/solvers/sweep/row_sweep.h):
// combines the last sweeps so that the change per sweep becomes smallest.
#ifndef ENGINE_SOLVERS_KRYLOV_ACCELERATION_H
#define ENGINE_SOLVERS_KRYLOV_ACCELERATION_H

#include "engine/solvers/sweep/row_sweep.h"

#define ACCELERATION_MEMORY 16 // sweeps

// Vectors are padded with zeros to whole lanes.
struct acceleration {
    struct row_sweep sweeps; // on r
    size_t size;
    double *r, *before; // start of the next sweep, and of the last one
    double *answer;     // of the last sweep: impulses that lie in their cones and can be measured
    double *change;     // scale (answer - before)
    double *scale;      // sqrt(tr W_aa / 3), three times per contact
    double *changes, *answers; // columns: differences of the above between sweeps
    int columns, place;        // how many are kept, which is the newest
    bool begun;                // there was a sweep already, so differences can be formed
    double *partial;           // sums of each chunk
    double gram[ACCELERATION_MEMORY][ACCELERATION_MEMORY];
    double right[ACCELERATION_MEMORY], share[ACCELERATION_MEMORY];
    double change2, least2; // |change|^2, and the least since a restart
};

struct acceleration acceleration_open(const struct contact_problem *problem,
                                      const struct solver_settings *settings, const double *r);
int64_t acceleration_close(struct acceleration *acceleration); // returns local fallbacks

// Makes one sweep and prepares the start of the next. Returns |change|.
double acceleration_sweep(struct acceleration *acceleration);

// Drops the history. Call it when the sweeps begin to solve another problem.
void acceleration_forget(struct acceleration *acceleration);

#endif
