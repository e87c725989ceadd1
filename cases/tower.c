#include "cases/mason.h"

// Turns a by quarter turns, one for every side; exactly, so that faces meet without gaps.
static vec3 turn_quarters(vec3 a, int quarters) {
    for (; quarters > 0; quarters--)
        a = vec3_make(-a.y, a.x, a.z);
    return a;
}

static bool lay_ring(struct mason *mason, const struct tower_definition *definition, int ring,
                     struct gabion_error *error) {
    vec3 block = definition->block;
    double side = definition->blocks * block.x + block.y; // width of the footprint
    for (int place = 0; place < 4 * definition->blocks; place++) {
        int quarter = place / definition->blocks, k = place % definition->blocks;
        vec3 centre = {(k + 0.5) * block.x - 0.5 * side, 0.5 * (block.y - side),
                       (ring + 0.5) * block.z};
        centre = turn_quarters(centre, quarter);
        if (ring % 2 == 1)
            centre.x = -centre.x;
        vec3 size = quarter % 2 == 0 ? block : vec3_make(block.y, block.x, block.z);
        if (!mason_lay_box(mason, vec3_add(definition->origin, centre), size, error))
            return false;
    }
    return true;
}

static bool check_tower(const struct tower_definition *definition, struct gabion_error *error) {
    vec3 block = definition->block;
    if (!mason_check_block(block, definition->origin, error))
        return false;
    if (definition->blocks < 1 || definition->courses < 1)
        return error_set(error, GABION_ERROR_INPUT,
                         "%d courses of 4 x %d blocks; 1 or more of each are needed",
                         definition->courses, definition->blocks);
    return definition->blocks * block.x > block.y ||
           error_set(error, GABION_ERROR_INPUT,
                     "a side of %d blocks is %g m long and the wall %g m thick; nothing is left "
                     "inside, so take more blocks or thinner walls",
                     definition->blocks, definition->blocks * block.x, block.y);
}

bool generate_tower(struct gabion_world *world, const struct tower_definition *definition,
                    struct gabion_error *error) {
    struct mason mason = mason_start(world, &definition->template, &definition->marks);
    bool good = check_tower(definition, error) &&
                mason_check_count(&mason, 4.0 * definition->blocks * definition->courses, error);
    for (int ring = 0; good && ring < definition->courses; ring++)
        good = lay_ring(&mason, definition, ring, error);
    return mason_finish(&mason, good, "tower", error);
}
