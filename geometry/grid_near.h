// Pairs of spheres that are near each other, as far as they take in a range of bodies: what one
// rank of several needs of the broad phase. Only bodies in the box around the range are looked at,
// and of these, where a list is given, the listed ones.
#ifndef GEOMETRY_GRID_NEAR_H
#define GEOMETRY_GRID_NEAR_H

#include "geometry/grid.h"

struct near_bodies;

struct near_bodies *near_bodies_create(void);
void near_bodies_free(struct near_bodies *near);

// The bodies that a search looks at: listed, in ascending order, or [0, count).
struct near_candidates {
    const int32_t *list; // NULL: all
    int32_t count;
};

// Finds, of the pairs that grid_find_pairs finds among the candidates, those of which i or j is in
// [begin, end). The list has the same form, with the pairs in the same order.
void near_bodies_find_pairs(struct near_bodies *near, struct grid *grid, struct team *team,
                            const vec3 *x, const double *reach, struct near_candidates candidates,
                            int32_t moving, int32_t begin, int32_t end, struct pair_list *pairs);

#endif
