// Operations on four numbers side by side, each as on one of them alone, for functions marked WIDE.
#ifndef PARALLEL_FOURS_H
#define PARALLEL_FOURS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "parallel/wide.h"

// Into functions that are compiled for several processors.
#define INLINE __attribute__((always_inline)) static inline
#define LANES  4

typedef int64_t mask4 __attribute__((vector_size(32)));
typedef double lanes4_anywhere __attribute__((vector_size(32), aligned(8), may_alias));

INLINE lanes4 splat(double a) { return (lanes4){a, a, a, a}; }

INLINE lanes4 root(lanes4 a) { return (lanes4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])}; }

INLINE lanes4 choose(mask4 mask, lanes4 a, lanes4 b) {
    return (lanes4)(((mask4)a & mask) | ((mask4)b & ~mask));
}

INLINE lanes4 larger(lanes4 a, lanes4 b) { return choose(b > a, b, a); }

INLINE bool any(mask4 mask) { return ((mask[0] | mask[1]) | (mask[2] | mask[3])) != 0; }

#endif
