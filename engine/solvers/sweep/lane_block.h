// The lane blocks of a sweep plan (engine/solvers/sweep/plan.h), lane by lane: filled from points
// of blocks, and read as such by all who are not in a hurry. engine/solvers/sweep/lane_sweep.h
// sweeps over four at once.
#ifndef ENGINE_SOLVERS_SWEEP_LANE_BLOCK_H
#define ENGINE_SOLVERS_SWEEP_LANE_BLOCK_H

#include "engine/solvers/sweep/plan.h"

// Finds what follows from the first `lanes` lanes of a block, which are filled. The others refer to
// the bodies of the first one; nothing is written there.
void lane_block_close(const struct sweep_plan *plan, struct lane_block *block, uint32_t lanes);

// Fills the points of a block with empty ones where a lane is unused or shorter than another one.
void lane_block_clear(const struct lane_block *block, struct lane_point *points);

// Puts the point of a contact, as a block has it, into its lane.
void lane_point_put(struct sweep_plan *plan, size_t contact, const struct block *block,
                    const struct block_point *point);

// Return one lane as a block, and one of its points. The point has no W; lane_point_weigh computes
// that.
struct block lane_block_get(const struct lane_block *block, uint32_t lane);
struct block_point lane_point_get(const struct lane_point *point, uint32_t lane);
mat3 lane_point_weigh(const struct inverse_mass *inverse, const struct block *block,
                      const struct block_point *point);

// Solves one contact as local_solve (engine/solvers/local/local.h) does, with the local solver
// newton; u is its velocity and *r its impulse, which is replaced.
bool lane_point_solve(const struct sweep_plan *plan, const struct lane_block *block,
                      const struct lane_point *point, uint32_t lane, double mu, vec3 u, vec3 *r);

#endif
