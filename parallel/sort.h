// Stable radix sort of 64-bit keys, each with a 32-bit value. The result does not depend on the
// number of threads.
#ifndef PARALLEL_SORT_H
#define PARALLEL_SORT_H

#include <stdint.h>

#include "parallel/team.h"

// Arrays that sort_by_key needs. The caller keeps them between calls, so that they are allocated
// once; they grow as needed.
struct sort_scratch;

struct sort_scratch *sort_scratch_create(void);
void sort_scratch_free(struct sort_scratch *scratch);

// Sorts keys, and their values with them, by the low `bits` bits of the keys.
void sort_by_key(struct team *team, uint64_t *keys, uint32_t *values, size_t count, int bits,
                 struct sort_scratch *scratch);

#endif
