// Running a world: the stepping part of engine/gabion.h.
#include "engine/step/step.h"

bool gabion_step(struct gabion_world *world, struct gabion_error *error) {
    return world_step(world, error);
}

int64_t gabion_step_number(const struct gabion_world *world) { return world->step; }

double gabion_time(const struct gabion_world *world) { return world_time(world); }

bool gabion_at_rest(const struct gabion_world *world) {
    double slack = 1e-6 * world->settings.step;
    return world->settings.rest_speed > 0 && world->pending_count == 0 &&
           world_time(world) - world->rest_since >= world->settings.rest_duration - slack;
}
