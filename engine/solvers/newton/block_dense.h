// Arithmetic of the dense blocks of a block matrix, for files that are compiled for several
// processors (engine/solvers/newton/block_kernel.h).
//
// `side` and `lanes` are constants wherever these functions are used, so that every loop has a
// known length. `lanes` is how many numbers a register holds: rows of six are one register of
// eight, two of four or three of two. Each number is the sum of the same products in the same order
// every time.
#ifndef ENGINE_SOLVERS_NEWTON_BLOCK_DENSE_H
#define ENGINE_SOLVERS_NEWTON_BLOCK_DENSE_H

#include <math.h>
#include <string.h>

#include "engine/solvers/newton/block_structure.h"
#include "parallel/wide.h"

#define INLINE __attribute__((always_inline)) static inline

typedef double lanes2 __attribute__((vector_size(16)));
typedef double lanes8 __attribute__((vector_size(64)));

// Sources of a sum of products: blocks of two rows of a panel, in as many of its columns. Column p
// has its blocks skip[p] blocks further on.
struct sources {
    const double *a, *b;
    const ptrdiff_t *skip;
    int32_t count;
};

INLINE const double *source_at(int side, const double *row, ptrdiff_t skip) {
    return row + skip * side * BLOCK_STRIDE(side);
}

// Products ------------------------------------------------------------------------------------

// The same columns of all rows of a block, in registers: of a block of side 3, and for each number
// of lanes of a block of side 6. The compiler's own choice takes three times as long.
struct three4 {
    lanes4 x, y, z;
};

INLINE void three4_load(struct three4 *c, const double *from) {
    const lanes4 *rows = (const lanes4 *)from;
    c->x = rows[0];
    c->y = rows[1];
    c->z = rows[2];
}

INLINE void three4_store(const struct three4 *c, double *to) {
    lanes4 *rows = (lanes4 *)to;
    rows[0] = c->x;
    rows[1] = c->y;
    rows[2] = c->z;
}

// c -= a b, a transposed.
INLINE void three4_subtract(struct three4 *c, const double *a, const lanes4 *b) {
    c->x = c->x - b[0] * a[0] - b[1] * a[4] - b[2] * a[8];
    c->y = c->y - b[0] * a[1] - b[1] * a[5] - b[2] * a[9];
    c->z = c->z - b[0] * a[2] - b[1] * a[6] - b[2] * a[10];
}

