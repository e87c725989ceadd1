// Versions of the factorisation for several processors. All do the same operations in the same
// order and give the same bits.
#ifndef ENGINE_SOLVERS_NEWTON_BLOCK_KERNEL_H
#define ENGINE_SOLVERS_NEWTON_BLOCK_KERNEL_H

#include "parallel/team.h"

// The parts of a factorisation, for one side of the blocks.
struct block_kernel {
    range_function transpose;                                  // of pairs
    range_function factor_pieces;                              // of pieces
    range_function gather_pieces;                              // of columns of the top
    range_function factor_panels;                              // of panels of the top
    range_function factor_square, finish_rows, update_columns; // of one of these panels
};

// Returns the fastest version that this processor can run; GABION_KERNEL=baseline in the
// environment chooses plain code, GABION_KERNEL=avx2 rules out what is newer.
const struct block_kernel *block_kernel_choose(int side);

#endif
