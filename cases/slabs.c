#include <stdio.h>

#include "cases/group.h"
#include "cases/mason.h"

static bool lay_slab(struct mason *mason, const struct slabs_definition *definition, size_t k,
                     double begin, double end, struct gabion_error *error) {
    char part[24];
    vec3 size = {end - begin, definition->depth, definition->thickness};
    vec3 middle = {0.5 * (begin + end), 0.5 * definition->depth, -0.5 * definition->thickness};
    vec3 centre = vec3_add(definition->origin, middle);
    snprintf(part, sizeof part, "%zu", k + 1);
    return (mason_check_block(size, centre, error) &&
            mason_support_box(mason, centre, size, (quat){1, 0, 0, 0},
                              group_part(mason->world, definition->name, part, error), error)) ||
           error_context(error, "slab %zu", k + 1);
}

bool generate_slabs(struct gabion_world *world, const struct slabs_definition *definition,
                    struct gabion_error *error) {
    struct mason mason = mason_start(world, &definition->template, NULL);
    bool good = definition->count > 0 ||
                error_set(error, GABION_ERROR_INPUT, "the width of one slab or more is needed");
    double begin = 0;
    for (size_t k = 0; good && k < definition->count; k++) {
        double end = begin + definition->width[k];
        good = lay_slab(&mason, definition, k, begin, end, error);
        begin = end;
    }
    return mason_finish(&mason, good, "slabs", error);
}
