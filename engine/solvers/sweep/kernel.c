// Chooses the versions of the kernels that this processor can run.
#include <stdlib.h>
#include <string.h>

#include "engine/solvers/sweep/lane_sweep.h"
#include "engine/solvers/sweep/sphere_sweep.h"

#ifdef __x86_64__
static bool has_avx2(void) {
    const char *asked = getenv("GABION_KERNEL");
    return !(asked && strcmp(asked, "baseline") == 0) && __builtin_cpu_supports("avx2");
}
#endif

sphere_sweep_function sphere_sweep_choose(const char **name) {
    const char *chosen = "baseline";
    sphere_sweep_function function = sphere_sweep_baseline;
#ifdef __x86_64__
    if (has_avx2()) {
        chosen = "avx2";
        function = sphere_sweep_avx2;
    }
#endif
    if (name)
        *name = chosen;
    return function;
}

const struct lane_kernel *lane_kernel_choose(void) {
#ifdef __x86_64__
    if (has_avx2())
        return &lane_kernel_avx2;
#endif
    return &lane_kernel_baseline;
}
