// Greedy colouring of pairs: two pairs that share a moving index never have the same colour, so
// all pairs of one colour can be worked on at once. First fit in the given order: a function of
// the pair list alone.
#ifndef PARALLEL_COLOUR_H
#define PARALLEL_COLOUR_H

#include <stddef.h>
#include <stdint.h>

// One 64-bit mask of used colours per index. First fit needs at most d(c) + d(a) - 1 colours, so a
// degree of at most COLOUR_DEGREE_MAX can never run out; the caller splits busier indices.
#define COLOUR_MAX        64
#define COLOUR_DEGREE_MAX 32

// Colours pairs (first[k], second[k]). Indices in [fixed_begin, fixed_end) are never in conflict.
// `mask` has room for every index and is cleared here. Returns the number of colours, or -1 when
// more than COLOUR_MAX would be needed.
int colour_pairs(const int32_t *first, const int32_t *second, size_t count, size_t indices,
                 int32_t fixed_begin, int32_t fixed_end, uint64_t *mask, uint8_t *colour);

#endif
