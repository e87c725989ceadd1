#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "engine/solvers/newton/block_structure.h"
#include "parallel/memory.h"
#include "parallel/stop.h"
#include "parallel/wide.h"

// Blocks --------------------------------------------------------------------------------------

// The side is a constant wherever these are used: every loop has a known length.
#define INLINE __attribute__((always_inline)) static inline

// c -= a b, a transposed, by lanes of four: the compiler's own choice takes three times as long.
// Each row of a block of side 3 is one; of side 6, two rows are three lanes, the one in the middle
// half of each. Every number is the sum of the same products in the same order either way.
INLINE void subtract_product_3(lanes4 *c, const double *a, const lanes4 *b) {
    lanes4 x = c[0] - b[0] * a[0] - b[1] * a[4] - b[2] * a[8];
    lanes4 y = c[1] - b[0] * a[1] - b[1] * a[5] - b[2] * a[9];
    lanes4 z = c[2] - b[0] * a[2] - b[1] * a[6] - b[2] * a[10];
    c[0] = x;
    c[1] = y;
    c[2] = z;
}

typedef double lanes2 __attribute__((vector_size(16)));

// Row k of a block of side 6 as it meets rows i and i + 1 of another.
struct row_lanes {
    lanes4 upper, middle, lower;
};

// From two rows of c, two numbers of a times a row of b.
INLINE void subtract_rows(lanes4 *c, const double *a, const struct row_lanes *row) {
    lanes2 two = *(const lanes2 *)a;
    c[0] -= row->upper * a[0];
    c[1] -= row->middle * __builtin_shufflevector(two, two, 0, 0, 1, 1);
    c[2] -= row->lower * a[1];
}

INLINE void subtract_product_6(lanes4 *to, const double *a, const lanes4 *b) {
    lanes4 c[9] = {to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7], to[8]};
#pragma GCC unroll 1 // or c does not stay in registers
    for (int k = 0; k < 3; k++, b += 3, a += 12) {
        struct row_lanes row;
        row.upper = b[0];
        row.middle = __builtin_shufflevector(b[1], b[0], 0, 1, 4, 5);
        row.lower = __builtin_shufflevector(b[0], b[1], 2, 3, 4, 5);
        subtract_rows(c, a, &row);
        subtract_rows(c + 3, a + 2, &row);
        subtract_rows(c + 6, a + 4, &row);
        row.upper = __builtin_shufflevector(b[1], b[2], 2, 3, 4, 5);
        row.middle = __builtin_shufflevector(b[2], b[1], 2, 3, 6, 7);
        row.lower = b[2];
        subtract_rows(c, a + 6, &row);
        subtract_rows(c + 3, a + 8, &row);
        subtract_rows(c + 6, a + 10, &row);
    }
    for (int i = 0; i < 9; i++)
        to[i] = c[i];
}

INLINE void subtract_product(int side, double *c, const double *a, const double *b) {
    if (side == 3)
        subtract_product_3((lanes4 *)c, a, (const lanes4 *)b);
    else
        subtract_product_6((lanes4 *)c, a, (const lanes4 *)b);
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

// a becomes a times the inverse of the pivot block, transposed: then all rows go side by side.
INLINE void divide_3(double *a, const double *lu, const int32_t *order) {
    lanes4 x = {a[0], a[4], a[8], 0}, y = {a[1], a[5], a[9], 0}, z = {a[2], a[6], a[10], 0};
    x = x * lu[0];
    y = (y - x * lu[1]) * lu[5];
    z = (z - x * lu[2] - y * lu[6]) * lu[10];
    y = y - z * lu[9];
    x = x - y * lu[4] - z * lu[8];
    lanes4 *rows = (lanes4 *)a;
    rows[order[0]] = x;
    rows[order[1]] = y;
    rows[order[2]] = z;
}

INLINE void divide_6(double *a, const double *lu, const int32_t *order) {
    lanes4 x[6];
    lanes2 y[6];
    for (int j = 0; j < 6; j++) {
        x[j] = (lanes4){a[j], a[6 + j], a[12 + j], a[18 + j]};
        y[j] = (lanes2){a[24 + j], a[30 + j]};
    }
    for (int j = 0; j < 6; j++) {
        for (int k = 0; k < j; k++) {
            x[j] -= x[k] * lu[6 * k + j];
            y[j] -= y[k] * lu[6 * k + j];
        }
        x[j] *= lu[6 * j + j];
        y[j] *= lu[6 * j + j];
    }
    for (int j = 4; j >= 0; j--)
        for (int k = j + 1; k < 6; k++) {
            x[j] -= x[k] * lu[6 * k + j];
            y[j] -= y[k] * lu[6 * k + j];
        }
    for (int j = 0; j < 6; j++) {
        memcpy(a + 6 * order[j], &x[j], sizeof x[j]);
        memcpy(a + 6 * order[j] + 4, &y[j], sizeof y[j]);
    }
}

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
    if (side == 3)
        *(lanes4 *)x = (lanes4){y[0], y[1], y[2], 0};
    for (int i = 0; i < side && side == 6; i += 2)
        *(lanes2 *)(x + i) = (lanes2){y[i], y[i + 1]};
}

