#include "io/vtk/reference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/error.h"

static const struct vtk_reference none = {.body = -1, .start = {1, 0, 0, 0}};

bool vtk_reference_begin(struct vtk_reference *reference, const struct gabion_world *world,
                         int group, struct gabion_error *error) {
    struct gabion_bodies bodies;
    *reference = none;
    if (group < 0)
        return true;
    if (!gabion_view_bodies(world, &bodies, error))
        return false;
    for (int32_t id = 0; id < bodies.ids; id++) {
        int32_t i = bodies.index_of[id];
        if (i < 0 || bodies.group[i] != group)
            continue;
        *reference = (struct vtk_reference){id, bodies.orientation[i]};
        return true;
    }
    return error_set(error, GABION_ERROR_INPUT,
                     "output.displacement_of: no body of group \"%s\" is in the run at its start; "
                     "give a group that is there from the start",
                     gabion_group_name(world, group));
}

void vtk_reference_print(const struct vtk_reference *reference, const struct gabion_world *world,
                         int group, char text[VTK_REFERENCE_TEXT]) {
    text[0] = '\0';
    if (reference->body >= 0)
        snprintf(text, VTK_REFERENCE_TEXT, "%" PRId32 " %a %a %a %a %s", reference->body,
                 reference->start.w, reference->start.x, reference->start.y, reference->start.z,
                 gabion_group_name(world, group));
}

bool vtk_reference_parse(struct vtk_reference *reference, const struct gabion_world *world,
                         int group, const char *text, struct gabion_error *error) {
    *reference = none;
    if (group < 0)
        return true;
    struct vtk_reference read;
    int length = 0;
    if (sscanf(text, "%" SCNd32 " %lf %lf %lf %lf %n", &read.body, &read.start.w, &read.start.x,
               &read.start.y, &read.start.z, &length) != 5 ||
        length == 0 || read.body < 0 || strcmp(text + length, gabion_group_name(world, group)) != 0)
        return error_set(
            error, GABION_ERROR_INPUT,
            "output.displacement_of: the checkpoint does not hold how group \"%s\" was "
            "turned at the start; give the key from the start of the run, or not",
            gabion_group_name(world, group));
    *reference = read;
    return true;
}
