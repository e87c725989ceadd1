// Chooses the versions of the kernels that this processor can run.
#include <stdlib.h>
#include <string.h>

#include "engine/solvers/sweep/lane_sweep.h"
#include "engine/solvers/sweep/sphere_measure.h"
#include "engine/solvers/sweep/sphere_sweep.h"

enum kernel { KERNEL_BASELINE, KERNEL_AVX2, KERNEL_AVX512 };

// Returns the fastest kernel that this processor can run, or that the environment allows.
static enum kernel choose(void) {
    enum kernel kernel = KERNEL_BASELINE;
#ifdef __x86_64__
    const char *most = getenv("GABION_KERNEL");
    if ((most && strcmp(most, "baseline") == 0) || !__builtin_cpu_supports("avx2"))
        return kernel;
    kernel = KERNEL_AVX2;
    if ((!most || strcmp(most, "avx2") != 0) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq"))
        kernel = KERNEL_AVX512;
#endif
    return kernel;
}

sphere_sweep_function sphere_sweep_choose(const char **name) {
    static const struct {
        const char *name;
        sphere_sweep_function function;
    } kernels[] = {
        [KERNEL_BASELINE] = {"baseline", sphere_sweep_baseline},
#ifdef __x86_64__
        [KERNEL_AVX2] = {"avx2", sphere_sweep_avx2},
        [KERNEL_AVX512] = {"avx512", sphere_sweep_avx512},
#endif
    };
    enum kernel kernel = choose();
    if (name)
        *name = kernels[kernel].name;
    return kernels[kernel].function;
}

const struct lane_kernel *lane_kernel_choose(void) {
#ifdef __x86_64__
    if (choose() >= KERNEL_AVX2)
        return &lane_kernel_avx2;
#endif
    return &lane_kernel_baseline;
}

sphere_measure_function sphere_measure_choose(void) {
#ifdef __x86_64__
    if (choose() >= KERNEL_AVX2)
        return sphere_measure_avx2;
#endif
    return sphere_measure_baseline;
}
