// Sweeps over the blocks of a batch (struct block of engine/solvers/sweep/plan.h: contact points of
// one pair of bodies, or points of one joint). Contact points are solved one by one, the points of
// a joint together.
#ifndef ENGINE_SOLVERS_SWEEP_BLOCK_SWEEP_H
#define ENGINE_SOLVERS_SWEEP_BLOCK_SWEEP_H

#include "engine/solvers/sweep/sphere_sweep.h"

struct block_sweep {
    struct sweep_plan *plan;
    const struct solver_settings *settings;
    double mu;
    double beta; // momentum of the sweep
};

// Adds the impulses of a block to the velocities of its bodies.
void block_sweep_apply(const struct block_sweep *sweep, const struct block *block);

// Makes one Gauss-Seidel pass over the points of a block, as described in sphere_sweep.h. Adds to
// `fallbacks` the contacts on which the local solver failed.
void block_sweep_solve(const struct block_sweep *sweep, const struct block *block,
                       struct sweep_tally *tally, int64_t *fallbacks);

#endif
