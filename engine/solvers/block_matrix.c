#include "engine/solvers/block_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

#include "parallel/memory.h"
#include "parallel/wide.h"

// Column k of the factor, in the order of elimination, has the rows row[start[k]] ... in ascending
// order. below[e] is the block in row row[e], column k, transposed once that column is eliminated;
// above[e] the one in row k, column row[e].
struct block_matrix {
    int side;
    size_t size; // numbers of a block
    int32_t nodes;
    int32_t *place, *node; // of each node in the order, and back
    size_t place_capacity, node_capacity;
    size_t *start;
    int32_t *row;
    size_t start_capacity, row_capacity;
    double *diagonal, *below, *above;
    int32_t *order; // of the rows inside each diagonal block
    size_t diagonal_capacity, below_capacity, above_capacity, order_capacity;
    size_t *entry; // of each pair
    bool *upward;  // its first node comes later in the order
    size_t entry_capacity, upward_capacity;
    double *work; // a vector in the order of elimination, BLOCK_STRIDE numbers each
    size_t work_capacity;
};

struct block_matrix *block_matrix_create(int side) {
    struct block_matrix *matrix = memory_allocate(1, sizeof *matrix, "block matrix");
    matrix->side = side;
    matrix->size = (size_t)(side * BLOCK_STRIDE(side));
    return matrix;
}

void block_matrix_free(struct block_matrix *matrix) {
    if (!matrix)
        return;
    void *arrays[] = {matrix->place,    matrix->node,  matrix->start, matrix->row,
                      matrix->diagonal, matrix->below, matrix->above, matrix->entry,
                      matrix->upward,   matrix->order, matrix->work};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(matrix);
}

// Pattern -------------------------------------------------------------------------------------

static int compare_rows(const void *a, const void *b) {
    return (*(const int32_t *)a > *(const int32_t *)b) -
           (*(const int32_t *)a < *(const int32_t *)b);
}