// Subtracts column k times row k from what is left of column and row j = row[at]. The rows of k
// after j are among those of j: one walk finds them.
INLINE void update_column(int side, struct block_matrix *matrix, int32_t k, size_t at) {
    size_t end = matrix->start[k + 1], size = (size_t)(side * BLOCK_STRIDE(side));
    int32_t j = matrix->row[at];
    const double *below_j = matrix->below + at * size;
    const double *above_j = matrix->above + at * size;
    subtract_product(side, matrix->diagonal + (size_t)j * size, below_j, above_j);
    size_t to = matrix->start[j];
    for (size_t e = at + 1; e < end; e++) {
        while (matrix->row[to] != matrix->row[e])
            to++;
        subtract_product(side, matrix->below + to * size, matrix->below + e * size, above_j);
        subtract_product(side, matrix->above + to * size, below_j, matrix->above + e * size);
    }
}

// From here on the order in time is that of the threads; the order of the sums is not.

struct factoring {
    struct block_matrix *matrix;
    struct team *team;
    int32_t column; // of the top, which is shared
    atomic_bool singular, stopped;
};

// Returns whether somebody asks to stop, which only the calling thread can see. What is left of a
// loop is then left out.
INLINE bool is_stopped(struct factoring *factoring) {
    if (stop_requested())
        atomic_store_explicit(&factoring->stopped, true, memory_order_relaxed);
    return atomic_load_explicit(&factoring->stopped, memory_order_relaxed);
}

INLINE void note_pivot(struct factoring *factoring, bool good) {
    if (!good)
        atomic_store_explicit(&factoring->singular, true, memory_order_relaxed);
}

INLINE void divide_rows(int side, struct block_matrix *matrix, int32_t k, size_t from, size_t to) {
    size_t size = (size_t)(side * BLOCK_STRIDE(side));
    const double *pivot = matrix->diagonal + (size_t)k * size;
    const int32_t *order = matrix->order + side * k;
    for (size_t e = from; e < to; e++)
        if (side == 3)
            divide_3(matrix->below + e * size, pivot, order);
        else
            divide_6(matrix->below + e * size, pivot, order);
}

INLINE bool pivot_column(int side, struct block_matrix *matrix, int32_t k) {
    return factor_pivot(side, matrix->diagonal + (size_t)k * (size_t)(side * BLOCK_STRIDE(side)),
                        matrix->order + side * k);
}

// Column k, and what it changes in the columns before `end`.
INLINE bool factor_column(int side, struct block_matrix *matrix, int32_t k, int32_t end) {
    bool good = pivot_column(side, matrix, k);
    divide_rows(side, matrix, k, matrix->start[k], matrix->start[k + 1]);
    for (size_t e = matrix->start[k]; e < matrix->start[k + 1] && matrix->row[e] < end; e++)
        update_column(side, matrix, k, e);
    return good;
}

// The last column of a piece is its root; rows beyond it are those of the top.
INLINE void factor_pieces(int side, struct factoring *factoring, size_t from, size_t to) {
    struct block_matrix *matrix = factoring->matrix;
    const struct block_pieces *pieces = &matrix->pieces;
    for (size_t p = from; p < to; p++) {
        int32_t end = pieces->column[pieces->start[p + 1] - 1] + 1;
        for (int32_t c = pieces->start[p]; c < pieces->start[p + 1]; c++)
            if (!is_stopped(factoring))
                note_pivot(factoring, factor_column(side, matrix, pieces->column[c], end));
    }
}

