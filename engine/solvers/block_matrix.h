// A sparse matrix of 6x6 blocks with a symmetric pattern, factorised as L D U.
//
// The pattern is that of a graph: a diagonal block for every node, two blocks for every pair of
// neighbours. Nodes are eliminated in the order of approximate minimum degree (SuiteSparse's AMD).
#ifndef ENGINE_SOLVERS_BLOCK_MATRIX_H
#define ENGINE_SOLVERS_BLOCK_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_SIDE 6
#define BLOCK_SIZE (BLOCK_SIDE * BLOCK_SIDE) // numbers, row by row

struct block_matrix;

struct block_matrix *block_matrix_create(void);
void block_matrix_free(struct block_matrix *matrix);

// Orders `nodes` nodes joined by the pairs (first[k], second[k]), each pair once, first != second,
// and finds the fill. All values are zero then. Returns the number of 6x6 products that a
// factorisation takes.
int64_t block_matrix_pattern(struct block_matrix *matrix, int32_t nodes, const int32_t *first,
                             const int32_t *second, size_t pairs);

void block_matrix_clear(struct block_matrix *matrix);
double *block_matrix_diagonal(struct block_matrix *matrix, int32_t node);
// The blocks in row first[k], column second[k], and the other way round.
double *block_matrix_forward(struct block_matrix *matrix, size_t k);
double *block_matrix_backward(struct block_matrix *matrix, size_t k);

// Replaces the values by their factors. False when a pivot block is singular.
bool block_matrix_factor(struct block_matrix *matrix);
void block_matrix_solve(const struct block_matrix *matrix, double *x); // 6 per node, in place

#endif
