// Pairs that are kept from one search of the broad phase to the next. A search with a wider reach
// than asked knows the pairs of all later ones, as long as no body has come out of the sphere that
// it had there: what they ask for is found by looking at those pairs alone. Pairs and their order
// are those of grid_find_pairs, always.
#ifndef GEOMETRY_PAIR_KEEP_H
#define GEOMETRY_PAIR_KEEP_H

#include "geometry/grid.h"

struct pair_keep;

struct pair_keep *pair_keep_create(void);
void pair_keep_free(struct pair_keep *keep);

// What grid_find_pairs is asked for.
struct pair_search {
    const vec3 *x;
    const double *reach;
    int32_t count, moving;
};

// Returns by how much a search may reach further for a body, so that the next ones find it in the
// same place; INFINITY where it is too fast for that.
typedef double (*margin_function)(const void *context, int32_t i);

void pair_keep_find(struct pair_keep *keep, struct grid *grid, struct team *team,
                    const struct pair_search *search, margin_function margin, const void *context,
                    struct pair_list *pairs);

// Returns how many searches were answered from pairs that had been kept.
int64_t pair_keep_served(const struct pair_keep *keep);

#endif
