// Hot kernels of the sweep over sphere contacts. One source, compiled once per instruction set;
// every version does the same operations in the same order and gives the same bits.
#ifndef ENGINE_SOLVERS_SPHERE_SWEEP_H
#define ENGINE_SOLVERS_SPHERE_SWEEP_H

#include "engine/problem.h"

// One Gauss-Seidel pass over groups [begin, end) of a batch. `omega` is the relaxation. Returns the
// square of the largest change, as a velocity: max |dp|^2 w_t^2. A maximum, unlike a sum, does not
// depend on how the groups are shared out.
typedef double (*sphere_sweep_function)(struct solver_body *bodies, struct sphere_group *groups,
                                        const struct batch *batch, uint32_t begin, uint32_t end,
                                        double omega);

double sphere_sweep_baseline(struct solver_body *bodies, struct sphere_group *groups,
                             const struct batch *batch, uint32_t begin, uint32_t end, double omega);
#ifdef __x86_64__
double sphere_sweep_avx2(struct solver_body *bodies, struct sphere_group *groups,
                         const struct batch *batch, uint32_t begin, uint32_t end, double omega);
#endif

// The best version for this processor; GABION_KERNEL=baseline in the environment overrides.
sphere_sweep_function sphere_sweep_choose(const char **name);

#endif
