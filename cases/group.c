#include "cases/group.h"

#include <stdio.h>

int group_part(struct gabion_world *world, const char *name, const char *part,
               struct gabion_error *error) {
    char text[256];
    if (snprintf(text, sizeof text, "%s.%s", name, part) >= (int)sizeof text) {
        error_set(error, GABION_ERROR_INPUT, "the name '%.40s...' is too long", name);
        return -1;
    }
    return gabion_add_group(world, text, error);
}
