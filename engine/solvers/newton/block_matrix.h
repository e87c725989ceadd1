// A sparse matrix of 3x3 or 6x6 blocks with a symmetric pattern, factorised as L D U. In this
// header a block is one of these dense parts of the matrix.
//
// The pattern is that of a graph: a diagonal block for every node, two blocks for every pair of
// neighbours. Nodes are eliminated in the order of approximate minimum degree (SuiteSparse's AMD).
#ifndef ENGINE_SOLVERS_NEWTON_BLOCK_MATRIX_H
#define ENGINE_SOLVERS_NEWTON_BLOCK_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parallel/team.h"

struct block_matrix;

// Creates a matrix with blocks of side 3 or 6. A block is stored row by row; rows of three have a
// fourth number, rows of six two more, which stay zero.
#define BLOCK_STRIDE(side) ((side) == 3 ? 4 : 8)
struct block_matrix *block_matrix_create(int side);
void block_matrix_free(struct block_matrix *matrix);

// Orders `nodes` nodes connected by the pairs (first[k], second[k]), first != second, finds the
// fill and sets all values to zero. A pair that is named several times has the same blocks each
// time. Returns the number of block products that a factorisation takes. Where these are the pairs
// of the last call, order and fill are kept.
int64_t block_matrix_pattern(struct block_matrix *matrix, int32_t nodes, const int32_t *first,
                             const int32_t *second, size_t pairs);

void block_matrix_clear(struct block_matrix *matrix);
double *block_matrix_diagonal(struct block_matrix *matrix, int32_t node);
// Return the block in row first[k], column second[k], and the one in row second[k], column
// first[k].
double *block_matrix_forward(struct block_matrix *matrix, size_t k);
double *block_matrix_backward(struct block_matrix *matrix, size_t k);

// Replaces the values by their factors, using the threads of the team (NULL: one thread). Returns
// false when a pivot block is singular, and when asked to stop.
bool block_matrix_factor(struct block_matrix *matrix, struct team *team);
// Solves for x, which has `side` numbers per node and is replaced.
void block_matrix_solve(struct block_matrix *matrix, struct team *team, double *x);

#endif