// What the pieces change in columns of the top.
INLINE void gather_pieces(int side, struct factoring *factoring, size_t from, size_t to) {
    const struct block_pieces *pieces = &factoring->matrix->pieces;
    for (size_t t = from; t < to && !is_stopped(factoring); t++)
        for (size_t g = pieces->gather_start[t]; g < pieces->gather_start[t + 1]; g++)
            update_column(side, factoring->matrix, pieces->gather[g].column,
                          pieces->gather[g].entry);
}

// Rows of a column of the top.
INLINE void divide_shared(int side, struct factoring *factoring, size_t from, size_t to) {
    struct block_matrix *matrix = factoring->matrix;
    size_t start = matrix->start[factoring->column];
    divide_rows(side, matrix, factoring->column, start + from, start + to);
}

INLINE void update_shared(int side, struct factoring *factoring, size_t from, size_t to) {
    struct block_matrix *matrix = factoring->matrix;
    size_t start = matrix->start[factoring->column];
    for (size_t e = start + from; e < start + to; e++)
        update_column(side, matrix, factoring->column, e);
}

// Defines range functions for both sides.
#define BOTH_SIDES(work)                                                                           \
    WIDE static void work##_3(void *context, size_t from, size_t to) {                             \
        work(3, context, from, to);                                                                \
    }                                                                                              \
    WIDE static void work##_6(void *context, size_t from, size_t to) { work(6, context, from, to); }

BOTH_SIDES(factor_pieces)
BOTH_SIDES(gather_pieces)
BOTH_SIDES(divide_shared)
BOTH_SIDES(update_shared)

static void factoring_for(struct factoring *factoring, size_t count, size_t chunk,
                          range_function work_3, range_function work_6) {
    team_for(factoring->team, count, chunk, factoring->matrix->side == 3 ? work_3 : work_6,
             factoring);
}

// Columns of the top with fewer rows are not worth two stages.
#define SHARED_ROWS 8

WIDE static bool pivot_any(struct block_matrix *matrix, int32_t k) {
    return matrix->side == 3 ? pivot_column(3, matrix, k) : pivot_column(6, matrix, k);
}

WIDE static bool factor_any(struct block_matrix *matrix, int32_t k) {
    return matrix->side == 3 ? factor_column(3, matrix, k, matrix->nodes)
                             : factor_column(6, matrix, k, matrix->nodes);
}

static void share_column(struct factoring *factoring, int32_t k, size_t rows) {
    factoring->column = k;
    note_pivot(factoring, pivot_any(factoring->matrix, k));
    factoring_for(factoring, rows, SHARED_ROWS, divide_shared_3, divide_shared_6);
    factoring_for(factoring, rows, 1, update_shared_3, update_shared_6);
}

static void factor_top(struct factoring *factoring) {
    struct block_matrix *matrix = factoring->matrix;
    int32_t c = matrix->pieces.start[matrix->pieces.count];
    for (; c < matrix->nodes && !is_stopped(factoring); c++) {
        int32_t k = matrix->pieces.column[c];
        size_t rows = matrix->start[k + 1] - matrix->start[k];
        if (factoring->team && rows >= SHARED_ROWS)
            share_column(factoring, k, rows);
        else
            note_pivot(factoring, factor_any(matrix, k));
    }
}

// Less work than this, in numbers multiplied (some ten milliseconds), is not worth another thread:
// columns of the top wait for each other a hundred times.
#define THREAD_WORK 30000000

bool block_matrix_factor(struct block_matrix *matrix, struct team *team) {
    size_t work = (size_t)matrix->products * (size_t)(matrix->side * matrix->side * matrix->side);
    bool shared = team_worth(team, work, THREAD_WORK) > 1;
    struct factoring factoring = {.matrix = matrix, .team = shared ? team : NULL};
    size_t pieces = (size_t)matrix->pieces.count;
    size_t top = (size_t)(matrix->nodes - matrix->pieces.start[matrix->pieces.count]);
    factoring_for(&factoring, pieces, 1, factor_pieces_3, factor_pieces_6);
    factoring_for(&factoring, top, 1, gather_pieces_3, gather_pieces_6);
    factor_top(&factoring);
    return !factoring.singular && !factoring.stopped;
}

