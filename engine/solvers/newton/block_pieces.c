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

static size_t rows_of(const struct block_matrix *matrix, int32_t k) {
    return matrix->start[k + 1] - matrix->start[k];
}

// Returns whether the rows of column k are column k + 1 and the rows of that.
static bool is_nested(const struct block_matrix *matrix, const struct tree *tree, int32_t k) {
    return k + 1 < matrix->nodes && tree->parent[k] == k + 1 &&
           tree->piece[k] == tree->piece[k + 1] && rows_of(matrix, k) == rows_of(matrix, k + 1) + 1;
}

static struct panel panel_from(const struct block_matrix *matrix, const struct tree *tree,
                               int32_t first) {
    struct panel panel = {first, 1};
    while (panel.count < PANEL_MOST && is_nested(matrix, tree, first + panel.count - 1))
        panel.count++;
    return panel;
}

static void list_panels(struct block_matrix *matrix, const struct tree *tree) {
    struct block_pieces *pieces = &matrix->pieces;
    size_t n = (size_t)matrix->nodes, lists = (size_t)pieces->count + 1;
    pieces->panel =
        memory_reserve(pieces->panel, &pieces->panel_capacity, n, sizeof *pieces->panel, "pieces");
    pieces->start = memory_reserve(pieces->start, &pieces->start_capacity, lists + 1,
                                   sizeof *pieces->start, "pieces");
    memset(pieces->start, 0, (lists + 1) * sizeof *pieces->start);
    for (int32_t k = 0; k < matrix->nodes; k += panel_from(matrix, tree, k).count)
        pieces->start[tree->piece[k] + 1]++;
    for (size_t p = 0; p < lists; p++)
        pieces->start[p + 1] += pieces->start[p];
    for (int32_t k = 0; k < matrix->nodes;) {
        struct panel panel = panel_from(matrix, tree, k);
        pieces->panel[pieces->start[tree->piece[k]]++] = panel;
        k += panel.count;
    }
    for (size_t p = lists; p > 0; p--)
        pieces->start[p] = pieces->start[p - 1];
    pieces->start[0] = 0;
}

// Lists the columns of the top, and notes in `place` where each is, counted from 1; 0: in a piece.
static void list_top(struct block_matrix *matrix, const struct tree *tree, int32_t *place) {
    struct block_pieces *pieces = &matrix->pieces;
    size_t n = (size_t)matrix->nodes;
    pieces->top =
        memory_reserve(pieces->top, &pieces->top_capacity, n, sizeof *pieces->top, "pieces");
    pieces->top_count = 0;
    for (int32_t k = 0; k < matrix->nodes; k++) {
        bool top = tree->piece[k] == pieces->count;
        if (top)
            pieces->top[pieces->top_count++] = k;
        place[k] = top ? (int32_t)pieces->top_count : 0;
    }
}

// Goes through all rows of the pieces' panels in columns of the top: counts those of each column
// where `gather` is NULL, else puts them where `next` of the column says.
static void each_gathered(const struct block_matrix *matrix, const int32_t *place, size_t *next,
                          struct gathered *gather) {
    const struct block_pieces *pieces = &matrix->pieces;
    for (int32_t p = 0; p < pieces->start[pieces->count]; p++) {
        const struct panel *panel = &pieces->panel[p];
        const int32_t *row = matrix->row + matrix->start[panel->first];
        for (int32_t r = panel->count; r <= (int32_t)rows_of(matrix, panel->first); r++) {
            int32_t t = place[row[r - 1]];
            if (t > 0 && gather)
                gather[next[t - 1]++] = (struct gathered){p, r};
            else if (t > 0)
                next[t]++;
        }
    }
}

static void list_gathered(struct block_matrix *matrix, const int32_t *place) {
    struct block_pieces *pieces = &matrix->pieces;
    size_t top = pieces->top_count;
    pieces->gather_start = memory_reserve(pieces->gather_start, &pieces->gather_start_capacity,
                                          top + 1, sizeof(size_t), "pieces");
    size_t *start = pieces->gather_start;
    memset(start, 0, (top + 1) * sizeof *start);
    each_gathered(matrix, place, start, NULL);
    for (size_t t = 0; t < top; t++)
        start[t + 1] += start[t];
    pieces->gather = memory_reserve(pieces->gather, &pieces->gather_capacity, start[top],
                                    sizeof *pieces->gather, "pieces");
    each_gathered(matrix, place, start, pieces->gather);
    memmove(start + 1, start, top * sizeof *start);
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
    list_panels(matrix, &tree);
    int32_t *place = tree.parent; // no longer needed
    list_top(matrix, &tree, place);
    list_gathered(matrix, place);
    memory_free(tree.parent);
    memory_free(tree.work);
    memory_free(tree.piece);
}

void block_pieces_free(struct block_pieces *pieces) {
    void *arrays[] = {pieces->panel, pieces->start, pieces->top, pieces->gather_start,
                      pieces->gather};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}
