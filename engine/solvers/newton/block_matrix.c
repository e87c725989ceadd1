#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

#include "engine/solvers/newton/block_kernel.h"
#include "engine/solvers/newton/block_structure.h"
#include "parallel/memory.h"

struct block_matrix *block_matrix_create(int side) {
    struct block_matrix *matrix = memory_allocate(1, sizeof *matrix, "block matrix");
    matrix->side = side;
    matrix->size = (size_t)(side * BLOCK_STRIDE(side));
    matrix->kernel = block_kernel_choose(side);
    return matrix;
}

void block_matrix_free(struct block_matrix *matrix) {
    if (!matrix)
        return;
    void *arrays[] = {matrix->place, matrix->node,  matrix->start, matrix->row,    matrix->diagonal,
                      matrix->below, matrix->above, matrix->entry, matrix->upward, matrix->order,
                      matrix->work,  matrix->ends,  matrix->listed};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    block_pieces_free(&matrix->pieces);
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
    int status = amd_order(matrix->nodes, start, neighbour, matrix->node, NULL, NULL);
    if (status == AMD_OUT_OF_MEMORY)
        memory_exhausted(n, sizeof(int32_t), "the order of a sparse matrix");
    if (status < AMD_OK)
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

// Lists each entry of a pair once: a problem may name a pair several times.
static void list_entries(struct block_matrix *matrix, size_t pairs) {
    bool *listed = memory_allocate(matrix->start[matrix->nodes] + 1, sizeof *listed, "pairs");
    matrix->listed =
        memory_reserve(matrix->listed, &matrix->listed_capacity, pairs, sizeof(size_t), "pairs");
    matrix->listed_count = 0;
    for (size_t k = 0; k < pairs; k++) {
        if (!listed[matrix->entry[k]])
            matrix->listed[matrix->listed_count++] = matrix->entry[k];
        listed[matrix->entry[k]] = true;
    }
    memory_free(listed);
}

static bool has_pattern(const struct block_matrix *matrix, int32_t nodes, const int32_t *first,
                        const int32_t *second, size_t pairs) {
    size_t bytes = pairs * sizeof *first;
    if (!matrix->ends || matrix->nodes != nodes || matrix->pairs != pairs)
        return false;
    return pairs == 0 || (memcmp(matrix->ends, first, bytes) == 0 &&
                          memcmp(matrix->ends + pairs, second, bytes) == 0);
}

static void note_pattern(struct block_matrix *matrix, const int32_t *first, const int32_t *second,
                         size_t pairs) {
    matrix->ends = memory_reserve(matrix->ends, &matrix->ends_capacity, 2 * pairs + 1,
                                  sizeof *matrix->ends, "pairs");
    matrix->pairs = pairs;
    if (pairs == 0)
        return;
    memcpy(matrix->ends, first, pairs * sizeof *first);
    memcpy(matrix->ends + pairs, second, pairs * sizeof *second);
}

int64_t block_matrix_pattern(struct block_matrix *matrix, int32_t nodes, const int32_t *first,
                             const int32_t *second, size_t pairs) {
    if (has_pattern(matrix, nodes, first, second, pairs)) {
        block_matrix_clear(matrix);
        return matrix->products;
    }
    size_t n = (size_t)nodes, bytes = matrix->size * sizeof(double);
    int32_t *start = memory_allocate(n + 1 + 2 * pairs, sizeof *start, "pattern");
    int32_t *neighbour = start + n + 1;
    matrix->nodes = nodes;
    list_neighbours(nodes, first, second, pairs, start, neighbour);
    order_nodes(matrix, start, neighbour);
    find_fill(matrix, start, neighbour);
    place_pairs(matrix, first, second, pairs);
    list_entries(matrix, pairs);
    note_pattern(matrix, first, second, pairs);
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
    block_pieces_find(matrix);
    return matrix->products;
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
