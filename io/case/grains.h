// Reads clumps, disks and hollow containers of a case.
#ifndef IO_CASE_GRAINS_H
#define IO_CASE_GRAINS_H

#include "cases/generators.h"
#include "io/case/fields.h"
#include "io/text/remarks.h"

// Returns whether the entry has one of the keys clump, bar, torus and disk.
bool case_has_grain(struct fields entry);

// Sets shape, clump, radius, mass and inertia of the body from that key. Its density must be set.
bool case_read_grain(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                     struct gabion_error *error);

// Add the bodies of an entry under `generators` (io/case/fill.c). `template` holds everything but
// shape and place.
bool case_add_lattice(struct fields entry, const struct gabion_body *template,
                      struct gabion_world *world, struct gabion_error *error);
// A fill remarks on a region that is full.
bool case_add_fill(struct fields entry, const struct gabion_body *template,
                   struct gabion_world *world, struct remarks *remarks, struct gabion_error *error);

// Adds a hollow sphere or a drum.
bool case_add_hollow(struct fields container, struct gabion_world *world,
                     struct gabion_error *error);

// Returns the degrees of freedom that lead out of the case's plane (enum gabion_lock bits); 0 if it
// has none.
unsigned case_plane_lock(struct fields file);

#endif
