#include "cases/mason.h"

// Lays a course from its nosing to the end of the flight. The last stone is what is left.
static bool lay_course(struct mason *mason, const struct stairs_definition *definition, int course,
                       struct gabion_error *error) {
    double begin = course * definition->tread, end = definition->steps * definition->tread;
    double sliver = 1e-9 * definition->tread;
    for (int k = 0; begin + k * definition->stone < end - sliver; k++) {
        double left = begin + k * definition->stone;
        double right = fmin(begin + (k + 1) * definition->stone, end);
        if (end - right < sliver)
            right = end;
        vec3 size = {right - left, definition->width, definition->rise};
        vec3 centre = {0.5 * (left + right), 0.5 * definition->width,
                       (course + 0.5) * definition->rise};
        if (!mason_lay_box(mason, vec3_add(definition->origin, centre), size, error))
            return false;
    }
    return true;
}

static bool check_stairs(const struct stairs_definition *definition, struct gabion_error *error) {
    vec3 step = {definition->tread, definition->width, definition->rise};
    if (!mason_check_block(step, definition->origin, error))
        return false;
    if (definition->steps < 1)
        return error_set(error, GABION_ERROR_INPUT, "%d steps; 1 or more are needed",
                         definition->steps);
    return (definition->stone >= definition->tread && isfinite(definition->stone)) ||
           error_set(error, GABION_ERROR_INPUT,
                     "stones of %g m on treads of %g m; a stone is as long as a tread or longer",
                     definition->stone, definition->tread);
}

bool generate_stairs(struct gabion_world *world, const struct stairs_definition *definition,
                     struct gabion_error *error) {
    struct mason mason = mason_start(world, &definition->template, &definition->marks);
    double n = definition->steps;
    bool good =
        check_stairs(definition, error) &&
        mason_check_count(&mason, 0.5 * n * (n + 1) * definition->tread / definition->stone, error);
    for (int course = 0; good && course < definition->steps; course++)
        good = lay_course(&mason, definition, course, error);
    return mason_finish(&mason, good, "stairs", error);
}
