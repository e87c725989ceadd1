// What contacts of spheres add to the residual (engine/problem/residual.h), several at a time. One
// source is compiled once per instruction set; every version gives the bits of residual_add_solved.
#ifndef ENGINE_SOLVERS_SWEEP_SPHERE_MEASURE_H
#define ENGINE_SOLVERS_SWEEP_SPHERE_MEASURE_H

#include "engine/solvers/sweep/plan.h"

#define MEASURE_GROUPS 16

// The terms of the contacts, in the order of their groups. `worst2` is the error in the contact's
// own scale, 0 where there is none.
struct sphere_terms {
    _Alignas(CACHE_LINE) double scaled2[LANES * MEASURE_GROUPS];
    double unscaled2[LANES * MEASURE_GROUPS];
    double r2[LANES * MEASURE_GROUPS], u2[LANES * MEASURE_GROUPS], wr2[LANES * MEASURE_GROUPS];
    double worst2[LANES * MEASURE_GROUPS];
};

// Computes the terms of at most MEASURE_GROUPS groups of a batch of which all lanes are in use. No
// body may be split and friction must be finite.
typedef void (*sphere_measure_function)(const struct sweep_plan *plan, const struct batch *batch,
                                        uint32_t begin, uint32_t end, double floor,
                                        struct sphere_terms *terms);

void sphere_measure_baseline(const struct sweep_plan *plan, const struct batch *batch,
                             uint32_t begin, uint32_t end, double floor,
                             struct sphere_terms *terms);
#ifdef __x86_64__
void sphere_measure_avx2(const struct sweep_plan *plan, const struct batch *batch, uint32_t begin,
                         uint32_t end, double floor, struct sphere_terms *terms);
#endif

// Returns the version that goes with that of sphere_sweep_choose.
sphere_measure_function sphere_measure_choose(void);

#endif
