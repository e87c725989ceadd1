// What rows of a problem add to the sums of the residual (engine/problem/residual.h), four rows at
// a time.
#ifndef ENGINE_PROBLEM_ROW_TERMS_H
#define ENGINE_PROBLEM_ROW_TERMS_H

#include "engine/problem/residual.h"

#define ROW_TERMS 64 // rows at a time; a multiple of the lanes

// Terms of rows from `first` on, by row, and zeros up to a whole number of lanes.
struct row_terms {
    _Alignas(32) double unscaled2[ROW_TERMS], scaled2[ROW_TERMS], r2[ROW_TERMS], u2[ROW_TERMS];
    _Alignas(32) double wr2[ROW_TERMS], worst2[ROW_TERMS];
};

// Computes the terms of at most ROW_TERMS contacts with impulses r and velocities u, by the
// operations of residual_add_solved; `spare` is the rho of contacts without one. Points of joints
// and contacts with infinite friction have another law: false where there are any.
bool row_terms_compute(const struct contact_problem *problem, double spare, int32_t first,
                       int32_t count, const double *r, const double *u, struct row_terms *terms);

// Adds what residual_add_solved adds for these rows.
void row_terms_add(const struct row_terms *terms, int32_t first, int32_t count,
                   struct residual_tally *tally);

// Sets the sums over impulses and velocities to those of a problem of at most BINNED_FEW rows.
void row_terms_close_few(const struct row_terms *terms, struct residual_sums *sums);

#endif