// Neighbours of every node: start has nodes + 1 entries.
static void list_neighbours(int32_t nodes, const int32_t *first, const int32_t *second,
                            size_t pairs, int32_t *start, int32_t *neighbour) {
    memset(start, 0, ((size_t)nodes + 1) * sizeof *start);
    for (size_t k = 0; k < pairs; k++) {
        start[first[k] + 1]++;
        start[second[k] + 1]++;
    }
    for (int32_t i = 0; i < nodes; i++)
        start[i + 1] += start[i];
    for (size_t k = 0; k < pairs; k++) {
        neighbour[start[first[k]]++] = second[k];
        neighbour[start[second[k]]++] = first[k];
    }
    for (int32_t i = nodes; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
    for (int32_t i = 0; i < nodes; i++)
        qsort(neighbour + start[i], (size_t)(start[i + 1] - start[i]), sizeof *neighbour,
              compare_rows);
}

static void order_nodes(struct block_matrix *matrix, const int32_t *start,
                        const int32_t *neighbour) {
    size_t n = (size_t)matrix->nodes;
    matrix->node =
        memory_reserve(matrix->node, &matrix->node_capacity, n, sizeof(int32_t), "order");
    matrix->place =
        memory_reserve(matrix->place, &matrix->place_capacity, n, sizeof(int32_t), "order");
    if (amd_order(matrix->nodes, start, neighbour, matrix->node, NULL, NULL) < AMD_OK)
        for (int32_t i = 0; i < matrix->nodes; i++)
            matrix->node[i] = i;
    for (int32_t k = 0; k < matrix->nodes; k++)
        matrix->place[matrix->node[k]] = k;
}

// Rows of column k: the later neighbours of its node, and the rows of the columns whose first row
// is k (its children in the elimination tree).
static void fill_column(struct block_matrix *matrix, int32_t k, const int32_t *start,
                        const int32_t *neighbour, const int32_t *child, const int32_t *sibling,
                        int32_t *mark) {
    size_t count = matrix->start[k];
    int32_t node = matrix->node[k];
    mark[k] = k;
    size_t most = count + (size_t)(start[node + 1] - start[node]);
    for (int32_t c = child[k]; c >= 0; c = sibling[c])
        most += matrix->start[c + 1] - matrix->start[c];
    matrix->row = memory_reserve(matrix->row, &matrix->row_capacity, most, sizeof(int32_t), "fill");
    for (int32_t e = start[node]; e < start[node + 1]; e++) {
        int32_t i = matrix->place[neighbour[e]];
        if (i > k && mark[i] != k) {
            mark[i] = k;
            matrix->row[count++] = i;
        }
    }
    for (int32_t c = child[k]; c >= 0; c = sibling[c])
        for (size_t e = matrix->start[c]; e < matrix->start[c + 1]; e++) {
            int32_t i = matrix->row[e];
            if (mark[i] != k) {
                mark[i] = k;
                matrix->row[count++] = i;
            }
        }
    qsort(matrix->row + matrix->start[k], count - matrix->start[k], sizeof(int32_t), compare_rows);
    matrix->start[k + 1] = count;
}

static void find_fill(struct block_matrix *matrix, const int32_t *start, const int32_t *neighbour) {
    size_t n = (size_t)matrix->nodes;
    int32_t *scratch = memory_allocate(3 * n, sizeof *scratch, "fill");
    int32_t *child = scratch, *sibling = child + n, *mark = sibling + n;
    matrix->start =
        memory_reserve(matrix->start, &matrix->start_capacity, n + 1, sizeof(size_t), "fill");
    for (size_t k = 0; k < 3 * n; k++)
        scratch[k] = -1;
    matrix->start[0] = 0;
    for (int32_t k = 0; k < matrix->nodes; k++) {
        fill_column(matrix, k, start, neighbour, child, sibling, mark);
        if (matrix->start[k + 1] > matrix->start[k]) {
            int32_t parent = matrix->row[matrix->start[k]];
            sibling[k] = child[parent];
            child[parent] = k;
        }
    }
    memory_free(scratch);
}

static size_t find_entry(const struct block_matrix *matrix, int32_t column, int32_t row) {
    size_t low = matrix->start[column], high = matrix->start[column + 1];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (matrix->row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void place_pairs(struct block_matrix *matrix, const int32_t *first, const int32_t *second,
                        size_t pairs) {
    matrix->entry =
        memory_reserve(matrix->entry, &matrix->entry_capacity, pairs, sizeof(size_t), "pairs");
    matrix->upward =
        memory_reserve(matrix->upward, &matrix->upward_capacity, pairs, sizeof(bool), "pairs");
    for (size_t k = 0; k < pairs; k++) {
        int32_t i = matrix->place[first[k]], j = matrix->place[second[k]];
        matrix->upward[k] = i > j;
        matrix->entry[k] = i > j ? find_entry(matrix, j, i) : find_entry(matrix, i, j);
    }
}

int64_t block_matrix_pattern(struct block_matrix *matrix, int32_t nodes, const int32_t *first,
                             const int32_t *second, size_t pairs) {
    size_t n = (size_t)nodes, bytes = matrix->size * sizeof(double);
    int32_t *start = memory_allocate(n + 1 + 2 * pairs, sizeof *start, "pattern");
    int32_t *neighbour = start + n + 1;
    matrix->nodes = nodes;
    list_neighbours(nodes, first, second, pairs, start, neighbour);
    order_nodes(matrix, start, neighbour);
    find_fill(matrix, start, neighbour);
    place_pairs(matrix, first, second, pairs);
    memory_free(start);
    size_t entries = matrix->start[nodes];
    matrix->diagonal = memory_reserve_aligned(matrix->diagonal, &matrix->diagonal_capacity, n,
                                              bytes, "block matrix");
    matrix->order = memory_reserve(matrix->order, &matrix->order_capacity, n * (size_t)matrix->side,
                                   sizeof(int32_t), "block matrix");
    matrix->work = memory_reserve_aligned(matrix->work, &matrix->work_capacity,
                                          n * (size_t)BLOCK_STRIDE(matrix->side), sizeof(double),
                                          "block matrix");
    matrix->below = memory_reserve_aligned(matrix->below, &matrix->below_capacity, entries, bytes,
                                           "block matrix");
    matrix->above = memory_reserve_aligned(matrix->above, &matrix->above_capacity, entries, bytes,
                                           "block matrix");
    block_matrix_clear(matrix);
    int64_t products = 0;
    for (int32_t k = 0; k < nodes; k++) {
        int64_t rows = (int64_t)(matrix->start[k + 1] - matrix->start[k]);
        products += rows + rows * rows;
    }
    return products;
}

void block_matrix_clear(struct block_matrix *matrix) {
    size_t bytes = matrix->size * sizeof(double), entries = matrix->start[matrix->nodes];
    memset(matrix->diagonal, 0, (size_t)matrix->nodes * bytes);
    memset(matrix->below, 0, entries * bytes);
    memset(matrix->above, 0, entries * bytes);
}

double *block_matrix_diagonal(struct block_matrix *matrix, int32_t node) {
    return matrix->diagonal + (size_t)matrix->place[node] * matrix->size;
}

double *block_matrix_forward(struct block_matrix *matrix, size_t k) {
    double *blocks = matrix->upward[k] ? matrix->below : matrix->above;
    return blocks + matrix->entry[k] * matrix->size;
}

double *block_matrix_backward(struct block_matrix *matrix, size_t k) {
    double *blocks = matrix->upward[k] ? matrix->above : matrix->below;
    return blocks + matrix->entry[k] * matrix->size;
}

// Factors -------------------------------------------------------------------------------------

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

INLINE bool factor(int side, struct block_matrix *matrix) {
    size_t size = (size_t)(side * BLOCK_STRIDE(side));
    for (int32_t k = 0; k < matrix->nodes; k++) {
        double *pivot = matrix->diagonal + (size_t)k * size;
        int32_t *order = matrix->order + side * k;
        if (!factor_pivot(side, pivot, order))
            return false;
        for (size_t e = matrix->start[k]; e < matrix->start[k + 1]; e++)
            if (side == 3)
                divide_3(matrix->below + e * size, pivot, order);
            else
                divide_6(matrix->below + e * size, pivot, order);
        for (size_t e = matrix->start[k]; e < matrix->start[k + 1]; e++)
            update_column(side, matrix, k, e);
    }
    return true;
}

WIDE static bool factor_3(struct block_matrix *matrix) { return factor(3, matrix); }
WIDE static bool factor_6(struct block_matrix *matrix) { return factor(6, matrix); }

bool block_matrix_factor(struct block_matrix *matrix) {
    return matrix->side == 3 ? factor_3(matrix) : factor_6(matrix);
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