#define SIX_ROWS(n)                                                                                \
    struct six##n {                                                                                \
        lanes##n x, y, z, u, v, w;                                                                 \
    };                                                                                             \
    INLINE void six##n##_load(struct six##n *c, const double *from) {                              \
        c->x = *(const lanes##n *)from;                                                            \
        c->y = *(const lanes##n *)(from + 8);                                                      \
        c->z = *(const lanes##n *)(from + 16);                                                     \
        c->u = *(const lanes##n *)(from + 24);                                                     \
        c->v = *(const lanes##n *)(from + 32);                                                     \
        c->w = *(const lanes##n *)(from + 40);                                                     \
    }                                                                                              \
    INLINE void six##n##_store(const struct six##n *c, double *to) {                               \
        *(lanes##n *)to = c->x;                                                                    \
        *(lanes##n *)(to + 8) = c->y;                                                              \
        *(lanes##n *)(to + 16) = c->z;                                                             \
        *(lanes##n *)(to + 24) = c->u;                                                             \
        *(lanes##n *)(to + 32) = c->v;                                                             \
        *(lanes##n *)(to + 40) = c->w;                                                             \
    }                                                                                              \
    INLINE void six##n##_subtract(struct six##n *c, const double *a, const double *b) {            \
        lanes##n row = *(const lanes##n *)b;                                                       \
        c->x -= row * a[0];                                                                        \
        c->y -= row * a[1];                                                                        \
        c->z -= row * a[2];                                                                        \
        c->u -= row * a[3];                                                                        \
        c->v -= row * a[4];                                                                        \
        c->w -= row * a[5];                                                                        \
    }                                                                                              \
    INLINE void six##n##_subtract_two(struct six##n *c, struct six##n *d, const double *a,         \
                                      const double *b, const double *b_d) {                        \
        lanes##n row = *(const lanes##n *)b, row_d = *(const lanes##n *)b_d;                       \
        c->x -= row * a[0];                                                                        \
        d->x -= row_d * a[0];                                                                      \
        c->y -= row * a[1];                                                                        \
        d->y -= row_d * a[1];                                                                      \
        c->z -= row * a[2];                                                                        \
        d->z -= row_d * a[2];                                                                      \
        c->u -= row * a[3];                                                                        \
        d->u -= row_d * a[3];                                                                      \
        c->v -= row * a[4];                                                                        \
        d->v -= row_d * a[4];                                                                      \
        c->w -= row * a[5];                                                                        \
        d->w -= row_d * a[5];                                                                      \
    }

SIX_ROWS(2)
SIX_ROWS(4)
SIX_ROWS(8)

// c -= a b for all sources, a transposed. Where there are two c, the b of `also` are the next
// blocks: both share the numbers of a.
INLINE void subtract_products_3(bool two, double *to, double *also, const struct sources *sources) {
    struct three4 c, d = {{0}, {0}, {0}};
    three4_load(&c, to);
    if (two)
        three4_load(&d, also);
    for (int32_t p = 0; p < sources->count; p++) {
        const double *a = source_at(3, sources->a, sources->skip[p]);
        const lanes4 *b = (const lanes4 *)source_at(3, sources->b, sources->skip[p]);
        three4_subtract(&c, a, b);
        if (two)
            three4_subtract(&d, a, b + 3);
    }
    three4_store(&c, to);
    if (two)
        three4_store(&d, also);
}

INLINE void subtract_products_6x2(double *to, const struct sources *sources) {
    for (int j = 0; j < 6; j += 2) {
        struct six2 c;
        six2_load(&c, to + j);
        for (int32_t p = 0; p < sources->count; p++) {
            const double *a = source_at(6, sources->a, sources->skip[p]);
            const double *b = source_at(6, sources->b, sources->skip[p]) + j;
#pragma GCC unroll 1
            for (int k = 0; k < 48; k += 8)
                six2_subtract(&c, a + k, b + k);
        }
        six2_store(&c, to + j);
    }
}

INLINE void subtract_products_6x4(double *to, const struct sources *sources) {
    struct six4 c, d;
    six4_load(&c, to);
    six4_load(&d, to + 4);
    for (int32_t p = 0; p < sources->count; p++) {
        const double *a = source_at(6, sources->a, sources->skip[p]);
        const double *b = source_at(6, sources->b, sources->skip[p]);
#pragma GCC unroll 1
        for (int k = 0; k < 48; k += 8)
            six4_subtract_two(&c, &d, a + k, b + k, b + k + 4);
    }
    six4_store(&c, to);
    six4_store(&d, to + 4);
}

INLINE void subtract_products_6x8(bool two, double *to, double *also,
                                  const struct sources *sources) {
    struct six8 c, d = {{0}, {0}, {0}, {0}, {0}, {0}};
    six8_load(&c, to);
    if (two)
        six8_load(&d, also);
    for (int32_t p = 0; p < sources->count; p++) {
        const double *a = source_at(6, sources->a, sources->skip[p]);
        const double *b = source_at(6, sources->b, sources->skip[p]);
#pragma GCC unroll 1
        for (int k = 0; k < 48; k += 8)
            if (two)
                six8_subtract_two(&c, &d, a + k, b + k, b + k + 48);
            else
                six8_subtract(&c, a + k, b + k);
    }
    six8_store(&c, to);
    if (two)
        six8_store(&d, also);
}

INLINE void subtract_products(int side, int lanes, bool two, double *c, double *also,
                              const struct sources *sources) {
    struct sources next = *sources;
    next.b += two ? side * BLOCK_STRIDE(side) : 0;
    if (side == 3 && lanes > 2) {
        subtract_products_3(two, c, also, sources);
    } else if (side == 3) {
        subtract_products_3(false, c, NULL, sources);
        if (two)
            subtract_products_3(false, also, NULL, &next);
    } else if (lanes == 8) {
        subtract_products_6x8(two, c, also, sources);
    } else if (lanes == 4) {
        subtract_products_6x4(c, sources);
        if (two)
            subtract_products_6x4(also, &next);
    } else {
        subtract_products_6x2(c, sources);
        if (two)
            subtract_products_6x2(also, &next);
    }
}

INLINE void transpose(int side, double *a) {
    int stride = BLOCK_STRIDE(side);
    for (int i = 0; i < side; i++)
        for (int j = 0; j < i; j++) {
            double value = a[stride * i + j];
            a[stride * i + j] = a[stride * j + i];
            a[stride * j + i] = value;
        }
}

INLINE void swap_rows(int stride, double *a, int i, int j) {
    for (int k = 0; k < stride && i != j; k++) {
        double value = a[stride * i + k];
        a[stride * i + k] = a[stride * j + k];
        a[stride * j + k] = value;
    }
}

// L U with row exchanges, in place; the diagonal holds the reciprocals. Not the inverse: of a pivot
// block with eigenvalues of very different sizes its products would lose twice the digits.
INLINE bool factor_pivot(int side, double *a, int32_t *order) {
    int stride = BLOCK_STRIDE(side);
    for (int k = 0; k < side; k++)
        order[k] = k;
    for (int k = 0; k < side; k++) {
        int pivot = k;
        for (int i = k + 1; i < side; i++)
            if (fabs(a[stride * i + k]) > fabs(a[stride * pivot + k]))
                pivot = i;
        double value = a[stride * pivot + k];
        if (!(fabs(value) > 0) || !isfinite(value))
            return false;
        swap_rows(stride, a, k, pivot);
        int32_t row = order[k];
        order[k] = order[pivot];
        order[pivot] = row;
        a[stride * k + k] = 1 / value;
        for (int i = k + 1; i < side; i++) {
            double f = a[stride * i + k] *= a[stride * k + k];
            for (int j = k + 1; j < side; j++)
                a[stride * i + j] -= f * a[stride * k + j];
        }
    }
    return true;
}

// a, transposed, becomes a times the inverse of the pivot block: all rows go side by side.
INLINE void divide_3(double *a, const double *lu, const int32_t *order) {
    lanes4 *rows = (lanes4 *)a, x = rows[0], y = rows[1], z = rows[2];
    x = x * lu[0];
    y = (y - x * lu[1]) * lu[5];
    z = (z - x * lu[2] - y * lu[6]) * lu[10];
    y = y - z * lu[9];
    x = x - y * lu[4] - z * lu[8];
    rows[order[0]] = x;
    rows[order[1]] = y;
    rows[order[2]] = z;
}

#define DIVIDE_6(n)                                                                                \
    INLINE void divide_6x##n(double *a, const double *lu, const int32_t *order) {                  \
        struct six##n c;                                                                           \
        six##n##_load(&c, a);                                                                      \
        c.x = c.x * lu[0];                                                                         \
        c.y = (c.y - c.x * lu[1]) * lu[9];                                                         \
        c.z = (c.z - c.x * lu[2] - c.y * lu[10]) * lu[18];                                         \
        c.u = (c.u - c.x * lu[3] - c.y * lu[11] - c.z * lu[19]) * lu[27];                          \
        c.v = (c.v - c.x * lu[4] - c.y * lu[12] - c.z * lu[20] - c.u * lu[28]) * lu[36];           \
        c.w = c.w - c.x * lu[5] - c.y * lu[13] - c.z * lu[21] - c.u * lu[29] - c.v * lu[37];       \
        c.w = c.w * lu[45];                                                                        \
        c.v = c.v - c.w * lu[44];                                                                  \
        c.u = c.u - c.v * lu[35] - c.w * lu[43];                                                   \
        c.z = c.z - c.u * lu[26] - c.v * lu[34] - c.w * lu[42];                                    \
        c.y = c.y - c.z * lu[17] - c.u * lu[25] - c.v * lu[33] - c.w * lu[41];                     \
        c.x = c.x - c.y * lu[8] - c.z * lu[16] - c.u * lu[24] - c.v * lu[32] - c.w * lu[40];       \
        *(lanes##n *)(a + 8 * order[0]) = c.x;                                                     \
        *(lanes##n *)(a + 8 * order[1]) = c.y;                                                     \
        *(lanes##n *)(a + 8 * order[2]) = c.z;                                                     \
        *(lanes##n *)(a + 8 * order[3]) = c.u;                                                     \
        *(lanes##n *)(a + 8 * order[4]) = c.v;                                                     \
        *(lanes##n *)(a + 8 * order[5]) = c.w;                                                     \
    }

DIVIDE_6(2)
DIVIDE_6(4)
DIVIDE_6(8)

INLINE void divide(int side, int lanes, double *a, const double *lu, const int32_t *order) {
    if (side == 3)
        divide_3(a, lu, order);
    else if (lanes == 8)
        divide_6x8(a, lu, order);
    for (int j = 0; j < 6 && side == 6 && lanes == 4; j += 4)
        divide_6x4(a + j, lu, order);
    for (int j = 0; j < 6 && side == 6 && lanes == 2; j += 2)
        divide_6x2(a + j, lu, order);
}

#endif
