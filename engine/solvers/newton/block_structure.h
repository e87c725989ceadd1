// The inside of struct block_matrix (engine/solvers/newton/block_matrix.h), for the files that
// order, split and factorise it.
#ifndef ENGINE_SOLVERS_NEWTON_BLOCK_STRUCTURE_H
#define ENGINE_SOLVERS_NEWTON_BLOCK_STRUCTURE_H

#include "engine/solvers/newton/block_matrix.h"

// Neighbouring columns of one piece, of which each has the rows of the next one, and that one
// itself (a fundamental supernode, or a part of one). What they change elsewhere is changed by all
// of them at once.
#define PANEL_MOST 8 // columns
struct panel {
    int32_t first, count;
};

// The rows of a panel in a column of the top: row `row` of the panel, counted from its first
// column.
struct gathered {
    int32_t panel, row;
};

// Pieces are sets of columns that threads can factorise independently. A piece is a subtree of the
// elimination tree: its columns change only the piece itself or the top, which are the columns
// above all pieces. The top adds up the contributions of the pieces in the order of the pieces, so
// that the result does not depend on the threads, to the last bit.
struct block_pieces {
    int32_t count;
    struct panel *panel; // piece by piece, then the top; ascending in each
    int32_t *start;      // of the panels of each piece, and of the top; count + 2
    int32_t *top;        // the columns of the top, ascending
    size_t top_count;
    size_t *gather_start; // of each column of the top, and the end
    struct gathered *gather;
    size_t panel_capacity, start_capacity, top_capacity, gather_start_capacity, gather_capacity;
};

struct block_kernel;

// Column k of the factor, in the order of elimination, has the rows row[start[k]] ... in ascending
// order. below[e] is the block in row row[e], column k, transposed when the factorisation begins;
// above[e] the one in row k, column row[e].
struct block_matrix {
    int side;
    size_t size; // numbers per block
    const struct block_kernel *kernel;
    int32_t nodes;
    int32_t *place, *node; // position of each node in the order of elimination, and its inverse
    size_t place_capacity, node_capacity;
    size_t *start;
    int32_t *row;
    size_t start_capacity, row_capacity;
    double *diagonal, *below, *above;
    int32_t *order; // pivot order of the rows inside each diagonal block
    size_t diagonal_capacity, below_capacity, above_capacity, order_capacity;
    size_t *entry;  // of each pair: its index in below and above
    bool *upward;   // of each pair: its first node is eliminated after the second
    size_t *listed; // the entries of all pairs, each once
    size_t listed_count;
    size_t entry_capacity, upward_capacity, listed_capacity;
    int32_t *ends; // the pairs that the pattern was made for: all first nodes, then all second
    size_t pairs, ends_capacity;
    double *work; // a vector in the order of elimination, BLOCK_STRIDE numbers each
    size_t work_capacity;
    int64_t products; // block products that a factorisation takes
    struct block_pieces pieces;
};

void block_pieces_find(struct block_matrix *matrix);
void block_pieces_free(struct block_pieces *pieces);

#endif
