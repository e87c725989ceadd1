#include "cases/ring.h"

#include "cases/group.h"

quat ring_turn(double angle) { return (quat){cos(0.5 * angle), 0, sin(0.5 * angle), 0}; }

// Adds the abutment: a box beyond the springing plane. It is longer than the interface at both
// ends, so that the last voussoir can hinge and slide on it.
static bool lay_abutment(struct mason *mason, const struct ring *ring, int side,
                         struct gabion_error *error) {
    double t = ring->thickness, angle = 0.5 * side * ring->angle;
    double reach = fmin(0.5 * t, 0.5 * (ring->radius - 0.5 * t));
    vec3 size = {t, ring->depth, t + 2 * reach};
    vec3 radial = {sin(angle), 0, cos(angle)}, outward = {side * cos(angle), 0, -side * sin(angle)};
    vec3 centre = vec3_add_scaled(ring->origin, ring->radius, radial);
    int group = group_part(mason->world, ring->name, side < 0 ? "left" : "right", error);
    return mason_support_box(mason, vec3_add_scaled(centre, 0.5 * t, outward), size,
                             ring_turn(angle), group, error) ||
           error_context(error, "%s abutment", side < 0 ? "left" : "right");
}

bool ring_abutments(struct mason *mason, const struct ring *ring, struct gabion_error *error) {
    return !ring->name ||
           (lay_abutment(mason, ring, -1, error) && lay_abutment(mason, ring, 1, error));
}
