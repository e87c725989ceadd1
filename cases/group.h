// Groups for the parts of a generated object: the walls of a container, the slabs of a ground.
#ifndef CASES_GROUP_H
#define CASES_GROUP_H

#include "engine/gabion.h"
#include "parallel/error.h"

// Returns the group "<name>.<part>", which it adds if it is new, or -1 with an error.
int group_part(struct gabion_world *world, const char *name, const char *part,
               struct gabion_error *error);

#endif
