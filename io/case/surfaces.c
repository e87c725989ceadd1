#include "io/case/surfaces.h"

#include "engine/api/define.h"
#include "io/case/masonry.h"
#include "io/mesh/mesh.h"
#include "parallel/memory.h"

// Returns the rotation that takes z to the direction, about the normal of both.
static quat turn_to(vec3 direction) {
    vec3 n = vec3_scale(1 / vec3_length(direction), direction);
    quat turn = {1 + n.z, -n.y, n.x, 0};
    return turn.w > 1e-9 ? quat_normalize(turn) : (quat){0, 1, 0, 0};
}

// Returns the rotation that takes z to the vector `axis` and x to the side of `tangent`, if given.
static quat orientation_of(struct fields fields, const char *axis) {
    quat turn = turn_to(fields_vector(fields, axis));
    if (!fields_have(fields, "tangent"))
        return turn;
    vec3 own = mat3_apply_transposed(quat_matrix(turn), fields_vector(fields, "tangent"));
    return quat_multiply(turn, quat_about(vec3_make(0, 0, 1), atan2(own.y, own.x)));
}

static bool add_plate(struct fields plate, struct gabion_body *body, struct gabion_world *world,
                      struct gabion_error *error) {
    struct plate_definition definition = {.body = *body};
    double size[2], *polygon = NULL;
    size_t numbers = 8;
    definition.body.orientation = orientation_of(plate, "normal");
    if (fields_have(plate, "polygon")) {
        polygon = fields_numbers(plate, "polygon", &numbers);
    } else {
        fields_components(plate, "size", size);
        polygon = memory_allocate(numbers, sizeof *polygon, "a plate");
        for (size_t k = 0; k < 4; k++) {
            polygon[2 * k] = (k == 1 || k == 2 ? 0.5 : -0.5) * size[0];
            polygon[2 * k + 1] = (k > 1 ? 0.5 : -0.5) * size[1];
        }
    }
    definition.polygon = (const double(*)[2])polygon;
    definition.corners = numbers / 2;
    bool good = generate_plate(world, &definition, error);
    memory_free(polygon);
    return good;
}

static struct mantle_definition mantle_of(struct fields fields, const struct gabion_body *body) {
    struct mantle_definition definition = {
        .body = *body,
        .arc = 6.28318530717958647693,
        .sides = (int)fields_integer(fields, "sides"),
    };
    definition.body.orientation = orientation_of(fields, "axis");
    return definition;
}

static bool add_funnel(struct fields funnel, struct gabion_body *body, struct gabion_world *world,
                       struct gabion_error *error) {
    struct mantle_definition definition = mantle_of(funnel, body);
    definition.lower = fields_number(funnel, "outlet");
    definition.upper = fields_number(funnel, "mouth");
    definition.height = fields_number(funnel, "height");
    return generate_mantle(world, &definition, error);
}

static bool add_cone(struct fields cone, struct gabion_body *body, struct gabion_world *world,
                     struct gabion_error *error) {
    struct mantle_definition definition = mantle_of(cone, body);
    definition.upper = fields_number(cone, "radius");
    definition.height = fields_number(cone, "height");
    return generate_mantle(world, &definition, error);
}

static bool add_cylinder(struct fields cylinder, struct gabion_body *body,
                         struct gabion_world *world, struct gabion_error *error) {
    struct mantle_definition definition = mantle_of(cylinder, body);
    definition.lower = definition.upper = fields_number(cylinder, "radius");
    definition.height = fields_number(cylinder, "length");
    if (fields_number(cylinder, "arc") < 360)
        definition.arc = fields_angle(cylinder, "arc");
    return generate_mantle(world, &definition, error);
}

static bool add_file(struct fields surface, struct gabion_body *body, struct gabion_world *world,
                     struct gabion_error *error) {
    double q[4];
    fields_components(surface, "orientation", q);
    struct shell *shell =
        mesh_read_surface(fields_text(surface, "file"), fields_number(surface, "scale"), error);
    body->shape = GABION_SURFACE;
    body->orientation = quat_normalize((quat){q[0], q[1], q[2], q[3]});
    body->surface = shell ? world_add_surface(world, shell, error) : -1;
    return body->surface >= 0 && gabion_add_body(world, body, error) >= 0;
}

static const struct {
    const char *key;
    bool (*add)(struct fields, struct gabion_body *, struct gabion_world *, struct gabion_error *);
} surfaces[] = {{"plate", add_plate},
                {"funnel", add_funnel},
                {"cone", add_cone},
                {"cylinder", add_cylinder},
                {"surface", add_file}};
#define SURFACES (sizeof surfaces / sizeof *surfaces)

static size_t kind_of(struct fields container) {
    size_t k = 0;
    while (k < SURFACES && !fields_have(container, surfaces[k].key))
        k++;
    return k;
}

bool case_has_surface(struct fields container) { return kind_of(container) < SURFACES; }

bool case_add_surface(struct fields container, struct gabion_world *world,
                      struct gabion_error *error) {
    size_t kind = kind_of(container);
    struct fields fields = fields_section(container, surfaces[kind].key);
    struct gabion_body body = gabion_default_body();
    body.fixed = true;
    body.material = gabion_find_material(world, fields_text(container, "material"));
    body.group = gabion_add_group(world, fields_text(container, "name"), error);
    body.position = fields_vector(fields, "position");
    return (body.group >= 0 && surfaces[kind].add(fields, &body, world, error)) ||
           error_context(error, "%s", surfaces[kind].key);
}
