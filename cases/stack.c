#include "cases/mason.h"

static bool check_stack(const struct stack_definition *definition, struct gabion_error *error) {
    size_t overhangs = definition->overhangs;
    if (!mason_check_block(definition->block, definition->origin, error))
        return false;
    if (definition->count < 1)
        return error_set(error, GABION_ERROR_INPUT, "%d blocks; 1 or more are needed",
                         definition->count);
    if (overhangs > 1 && overhangs != (size_t)definition->count - 1)
        return error_set(error, GABION_ERROR_INPUT,
                         "%zu overhangs for %d blocks; one number is needed, or one for each block "
                         "but the lowest (%d)",
                         overhangs, definition->count, definition->count - 1);
    if (!(definition->harmonic >= 0) || !isfinite(definition->harmonic))
        return error_set(error, GABION_ERROR_INPUT, "harmonic is %g; 0 or more is needed",
                         definition->harmonic);
    return true;
}

// Returns how far block k, counted from 0 from below, overhangs what is under it.
static double overhang(const struct stack_definition *definition, int k) {
    double length = definition->block.x;
    if (definition->harmonic > 0)
        return definition->harmonic * 0.5 * length / (definition->count - k);
    if (k == 0 || definition->overhangs == 0)
        return 0;
    return definition->overhang[definition->overhangs == 1 ? 0 : k - 1];
}

bool generate_stack(struct gabion_world *world, const struct stack_definition *definition,
                    struct gabion_error *error) {
    struct mason mason = mason_start(world, &definition->template, &definition->marks);
    bool good =
        check_stack(definition, error) && mason_check_count(&mason, definition->count, error);
    // The edge of the table, or the middle of the lowest block, is at the origin.
    double x = definition->harmonic > 0 ? -0.5 * definition->block.x : 0;
    for (int k = 0; good && k < definition->count; k++) {
        x += overhang(definition, k);
        vec3 centre = {x, 0, (k + 0.5) * definition->block.z};
        good =
            mason_lay_box(&mason, vec3_add(definition->origin, centre), definition->block, error);
    }
    return mason_finish(&mason, good, "stack", error);
}
