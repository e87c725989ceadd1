// Broad phase: which spheres are near which. A hierarchical uniform grid.
//
// Bodies are put on levels by size, a factor of two each, so that a cell is never much larger than
// what it holds; a body meets its own level through the neighbouring cells and every coarser level
// through the few coarse cells it touches. The cost is linear in the number of bodies for any
// mixture of sizes.
#ifndef GEOMETRY_GRID_H
#define GEOMETRY_GRID_H

#include <stdint.h>

#include "geometry/vec.h"
#include "parallel/team.h"

struct grid;

// Neighbours of i are other[start[i]] ... other[start[i + 1] - 1], all larger than i, ascending.
struct pair_list {
    size_t count;
    uint32_t *start;
    int32_t *other;
    size_t start_capacity, other_capacity;
};

struct grid *grid_create(void);
void grid_free(struct grid *grid);
void pair_list_free(struct pair_list *pairs);

// All pairs i < j with |x_i - x_j| <= reach_i + reach_j and i < moving. start has moving + 1
// entries. reach > 0.
void grid_find_pairs(struct grid *grid, struct team *team, const vec3 *x, const double *reach,
                     int32_t count, int32_t moving, struct pair_list *pairs);

#endif
