// Block Gauss-Seidel: one contact after the other is given the impulse that obeys the law with the
// impulses of the others as they are. What sweeps, anderson and prox have in common.
#ifndef ENGINE_SOLVERS_SWEEP_GAUSS_SEIDEL_H
#define ENGINE_SOLVERS_SWEEP_GAUSS_SEIDEL_H

#include "engine/solvers/local/local.h"
#include "engine/solvers/monitor.h"

struct gauss_seidel {
    struct friction_state state;
    enum gabion_local local;
    struct gabion_cone cone;
    double relaxation;
    struct local_contact *contacts;
    double alpha;            // proximal term; 0: none
    const double *reference; // the caller's
    int64_t *fallbacks;      // one per thread
};

// Sweeps work on r. With the settings' local solver and relaxation.
struct gauss_seidel gauss_seidel_open(const struct friction_problem *problem,
                                      const struct solver_settings *settings, double *r);
void gauss_seidel_close(struct gauss_seidel *sweeps);

// From here on the sweeps solve the problem with W + A and q - A reference, A = alpha tr W_aa / 3
// at each contact: alpha is a number without unit, and masses may differ as they like.
void gauss_seidel_regularise(struct gauss_seidel *sweeps, double alpha, const double *reference);

void gauss_seidel_sweep(struct gauss_seidel *sweeps);
void gauss_seidel_refresh(struct gauss_seidel *sweeps); // after r was changed as a whole

int64_t gauss_seidel_fallbacks(const struct gauss_seidel *sweeps);

#endif
