#include <string.h>

#include "engine/solvers/newton/block_structure.h"
#include "parallel/wide.h"

#define INLINE __attribute__((always_inline)) static inline

// x becomes the inverse of the pivot block times x. Stored as a whole: what is stored in parts
// cannot be fetched as lanes for a while.
INLINE void divide_left(int side, double *x, const double *lu, const int32_t *order) {
    int stride = BLOCK_STRIDE(side);
    double y[6];
    for (int i = 0; i < side; i++) {
        y[i] = x[order[i]];
        for (int k = 0; k < i; k++)
            y[i] -= lu[stride * i + k] * y[k];
    }
    for (int i = side - 1; i >= 0; i--) {
        for (int k = i + 1; k < side; k++)
            y[i] -= lu[stride * i + k] * y[k];
        y[i] *= lu[stride * i + i];
    }
    lanes4 *out = (lanes4 *)x;
    out[0] = (lanes4){y[0], y[1], y[2], side == 6 ? y[3] : 0};
    if (side == 6)
        out[1] = (lanes4){y[4], y[5], 0, 0};
}

// Subtracts block e of column k times x_k from the x of its row.
INLINE void eliminate_3(const struct block_matrix *matrix, int32_t k, size_t e) {
    lanes4 *work = (lanes4 *)matrix->work, x = work[k];
    const lanes4 *a = (const lanes4 *)(matrix->below + e * 12);
    work[matrix->row[e]] -= a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
}

INLINE void eliminate_6(const struct block_matrix *matrix, int32_t k, size_t e) {
    const double *x = matrix->work + 8 * (size_t)k;
    const lanes4 *a = (const lanes4 *)(matrix->below + e * 48);
    lanes4 *y = (lanes4 *)(matrix->work + 8 * (size_t)matrix->row[e]), low = {0}, high = {0};
    for (int j = 0; j < 6; j++) {
        low += a[2 * j] * x[j];
        high += a[2 * j + 1] * x[j];
    }
    y[0] -= low;
    y[1] -= high;
}

INLINE void eliminate(int side, const struct block_matrix *matrix, int32_t k, size_t e) {
    if (side == 3)
        eliminate_3(matrix, k, e);
    else
        eliminate_6(matrix, k, e);
}

// Subtracts row k times the x of its columns from x_k: number by number, then along each row, so
// that sums wait for each other as little as possible. The column that was solved last comes last,
// since its x may not be there yet.
INLINE void substitute_3(const struct block_matrix *matrix, int32_t k) {
    lanes4 *work = (lanes4 *)matrix->work, n = {0}, s = {0}, t = {0};
    for (size_t e = matrix->start[k + 1]; e-- > matrix->start[k];) {
        const lanes4 *a = (const lanes4 *)(matrix->above + e * 12);
        lanes4 x = work[matrix->row[e]];
        n += a[0] * x;
        s += a[1] * x;
        t += a[2] * x;
    }
    work[k] -= (lanes4){n[0] + n[1] + n[2], s[0] + s[1] + s[2], t[0] + t[1] + t[2], 0};
}

INLINE void substitute_6(const struct block_matrix *matrix, int32_t k) {
    lanes4 low[6] = {0}, high[6] = {0};
    for (size_t e = matrix->start[k]; e < matrix->start[k + 1]; e++) {
        const lanes4 *a = (const lanes4 *)(matrix->above + e * 48);
        const lanes4 *x = (const lanes4 *)(matrix->work + 8 * (size_t)matrix->row[e]);
        for (int i = 0; i < 6; i++) {
            low[i] += a[2 * i] * x[0];
            high[i] += a[2 * i + 1] * x[1];
        }
    }
    double *x_k = matrix->work + 8 * (size_t)k;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 4; j++)
            x_k[i] -= low[i][j];
        x_k[i] -= high[i][0];
        x_k[i] -= high[i][1];
    }
}

INLINE void substitute(int side, const struct block_matrix *matrix, int32_t k) {
    size_t stride = (size_t)BLOCK_STRIDE(side), size = (size_t)side * stride;
    if (side == 3)
        substitute_3(matrix, k);
    else
        substitute_6(matrix, k);
    divide_left(side, matrix->work + (size_t)k * stride, matrix->diagonal + (size_t)k * size,
                matrix->order + side * k);
}

// Ranges --------------------------------------------------------------------------------------
// As in the factorisation, a piece changes only itself, and the top adds up what all pieces change
// there: which thread did what has no influence on any sum.

