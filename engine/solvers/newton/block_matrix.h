// A sparse matrix of 3x3 or 6x6 blocks with a symmetric pattern, factorised as L D U.
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

// Blocks of side 3 or 6, stored row by row; rows of three have a fourth number, which stays zero.
#define BLOCK_STRIDE(side) ((side) == 3 ? 4 : 6)
struct block_matrix *block_matrix_create(int side);
void block_matrix_free(struct block_matrix *matrix);

// Orders `nodes` nodes joined by the pairs (first[k], second[k]), each pair once, first != second,
// and finds the fill. All values are zero then. Returns the number of block products that a
// factorisation takes.
int64_t block_matrix_pattern(struct block_matrix *matrix, int32_t nodes, const int32_t *first,
                             const int32_t *second, size_t pairs);

void block_matrix_clear(struct block_matrix *matrix);
double *block_matrix_diagonal(struct block_matrix *matrix, int32_t node);
// The blocks in row first[k], column second[k], and the other way round.
double *block_matrix_forward(struct block_matrix *matrix, size_t k);
double *block_matrix_backward(struct block_matrix *matrix, size_t k);

// Replaces the values by their factors, with the team's help (NULL: alone). False when a pivot
// block is singular.
bool block_matrix_factor(struct block_matrix *matrix, struct team *team);
void block_matrix_solve(const struct block_matrix *matrix, double *x); // `side` per node, in place

#endif
