#include <string.h>

#include "engine/solvers/newton/block_structure.h"
#include "parallel/memory.h"

// A subtree with at most this share of the work is a piece. More pieces share out better and leave
// more to the top, whose columns wait for each other.
#define PIECE_SHARE 16

#define TOP  (-1)
#define NONE (-1)

struct tree {
    int32_t *parent;
    int64_t *work;  // of each column's whole subtree
    int32_t *piece; // of each column
};

static int64_t column_work(const struct block_matrix *matrix, int32_t k) {
    int64_t rows = (int64_t)(matrix->start[k + 1] - matrix->start[k]);
    return rows + rows * rows;
}

// A column changes first of all the column of its first row: its parent, which comes later.
static void grow_tree(struct block_matrix *matrix, struct tree *tree) {
    matrix->products = 0;
    for (int32_t k = 0; k < matrix->nodes; k++) {
        bool root = matrix->start[k + 1] == matrix->start[k];
        tree->parent[k] = root ? NONE : matrix->row[matrix->start[k]];
        tree->work[k] += column_work(matrix, k);
        matrix->products += column_work(matrix, k);
        if (!root)
            tree->work[tree->parent[k]] += tree->work[k];
    }
}

// Numbered by their roots, from the last to the first, and then the other way round.
static void cut_tree(struct block_matrix *matrix, struct tree *tree) {
    int64_t most = matrix->products / PIECE_SHARE;
    int32_t count = 0;
    for (int32_t k = matrix->nodes - 1; k >= 0; k--) {
        int32_t parent = tree->parent[k];
        bool below_top = parent == NONE || tree->piece[parent] == TOP;
        if (tree->work[k] > most)
            tree->piece[k] = TOP;
        else
            tree->piece[k] = below_top ? count++ : tree->piece[parent];
    }
    for (int32_t k = 0; k < matrix->nodes; k++)
        tree->piece[k] = tree->piece[k] == TOP ? count : count - 1 - tree->piece[k];
    matrix->pieces.count = count;
}

static void list_columns(struct block_matrix *matrix, const struct tree *tree) {
    struct block_pieces *pieces = &matrix->pieces;
    size_t n = (size_t)matrix->nodes, lists = (size_t)pieces->count + 1;
    pieces->column = memory_reserve(pieces->column, &pieces->column_capacity, n,
                                    sizeof *pieces->column, "pieces");
    pieces->start = memory_reserve(pieces->start, &pieces->start_capacity, lists + 1,
                                   sizeof *pieces->start, "pieces");
    memset(pieces->start, 0, (lists + 1) * sizeof *pieces->start);
    for (size_t k = 0; k < n; k++)
        pieces->start[tree->piece[k] + 1]++;
    for (size_t p = 0; p < lists; p++)
        pieces->start[p + 1] += pieces->start[p];
    for (size_t k = 0; k < n; k++)
        pieces->column[pieces->start[tree->piece[k]]++] = (int32_t)k;
    for (size_t p = lists; p > 0; p--)
        pieces->start[p] = pieces->start[p - 1];
    pieces->start[0] = 0;
}

// Where the work of each piece begins, were they done one after the other.
static void sum_work(struct block_matrix *matrix) {
    struct block_pieces *pieces = &matrix->pieces;
    size_t count = (size_t)pieces->count;
    pieces->work = memory_reserve(pieces->work, &pieces->work_capacity, count + 1,
                                  sizeof *pieces->work, "pieces");
    pieces->work[0] = 0;
    for (size_t p = 0; p < count; p++) {
        pieces->work[p + 1] = pieces->work[p];
        for (int32_t c = pieces->start[p]; c < pieces->start[p + 1]; c++)
            pieces->work[p + 1] += column_work(matrix, pieces->column[c]);
    }
}

// Where column k is in the top, counted from 1; 0: in a piece.
static void find_places(const struct block_pieces *pieces, int32_t nodes, int32_t *place) {
    int32_t top = pieces->start[pieces->count];
    memset(place, 0, (size_t)nodes * sizeof *place);
    for (int32_t c = top; c < nodes; c++)
        place[pieces->column[c]] = c - top + 1;
}

static void count_gathered(struct block_matrix *matrix, const int32_t *place) {
    struct block_pieces *pieces = &matrix->pieces;
    int32_t below = pieces->start[pieces->count];
    size_t top = (size_t)(matrix->nodes - below);
    pieces->gather_start = memory_reserve(pieces->gather_start, &pieces->gather_start_capacity,
                                          top + 1, sizeof(size_t), "pieces");
    memset(pieces->gather_start, 0, (top + 1) * sizeof(size_t));
    for (int32_t c = 0; c < below; c++) {
        int32_t k = pieces->column[c];
        for (size_t e = matrix->start[k]; e < matrix->start[k + 1]; e++)
            if (place[matrix->row[e]] > 0)
                pieces->gather_start[place[matrix->row[e]]]++;
    }
    for (size_t t = 0; t < top; t++)
        pieces->gather_start[t + 1] += pieces->gather_start[t];
    size_t total = pieces->gather_start[top];
    pieces->gather = memory_reserve(pieces->gather, &pieces->gather_capacity, total,
                                    sizeof *pieces->gather, "pieces");
}

static void list_gathered(struct block_matrix *matrix, const int32_t *place) {
    struct block_pieces *pieces = &matrix->pieces;
    int32_t below = pieces->start[pieces->count];
    size_t *start = pieces->gather_start;
    for (int32_t c = 0; c < below; c++) {
        int32_t k = pieces->column[c];
        for (size_t e = matrix->start[k]; e < matrix->start[k + 1]; e++)
            if (place[matrix->row[e]] > 0)
                pieces->gather[start[place[matrix->row[e]] - 1]++] = (struct gathered){k, e};
    }
    memmove(start + 1, start, (size_t)(matrix->nodes - below) * sizeof *start);
    start[0] = 0;
}

void block_pieces_find(struct block_matrix *matrix) {
    size_t n = (size_t)matrix->nodes;
    struct tree tree = {
        .parent = memory_allocate(n, sizeof *tree.parent, "pieces"),
        .work = memory_allocate(n, sizeof *tree.work, "pieces"),
        .piece = memory_allocate(n, sizeof *tree.piece, "pieces"),
    };
    grow_tree(matrix, &tree);
    cut_tree(matrix, &tree);
    list_columns(matrix, &tree);
    sum_work(matrix);
    int32_t *place = tree.piece; // no longer needed
    find_places(&matrix->pieces, matrix->nodes, place);
    count_gathered(matrix, place);
    list_gathered(matrix, place);
    memory_free(tree.parent);
    memory_free(tree.work);
    memory_free(tree.piece);
}

void block_pieces_free(struct block_pieces *pieces) {
    void *arrays[] = {pieces->column, pieces->start, pieces->work, pieces->gather_start,
                      pieces->gather};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}
