#include "engine/world/hollow_fit.h"

static double largest_sphere(const struct bodies *bodies, int32_t i) {
    double largest = bodies->shape[i] == GABION_SPHERE ? bodies->radius[i] : 0;
    for (int32_t k = 0; bodies->shape[i] == GABION_CLUMP && k < bodies_clump(bodies, i)->count; k++)
        largest = fmax(largest, bodies_clump(bodies, i)->sphere_radius[k]);
    return largest;
}

// The radius of the largest sphere that has a place in it.
static double room_of(const struct hollow *hollow) {
    return hollow->ends ? fmin(hollow->radius, hollow->half_length) : hollow->radius;
}

// Where a sphere does not fit no impulse would help.
bool hollow_fit_check(const struct gabion_world *world, struct gabion_error *error) {
    const struct bodies *bodies = &world->bodies;
    for (int32_t a = bodies->moving; a < bodies->count && bodies->hollow_count > 0; a++) {
        bool hollow = bodies_is_wall(bodies, a) && bodies->shape[a] != GABION_HALF_SPACE;
        for (int32_t c = 0; hollow && c < bodies->moving; c++)
            if (largest_sphere(bodies, c) > room_of(bodies_hollow(bodies, a)))
                return error_set(error, GABION_ERROR_RUN,
                                 "body %d has a sphere of radius %g m and does not fit into body "
                                 "%d, a hollow with room for %g m",
                                 bodies->id[c], largest_sphere(bodies, c), bodies->id[a],
                                 room_of(bodies_hollow(bodies, a)));
    }
    return true;
}
