// Stable radix sort of 64-bit keys with a 32-bit payload, least significant digit first. The
// result does not depend on the number of threads.
#ifndef PARALLEL_SORT_H
#define PARALLEL_SORT_H

#include <stdint.h>

#include "parallel/team.h"

struct sort_scratch; // grows, kept by the caller between calls

struct sort_scratch *sort_scratch_create(void);
void sort_scratch_free(struct sort_scratch *scratch);

// Sorts by the low `bits` bits of the keys.
void sort_by_key(struct team *team, uint64_t *keys, uint32_t *values, size_t count, int bits,
                 struct sort_scratch *scratch);

#endif
