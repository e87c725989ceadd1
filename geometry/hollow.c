#include "geometry/hollow.h"

static bool touch_end(const struct placed_hollow *hollow, double sign, vec3 offset, double radius,
                      struct touch *touch) {
    touch->normal = vec3_scale(-sign, hollow->axis);
    touch->gap = hollow->shape->half_length - sign * vec3_dot(offset, hollow->axis) - radius;
    return hollow_is_drum(hollow->shape) && hollow->shape->ends;
}

bool hollow_touch(const struct placed_hollow *hollow, enum hollow_part part, vec3 centre,
                  double radius, struct touch *touch) {
    const struct hollow *shape = hollow->shape;
    vec3 offset = vec3_sub(centre, hollow->x);
    if (part != HOLLOW_WALL)
        return touch_end(hollow, part == HOLLOW_LOW_END ? -1 : 1, offset, radius, touch);
    double along = hollow_is_drum(shape) ? vec3_dot(offset, hollow->axis) : 0;
    if (hollow_is_drum(shape))
        offset = vec3_add_scaled(offset, -along, hollow->axis);
    double distance = vec3_length(offset);
    bool open = hollow_is_drum(shape) && !shape->ends;
    if (!(distance > 0) || (open && (fabs(along) > shape->half_length || distance > shape->radius)))
        return false;
    touch->normal = vec3_scale(-1 / distance, offset);
    touch->gap = shape->radius - distance - radius;
    return true;
}
