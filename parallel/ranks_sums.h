// Sums whose bits do not depend on the order of their terms (binned_sum.h), over all ranks.
#ifndef PARALLEL_RANKS_SUMS_H
#define PARALLEL_RANKS_SUMS_H

#include <stddef.h>

#include "parallel/binned_sum.h"

// Adds to each of `count` sums those of all other ranks. Every rank calls it.
void ranks_merge_sums(struct binned_sum *sums, size_t count);

#endif
