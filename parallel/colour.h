// Greedy colouring of pairs: two pairs that share a moving index get different colours, so threads
// can work on all pairs of one colour at the same time. Each pair, in the given order, gets the
// first colour that fits. The result depends on the list of pairs alone, not on threads.
#ifndef PARALLEL_COLOUR_H
#define PARALLEL_COLOUR_H

#include <stddef.h>
#include <stdint.h>

// Each index has a 64-bit mask of the colours it already has. A pair of indices of degrees d and e
// (the number of their pairs) needs at most colour number d + e - 1, so colours never run out as
// long as no degree exceeds COLOUR_DEGREE_MAX. The caller splits indices of higher degree.
#define COLOUR_MAX        64
#define COLOUR_DEGREE_MAX 32

// Gives colour[k] to the pair (first[k], second[k]), counted from 0. Indices in [fixed_begin,
// fixed_end) do not move and are never in conflict. `mask` is scratch with room for all `indices`.
// Returns the number of colours, or -1 when more than COLOUR_MAX would be needed.
int colour_pairs(const int32_t *first, const int32_t *second, size_t count, size_t indices,
                 int32_t fixed_begin, int32_t fixed_end, uint64_t *mask, uint8_t *colour);

#endif
