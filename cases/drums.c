#include "cases/mason.h"
#include "engine/api/define.h"
#include "geometry/polyhedron.h"

#define PI 3.14159265358979323846

#define SIDES_MAX POLYHEDRON_FACE_MAX

static double radius_at(const struct drums_definition *definition, int joint) {
    double share = (double)joint / definition->drums;
    return definition->radius + share * (definition->top_radius - definition->radius);
}

// Builds a drum between two joints, its lower face at the origin: a frustum over a regular polygon.
// Both drums at a joint have the same corners there.
static struct polyhedron *make_drum(const struct drums_definition *definition, int below,
                                    struct gabion_error *error) {
    double low = radius_at(definition, below), high = radius_at(definition, below + 1);
    double height = definition->height / definition->drums;
    vec3 corner[2 * SIDES_MAX];
    int sides = definition->sides;
    for (int k = 0; k < sides; k++) {
        double angle = 2 * PI * (k + 0.5) / sides, x = cos(angle), y = sin(angle);
        corner[k] = vec3_make(low * x, low * y, 0);
        corner[sides + k] = vec3_make(high * x, high * y, height);
    }
    return polyhedron_hull(corner, 2 * sides, error);
}

static bool lay_slab(struct mason *mason, vec3 size, double *z, struct gabion_error *error,
                     vec3 origin) {
    vec3 centre = {0, 0, *z + 0.5 * size.z};
    if (size.z == 0)
        return true;
    *z += size.z;
    return mason_lay_box(mason, vec3_add(origin, centre), size, error);
}

static bool lay_column(struct mason *mason, const struct drums_definition *definition,
                       struct gabion_error *error) {
    double z = 0, height = definition->height / definition->drums;
    bool same = definition->top_radius == definition->radius;
    int shape = -1;
    bool good = lay_slab(mason, definition->plinth, &z, error, definition->origin);
    for (int k = 0; good && k < definition->drums; k++) {
        vec3 foot = {0, 0, z + k * height};
        if (k == 0 || !same)
            shape = world_add_polyhedron(mason->world, make_drum(definition, k, error), error);
        good =
            mason_lay(mason, shape, vec3_add(definition->origin, foot), (quat){1, 0, 0, 0}, error);
    }
    z += definition->height;
    return good && lay_slab(mason, definition->capital, &z, error, definition->origin);
}

static bool check_slab(vec3 size, const char *what, struct gabion_error *error) {
    bool none = size.x == 0 && size.y == 0 && size.z == 0;
    return none || (size.x > 0 && size.y > 0 && size.z > 0 && vec3_finite(size)) ||
           error_set(error, GABION_ERROR_INPUT,
                     "a %s of %g x %g x %g m; three positive lengths are needed, or zeros: none",
                     what, size.x, size.y, size.z);
}

static bool check_drums(const struct drums_definition *definition, struct gabion_error *error) {
    if (!(definition->radius > 0 && definition->top_radius > 0 && definition->height > 0) ||
        !isfinite(definition->radius + definition->top_radius + definition->height))
        return error_set(error, GABION_ERROR_INPUT,
                         "radii of %g and %g m and a height of %g m; three positive lengths are "
                         "needed",
                         definition->radius, definition->top_radius, definition->height);
    if (definition->drums < 1 || definition->sides < 3 || definition->sides > SIDES_MAX)
        return error_set(error, GABION_ERROR_INPUT,
                         "%d drums of %d sides; 1 drum or more of 3 to %d sides is needed",
                         definition->drums, definition->sides, SIDES_MAX);
    if (!vec3_finite(definition->origin))
        return error_set(error, GABION_ERROR_INPUT, "the origin must be three finite numbers");
    return check_slab(definition->plinth, "plinth", error) &&
           check_slab(definition->capital, "capital", error);
}

bool generate_drums(struct gabion_world *world, const struct drums_definition *definition,
                    struct gabion_error *error) {
    struct mason mason = mason_start(world, &definition->template, &definition->marks);
    bool good = check_drums(definition, error) &&
                mason_check_count(&mason, definition->drums + 2.0, error) &&
                lay_column(&mason, definition, error);
    return mason_finish(&mason, good, "drums", error);
}