INLINE void eliminate_pieces(int side, const struct block_matrix *matrix, size_t from, size_t to) {
    const struct block_pieces *pieces = &matrix->pieces;
    for (size_t i = from; i < to; i++) {
        struct panel last = pieces->panel[pieces->start[i + 1] - 1];
        int32_t end = last.first + last.count;
        for (int32_t p = pieces->start[i]; p < pieces->start[i + 1]; p++)
            for (int32_t q = 0; q < pieces->panel[p].count; q++) {
                int32_t k = pieces->panel[p].first + q;
                size_t e = matrix->start[k];
                for (; e < matrix->start[k + 1] && matrix->row[e] < end; e++)
                    eliminate(side, matrix, k, e);
            }
    }
}

INLINE void gather_pieces(int side, const struct block_matrix *matrix, size_t from, size_t to) {
    const struct block_pieces *pieces = &matrix->pieces;
    for (size_t t = from; t < to; t++)
        for (size_t g = pieces->gather_start[t]; g < pieces->gather_start[t + 1]; g++) {
            struct panel panel = pieces->panel[pieces->gather[g].panel];
            for (int32_t q = 0; q < panel.count; q++) {
                int32_t k = panel.first + q, place = pieces->gather[g].row - q - 1;
                eliminate(side, matrix, k, matrix->start[k] + (size_t)place);
            }
        }
}

// Columns of the top, which wait for each other.
INLINE void solve_top(int side, const struct block_matrix *matrix, size_t from, size_t to) {
    const int32_t *top = matrix->pieces.top;
    for (size_t t = from; t < to; t++)
        for (size_t e = matrix->start[top[t]]; e < matrix->start[top[t] + 1]; e++)
            eliminate(side, matrix, top[t], e);
    for (size_t t = to; t-- > from;)
        substitute(side, matrix, top[t]);
}

INLINE void substitute_pieces(int side, const struct block_matrix *matrix, size_t from, size_t to) {
    const struct block_pieces *pieces = &matrix->pieces;
    for (size_t i = from; i < to; i++)
        for (int32_t p = pieces->start[i + 1]; p-- > pieces->start[i];)
            for (int32_t q = pieces->panel[p].count; q-- > 0;)
                substitute(side, matrix, pieces->panel[p].first + q);
}

// Defines range functions for both sides.
#define BOTH_SIDES(work)                                                                           \
    WIDE static void work##_3(void *context, size_t from, size_t to) {                             \
        work(3, context, from, to);                                                                \
    }                                                                                              \
    WIDE static void work##_6(void *context, size_t from, size_t to) { work(6, context, from, to); }

BOTH_SIDES(eliminate_pieces)
BOTH_SIDES(gather_pieces)
BOTH_SIDES(solve_top)
BOTH_SIDES(substitute_pieces)

// Solution ------------------------------------------------------------------------------------

static void order_vector(struct block_matrix *matrix, const double *x) {
    size_t side = (size_t)matrix->side, stride = (size_t)BLOCK_STRIDE(matrix->side);
    memset(matrix->work, 0, (size_t)matrix->nodes * stride * sizeof *x);
    for (int32_t k = 0; k < matrix->nodes; k++)
        memcpy(matrix->work + (size_t)k * stride, x + side * (size_t)matrix->node[k],
               side * sizeof *x);
}

static void return_vector(const struct block_matrix *matrix, double *x) {
    size_t side = (size_t)matrix->side, stride = (size_t)BLOCK_STRIDE(matrix->side);
    for (int32_t k = 0; k < matrix->nodes; k++)
        memcpy(x + side * (size_t)matrix->node[k], matrix->work + (size_t)k * stride,
               side * sizeof *x);
}

// Less work than this, in numbers of the factors (about a millisecond), is not worth another
// thread.
#define THREAD_NUMBERS 2000000

void block_matrix_solve(struct block_matrix *matrix, struct team *team, double *x) {
    size_t numbers = 2 * matrix->start[matrix->nodes] * matrix->size;
    size_t pieces = (size_t)matrix->pieces.count, top = matrix->pieces.top_count;
    bool three = matrix->side == 3;
    team = team_worth(team, numbers, THREAD_NUMBERS) > 1 ? team : NULL;
    order_vector(matrix, x);
    team_for(team, pieces, 1, three ? eliminate_pieces_3 : eliminate_pieces_6, matrix);
    team_for(team, top, 16, three ? gather_pieces_3 : gather_pieces_6, matrix);
    (three ? solve_top_3 : solve_top_6)(matrix, 0, top);
    team_for(team, pieces, 1, three ? substitute_pieces_3 : substitute_pieces_6, matrix);
    return_vector(matrix, x);
}
