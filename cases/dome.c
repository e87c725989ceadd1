#include "cases/group.h"
#include "cases/mason.h"
#include "engine/api/define.h"
#include "geometry/polyhedron.h"

#define PI 3.14159265358979323846

// Builds the block of a ring between the latitudes `low` and `high` whose middle lies on the x
// axis.
static struct polyhedron *make_block(const struct dome_definition *definition, double low,
                                     double high, struct gabion_error *error) {
    double half = PI / definition->blocks;
    vec3 corner[8];
    for (int k = 0; k < 8; k++) {
        double r = definition->radius + (k & 1 ? 0.5 : -0.5) * definition->thickness;
        double latitude = k & 2 ? high : low, level = r * cos(latitude);
        corner[k] =
            vec3_make(level * cos(half), (k & 4 ? level : -level) * sin(half), r * sin(latitude));
    }
    return polyhedron_hull(corner, 8, error);
}

// Lays one ring; ring 0 is the base.
static bool lay_ring(struct mason *mason, const struct dome_definition *definition, int ring,
                     struct gabion_error *error) {
    double height = (definition->to - definition->from) / definition->rings;
    double low = definition->from + (ring - 1) * height, high = definition->from + ring * height;
    int base = ring == 0 ? group_part(mason->world, definition->name, "base", error) : 0;
    if (base < 0)
        return false;
    int shape = world_add_polyhedron(mason->world, make_block(definition, low, high, error), error);
    for (int k = 0; k < definition->blocks; k++) {
        double half = PI * (k + 0.5) / definition->blocks; // half the angle to its middle
        quat turn = {cos(half), 0, 0, sin(half)};
        bool good = ring == 0 ? mason_support(mason, shape, definition->origin, turn, base, error)
                              : mason_lay(mason, shape, definition->origin, turn, error);
        if (!good)
            return error_context(error, "ring %d", ring);
    }
    return true;
}

static bool check_dome(const struct dome_definition *definition, struct gabion_error *error) {
    if (!mason_check_ring(definition->radius, definition->thickness, definition->origin, error))
        return false;
    if (definition->rings < 1 || definition->blocks < 3)
        return error_set(error, GABION_ERROR_INPUT,
                         "%d rings of %d blocks; 1 ring or more of 3 blocks or more is needed",
                         definition->rings, definition->blocks);
    if (!(definition->from >= 0 && definition->from < definition->to && definition->to < 0.5 * PI))
        return error_set(error, GABION_ERROR_INPUT,
                         "latitudes from %g to %g degrees; 0 <= from < to < 90 is needed: the eye "
                         "at the top stays open",
                         definition->from * 180 / PI, definition->to * 180 / PI);
    return true;
}

bool generate_dome(struct gabion_world *world, const struct dome_definition *definition,
                   struct gabion_error *error) {
    struct mason mason = mason_start(world, &definition->template, &definition->marks);
    bool good = check_dome(definition, error) &&
                mason_check_count(&mason, (definition->rings + 1.0) * definition->blocks, error);
    for (int ring = 1; good && ring <= definition->rings; ring++)
        good = lay_ring(&mason, definition, ring, error);
    if (good && definition->name)
        good = lay_ring(&mason, definition, 0, error);
    return mason_finish(&mason, good, "dome", error);
}
