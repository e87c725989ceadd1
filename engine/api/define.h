// What Gabion's own folders need beside engine/gabion.h to define a world.
#ifndef ENGINE_API_DEFINE_H
#define ENGINE_API_DEFINE_H

#include "engine/gabion.h"

struct team;       // parallel/team.h
struct polyhedron; // geometry/polyhedron.h
struct clump;      // geometry/clump.h

// gabion_create with a team of the caller's, who destroys it after the world.
struct gabion_world *world_create(const struct gabion_settings *settings, struct team *team,
                                  struct gabion_error *error);

// Shapes that any number of bodies may have. The world takes them over, even when -1 is returned;
// NULL, from a builder that failed, is an error.
int world_add_polyhedron(struct gabion_world *world, struct polyhedron *polyhedron,
                         struct gabion_error *error);
int world_add_clump(struct gabion_world *world, struct clump *clump, struct gabion_error *error);

#endif
