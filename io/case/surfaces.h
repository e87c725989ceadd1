// Reads walls made of triangles of a case: plates, funnels, cones, cylinders and mesh files.
#ifndef IO_CASE_SURFACES_H
#define IO_CASE_SURFACES_H

#include "cases/generators.h"
#include "io/case/fields.h"

// Returns whether the entry under `containers` is such a wall.
bool case_has_surface(struct fields container);

// Adds it.
bool case_add_surface(struct fields container, struct gabion_world *world,
                      struct gabion_error *error);

#endif
