#include "cases/ring.h"
#include "engine/api/define.h"
#include "geometry/polyhedron.h"

#define PI 3.14159265358979323846

struct polyhedron *generate_voussoir(double radius, double thickness, double depth, double angle,
                                     struct gabion_error *error) {
    vec3 corner[8];
    if (!mason_check_ring(radius, thickness, vec3_zero(), error))
        return NULL;
    if (!(angle > 0 && angle < PI) || !(depth > 0 && isfinite(depth))) {
        error_set(error, GABION_ERROR_INPUT,
                  "a voussoir of %g degrees and a depth of %g m; more than 0, less than 180 and a "
                  "positive depth are needed",
                  angle * 180 / PI, depth);
        return NULL;
    }
    for (int k = 0; k < 8; k++) {
        double r = radius + (k & 1 ? 0.5 : -0.5) * thickness;
        corner[k] = vec3_make((k & 2 ? r : -r) * sin(0.5 * angle), (k & 4 ? 0.5 : -0.5) * depth,
                              r * cos(0.5 * angle));
    }
    return polyhedron_hull(corner, 8, error);
}

static bool lay_arch(struct mason *mason, const struct arch_definition *definition,
                     struct gabion_error *error) {
    double step = definition->angle / definition->voussoirs;
    int shape = world_add_polyhedron(mason->world,
                                     generate_voussoir(definition->radius, definition->thickness,
                                                       definition->depth, step, error),
                                     error);
    for (int k = 0; k < definition->voussoirs; k++) {
        // Relative to the middle, so that mirrored blocks have exactly opposite angles.
        double place = (double)k - 0.5 * (definition->voussoirs - 1);
        if (!mason_lay(mason, shape, definition->origin, ring_turn(place * step), error))
            return false;
    }
    struct ring ring = {definition->name,      definition->origin, definition->radius,
                        definition->thickness, definition->depth,  definition->angle};
    return ring_abutments(mason, &ring, error);
}

static bool check_arch(const struct arch_definition *definition, struct gabion_error *error) {
    if (definition->voussoirs < 1)
        return error_set(error, GABION_ERROR_INPUT, "%d voussoirs; 1 or more are needed",
                         definition->voussoirs);
    if (!(definition->angle > 0 && definition->angle < 2 * PI))
        return error_set(error, GABION_ERROR_INPUT,
                         "an angle of %g degrees; more than 0 and less than 360 are needed",
                         definition->angle * 180 / PI);
    return mason_check_ring(definition->radius, definition->thickness, definition->origin, error);
}

bool generate_arch(struct gabion_world *world, const struct arch_definition *definition,
                   struct gabion_error *error) {
    struct mason mason = mason_start(world, &definition->template, &definition->marks);
    bool good = check_arch(definition, error) &&
                mason_check_count(&mason, definition->voussoirs, error) &&
                lay_arch(&mason, definition, error);
    return mason_finish(&mason, good, "arch", error);
}
