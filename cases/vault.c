#include "cases/mason.h"
#include "cases/ring.h"
#include "engine/api/define.h"

#define PI 3.14159265358979323846

struct vault {
    const struct vault_definition *definition;
    double step;     // angle of a course, rad
    double block;    // length of a whole block along y
    int whole, half; // shapes
};

// Lays a course from its front end. Courses at even places begin and end with half a block.
static bool lay_course(struct mason *mason, const struct vault *vault, int course,
                       struct gabion_error *error) {
    const struct vault_definition *definition = vault->definition;
    bool halves = course % 2 == 1;
    // Relative to the middle, so that mirrored courses have exactly opposite angles.
    double place = (double)course - 0.5 * (definition->courses - 1);
    for (int k = 0; k < definition->blocks + halves; k++) {
        bool half = halves && (k == 0 || k == definition->blocks);
        double begin = halves ? fmax(k - 0.5, 0) : k;
        double middle = (begin + (half ? 0.25 : 0.5)) * vault->block;
        vec3 centre = {0, middle - 0.5 * definition->length, 0};
        if (!mason_lay(mason, half ? vault->half : vault->whole,
                       vec3_add(definition->origin, centre), ring_turn(place * vault->step), error))
            return false;
    }
    return true;
}

static int add_voussoir(struct mason *mason, const struct vault *vault, double length,
                        struct gabion_error *error) {
    const struct vault_definition *definition = vault->definition;
    return world_add_polyhedron(
        mason->world,
        generate_voussoir(definition->radius, definition->thickness, length, vault->step, error),
        error);
}

static bool check_vault(const struct vault_definition *definition, struct gabion_error *error) {
    if (definition->courses < 1 || definition->blocks < 1)
        return error_set(error, GABION_ERROR_INPUT,
                         "%d courses of %d blocks; 1 or more of each are needed",
                         definition->courses, definition->blocks);
    if (!(definition->angle > 0 && definition->angle < 2 * PI))
        return error_set(error, GABION_ERROR_INPUT,
                         "an angle of %g degrees; more than 0 and less than 360 are needed",
                         definition->angle * 180 / PI);
    if (!(definition->length > 0 && isfinite(definition->length)))
        return error_set(error, GABION_ERROR_INPUT, "a length of %g m; it must be positive",
                         definition->length);
    return mason_check_ring(definition->radius, definition->thickness, definition->origin, error);
}

bool generate_vault(struct gabion_world *world, const struct vault_definition *definition,
                    struct gabion_error *error) {
    struct mason mason = mason_start(world, &definition->template, &definition->marks);
    struct ring ring = {definition->name,      definition->origin, definition->radius,
                        definition->thickness, definition->length, definition->angle};
    bool good = check_vault(definition, error) &&
                mason_check_count(&mason, (definition->blocks + 0.5) * definition->courses, error);
    if (good) {
        struct vault vault = {.definition = definition,
                              .step = definition->angle / definition->courses,
                              .block = definition->length / definition->blocks};
        vault.whole = add_voussoir(&mason, &vault, vault.block, error);
        vault.half = definition->courses > 1
                         ? add_voussoir(&mason, &vault, 0.5 * vault.block, error)
                         : vault.whole;
        good = vault.whole >= 0 && vault.half >= 0;
        for (int course = 0; good && course < definition->courses; course++)
            good = lay_course(&mason, &vault, course, error);
        good = good && ring_abutments(&mason, &ring, error);
    }
    return mason_finish(&mason, good, "vault", error);
}
