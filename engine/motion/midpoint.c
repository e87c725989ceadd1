#include "engine/motion/midpoint.h"

#include "parallel/memory.h"

struct midpoint *midpoint_create(void) {
    return memory_allocate(1, sizeof(struct midpoint), "midpoint");
}

void midpoint_free(struct midpoint *midpoint) {
    if (!midpoint)
        return;
    void *arrays[] = {midpoint->x_m,         midpoint->axes_m,  midpoint->v_free,
                      midpoint->s_free,      midpoint->inverse, midpoint->group_force,
                      midpoint->joint_moment};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(midpoint);
}

void midpoint_size(struct midpoint *midpoint, int32_t count) {
    size_t n = (size_t)count;
    midpoint->count = count;
    midpoint->x_m =
        memory_reserve_aligned(midpoint->x_m, &midpoint->x_capacity, n, sizeof(vec3), "midpoints");
    midpoint->v_free = memory_reserve_aligned(midpoint->v_free, &midpoint->v_capacity, n,
                                              sizeof(vec3), "free velocities");
    midpoint->s_free = memory_reserve_aligned(midpoint->s_free, &midpoint->s_capacity, n,
                                              sizeof(vec3), "free velocities");
}

void midpoint_size_axes(struct midpoint *midpoint) {
    midpoint->axes_m =
        memory_reserve_aligned(midpoint->axes_m, &midpoint->axes_capacity, (size_t)midpoint->count,
                               sizeof *midpoint->axes_m, "midpoints");
}

void midpoint_size_inverse(struct midpoint *midpoint) {
    midpoint->inverse = memory_reserve_aligned(midpoint->inverse, &midpoint->inverse_capacity,
                                               (size_t)midpoint->count, sizeof *midpoint->inverse,
                                               "inverse masses");
}
