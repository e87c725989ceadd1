// Stable radix sort of 64-bit keys, each with a 32-bit value. The result does not depend on the
// number of threads.
#ifndef PARALLEL_SORT_H
#define PARALLEL_SORT_H

#include <stdint.h>

#include "parallel/team.h"

// Sorts keys, and their values with them, by the low `bits` bits of the keys.
void sort_by_key(struct team *team, uint64_t *keys, uint32_t *values, size_t count, int bits);

#endif