// Subtracts column k times x_k from the x of its rows.
INLINE void eliminate_3(const struct block_matrix *matrix, int32_t k) {
    lanes4 *work = (lanes4 *)matrix->work, x = work[k];
    for (size_t e = matrix->start[k]; e < matrix->start[k + 1]; e++) {
        const lanes4 *a = (const lanes4 *)(matrix->below + e * 12);
        work[matrix->row[e]] -= a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
    }
}

INLINE void eliminate_6(const struct block_matrix *matrix, int32_t k) {
    const double *x = matrix->work + 6 * (size_t)k;
    for (size_t e = matrix->start[k]; e < matrix->start[k + 1]; e++) {
        const double *a = matrix->below + e * 36;
        double *y = matrix->work + 6 * (size_t)matrix->row[e], sum[6] = {0};
        for (int j = 0; j < 6; j++)
            for (int i = 0; i < 6; i++)
                sum[i] += a[6 * j + i] * x[j];
        for (int i = 0; i < 6; i++)
            y[i] -= sum[i];
    }
}

// Subtracts row k times the x of its columns from x_k: number by number, then along each row, so
// that sums wait for each other as little as possible.
INLINE void substitute_3(const struct block_matrix *matrix, int32_t k) {
    lanes4 *work = (lanes4 *)matrix->work, n = {0}, s = {0}, t = {0};
    for (size_t e = matrix->start[k]; e < matrix->start[k + 1]; e++) {
        const lanes4 *a = (const lanes4 *)(matrix->above + e * 12);
        lanes4 x = work[matrix->row[e]];
        n += a[0] * x;
        s += a[1] * x;
        t += a[2] * x;
    }
    work[k] -= (lanes4){n[0] + n[1] + n[2], s[0] + s[1] + s[2], t[0] + t[1] + t[2], 0};
}

INLINE void substitute_6(const struct block_matrix *matrix, int32_t k) {
    double sums[36] = {0}, *x_k = matrix->work + 6 * (size_t)k;
    for (size_t e = matrix->start[k]; e < matrix->start[k + 1]; e++) {
        const double *a = matrix->above + e * 36, *x = matrix->work + 6 * (size_t)matrix->row[e];
        for (int i = 0; i < 36; i++)
            sums[i] += a[i] * x[i % 6];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            x_k[i] -= sums[6 * i + j];
}

INLINE void solve(int side, const struct block_matrix *matrix, double *x) {
    size_t stride = (size_t)BLOCK_STRIDE(side), size = (size_t)side * stride;
    double *work = matrix->work;
    for (int32_t k = 0; k < matrix->nodes; k++)
        for (size_t i = 0; i < stride; i++)
            work[(size_t)k * stride + i] =
                i < (size_t)side ? x[(size_t)side * (size_t)matrix->node[k] + i] : 0;
    for (int32_t k = 0; k < matrix->nodes; k++)
        side == 3 ? eliminate_3(matrix, k) : eliminate_6(matrix, k);
    for (int32_t k = matrix->nodes - 1; k >= 0; k--) {
        side == 3 ? substitute_3(matrix, k) : substitute_6(matrix, k);
        divide_left(side, work + (size_t)k * stride, matrix->diagonal + (size_t)k * size,
                    matrix->order + side * k);
    }
    for (int32_t k = 0; k < matrix->nodes; k++)
        memcpy(x + (size_t)side * (size_t)matrix->node[k], work + (size_t)k * stride,
               (size_t)side * sizeof *x);
}

WIDE static void solve_3(const struct block_matrix *matrix, double *x) { solve(3, matrix, x); }
WIDE static void solve_6(const struct block_matrix *matrix, double *x) { solve(6, matrix, x); }

void block_matrix_solve(const struct block_matrix *matrix, double *x) {
    if (matrix->side == 3)
        solve_3(matrix, x);
    else
        solve_6(matrix, x);
}
