// What a sweep does with the blocks of a batch: points of contacts one by one, those of a joint
// together.
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

// Makes one pass over its points, as sphere_sweep.h has it; `fallbacks` counts what the local
// solver gave up on.
void block_sweep_solve(const struct block_sweep *sweep, const struct block *block,
                       struct sweep_sums *sums, int64_t *fallbacks);

#endif
