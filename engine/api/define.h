// Functions for defining a world that Gabion's own folders use in addition to engine/gabion.h.
#ifndef ENGINE_API_DEFINE_H
#define ENGINE_API_DEFINE_H

#include "engine/gabion.h"

struct team;       // parallel/team.h
struct polyhedron; // geometry/polyhedron.h
struct clump;      // geometry/clump.h
struct compound;   // geometry/compound.h
struct shell;      // geometry/shell.h

// Creates a world like gabion_create, but with a team of the caller, who destroys it after the
// world.
struct gabion_world *world_create(const struct gabion_settings *settings, struct team *team,
                                  struct gabion_error *error);

// Add a shape that any number of bodies may use, and return its number, -1 on an error. The world
// takes ownership of the shape even on an error. NULL, from a builder that failed, is an error.
int world_add_polyhedron(struct gabion_world *world, struct polyhedron *polyhedron,
                         struct gabion_error *error);
int world_add_clump(struct gabion_world *world, struct clump *clump, struct gabion_error *error);
int world_add_compound(struct gabion_world *world, struct compound *compound,
                       struct gabion_error *error);
int world_add_surface(struct gabion_world *world, struct shell *surface,
                      struct gabion_error *error);

// Frees the polyhedron, clump or compound that was added last and that no body has.
void world_drop_shape(struct gabion_world *world, enum gabion_shape shape);

#endif
