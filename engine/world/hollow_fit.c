#include "engine/world/hollow_fit.h"

static double largest_sphere(const struct bodies *bodies, int32_t i) {
    if (!bodies_shape(bodies, i)->balls)
        return 0;
    struct shape_balls balls = bodies_shape(bodies, i)->balls(bodies, i);
    double largest = balls.radius;
    for (int32_t k = 0; balls.radii && k < balls.count; k++)
        largest = fmax(largest, balls.radii[k]);
    return largest;
}

static bool check_room(const struct bodies *bodies, int32_t a, struct gabion_error *error) {
    double room = bodies_shape(bodies, a)->room(bodies, a);
    for (int32_t c = 0; c < bodies->moving; c++)
        if (largest_sphere(bodies, c) > room)
            return error_set(error, GABION_ERROR_RUN,
                             "body %d has a sphere of radius %g m and does not fit into body %d, a "
                             "hollow with room for %g m",
                             bodies->id[c], largest_sphere(bodies, c), bodies->id[a], room);
    return true;
}

// Where a sphere does not fit no impulse would help.
bool hollow_fit_check(const struct gabion_world *world, struct gabion_error *error) {
    const struct bodies *bodies = &world->bodies;
    for (int32_t a = bodies->moving; a < bodies->count; a++)
        if (bodies_shape(bodies, a)->room && !check_room(bodies, a, error))
            return false;
    return true;
}
