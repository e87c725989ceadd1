// Chooses the version of the sphere kernel that this processor can run.
#include <stdlib.h>
#include <string.h>

#include "engine/solvers/sweep/sphere_sweep.h"

sphere_sweep_function sphere_sweep_choose(const char **name) {
    const char *asked = getenv("GABION_KERNEL"), *chosen = "baseline";
    sphere_sweep_function function = sphere_sweep_baseline;
#ifdef __x86_64__
    if (!(asked && strcmp(asked, "baseline") == 0) && __builtin_cpu_supports("avx2")) {
        chosen = "avx2";
        function = sphere_sweep_avx2;
    }
#else
    (void)asked;
#endif
    if (name)
        *name = chosen;
    return function;
}
