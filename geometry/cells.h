// Cells of equal length in a row, for grids.
#ifndef GEOMETRY_CELLS_H
#define GEOMETRY_CELLS_H

#include <math.h>
#include <stdint.h>

// Returns which of n cells holds what is `offset` from the begin of the first one; the first or the
// last where it is outside. The comparison comes before the conversion, because a quotient of
// extreme lengths is no integer.
static inline int64_t cells_find(double offset, double cell, int64_t n) {
    double k = floor(offset / cell);
    return !(k > 0) ? 0 : k >= (double)n ? n - 1 : (int64_t)k;
}

#endif
