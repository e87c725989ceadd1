#include "parallel/colour.h"

#include <string.h>

int colour_pairs(const int32_t *first, const int32_t *second, size_t count, size_t indices,
                 int32_t fixed_begin, int32_t fixed_end, uint64_t *mask, uint8_t *colour) {
    memset(mask, 0, indices * sizeof *mask);
    int colours = 0;
    for (size_t k = 0; k < count; k++) {
        int32_t a = first[k], b = second[k];
        // The mask of a fixed index stays empty, so it excludes no colour.
        uint64_t used = mask[a] | mask[b];
        if (used == UINT64_MAX)
            return -1;
        int c = __builtin_ctzll(~used);
        uint64_t bit = (uint64_t)1 << c;
        if (a < fixed_begin || a >= fixed_end)
            mask[a] |= bit;
        if (b < fixed_begin || b >= fixed_end)
            mask[b] |= bit;
        colour[k] = (uint8_t)c;
        if (c >= colours)
            colours = c + 1;
    }
    return colours;
}
