// Broad phase: finds pairs of spheres that are near each other, with a hierarchical uniform grid.
//
// Bodies are sorted into levels by size, each level a factor of two coarser, so that a cell is
// never much larger than the bodies in it. A body is compared with the neighbouring cells of its
// own level and with the few cells of every coarser level that it touches. The cost is linear in
// the number of bodies for any mixture of sizes.
#ifndef GEOMETRY_GRID_H
#define GEOMETRY_GRID_H

#include <stdint.h>

#include "geometry/vec.h"
#include "parallel/team.h"

struct grid;

// The neighbours of i are other[start[i]] ... other[start[i + 1] - 1], all above i, in ascending
// order.
struct pair_list {
    size_t count;
    uint32_t *start;
    int32_t *other;
    size_t start_capacity, other_capacity;
};

struct grid *grid_create(void);
void grid_free(struct grid *grid);
void pair_list_free(struct pair_list *pairs);

// Finds all pairs i < j with |x_i - x_j| <= reach_i + reach_j and i < moving. Every reach must be
// positive. pairs->start gets moving + 1 entries.
void grid_find_pairs(struct grid *grid, struct team *team, const vec3 *x, const double *reach,
                     int32_t count, int32_t moving, struct pair_list *pairs);

#endif
