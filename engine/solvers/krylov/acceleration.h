// Anderson acceleration of block Gauss-Seidel sweeps.
#ifndef ENGINE_SOLVERS_KRYLOV_ACCELERATION_H
#define ENGINE_SOLVERS_KRYLOV_ACCELERATION_H

#include "engine/solvers/sweep/row_sweep.h"

#define ACCELERATION_MEMORY 16 // sweeps

// Vectors are padded with zeros to whole lanes.
struct acceleration {
    struct row_sweep sweeps; // on r
    size_t size;
    double *r, *before;        // r starts the next sweep; before it, `before`
    double *answer;            // of the last sweep: what obeys the law, and what is worth measuring
    double *change;            // scale (answer - before)
    double *scale;             // sqrt(tr W_aa / 3), three times per contact
    double *changes, *answers; // columns: differences of the above between sweeps
    int columns, place;        // how many are kept, which is the newest
    bool begun;                // there was a sweep to differ from
    double *partial;           // sums of each chunk
    double gram[ACCELERATION_MEMORY][ACCELERATION_MEMORY];
    double right[ACCELERATION_MEMORY], share[ACCELERATION_MEMORY];
    double change2, least2; // |change|^2, and the least since a restart
};

struct acceleration acceleration_open(const struct contact_problem *problem,
                                      const struct solver_settings *settings, const double *r);
int64_t acceleration_close(struct acceleration *acceleration); // returns local fallbacks

// One sweep and the start of the next. Returns |change|.
double acceleration_sweep(struct acceleration *acceleration);

// The map is another from here on: earlier sweeps say nothing of it.
void acceleration_forget(struct acceleration *acceleration);

#endif
