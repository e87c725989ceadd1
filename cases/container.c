#include "cases/generators.h"
#include "cases/group.h"

static const char *const wall_names[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
#define ALL_WALLS 63u

static bool check_container(const struct container_definition *definition,
                            struct gabion_error *error) {
    if (!vec3_finite(definition->low) || !vec3_finite(definition->high))
        return error_set(error, GABION_ERROR_INPUT,
                         "container '%s': min and max must be finite numbers", definition->name);
    for (int axis = 0; axis < 3; axis++) {
        double low = vec3_get(definition->low, axis), high = vec3_get(definition->high, axis);
        if (!(low < high))
            return error_set(error, GABION_ERROR_INPUT,
                             "container '%s' is empty: along %c it goes from %g to %g m; min must "
                             "be below max",
                             definition->name, "xyz"[axis], low, high);
    }
    if (definition->walls == 0 || (definition->walls & ~ALL_WALLS) != 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "container '%s' needs one or more of the walls xmin xmax ymin ymax zmin "
                         "zmax",
                         definition->name);
    return true;
}

// Adds wall number 2 * axis + side. ParaView draws it as that face of the box.
static struct gabion_body make_wall(const struct container_definition *definition, int wall) {
    struct gabion_body body = gabion_default_body();
    int axis = wall / 2, first = (axis + 1) % 3, second = (axis + 2) % 3;
    bool upper = wall % 2 == 1;
    vec3 size = vec3_sub(definition->high, definition->low);
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    body.material = definition->material;
    body.normal = body.tangent = vec3_zero();
    vec3_set(&body.normal, axis, upper ? -1.0 : 1.0);
    vec3_set(&body.tangent, first, 1.0);
    body.extent[0] = 0.5 * vec3_get(size, first);
    body.extent[1] = 0.5 * vec3_get(size, second);
    body.position = vec3_add_scaled(definition->low, 0.5, size);
    vec3_set(&body.position, axis, vec3_get(upper ? definition->high : definition->low, axis));
    return body;
}

bool generate_container(struct gabion_world *world, const struct container_definition *definition,
                        struct gabion_error *error) {
    if (!check_container(definition, error))
        return false;
    for (int wall = 0; wall < 6; wall++) {
        if ((definition->walls & 1u << wall) == 0)
            continue;
        struct gabion_body body = make_wall(definition, wall);
        body.group = group_part(world, definition->name, wall_names[wall], error);
        if (body.group < 0)
            return error_context(error, "container");
        if (gabion_add_body(world, &body, error) < 0)
            return error_context(error, "container '%s', wall %s", definition->name,
                                 wall_names[wall]);
    }
    return true;
}
