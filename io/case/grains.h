// Clumps, disks and hollow containers of a case.
#ifndef IO_CASE_GRAINS_H
#define IO_CASE_GRAINS_H

#include "cases/generators.h"
#include "io/case/fields.h"

// The entry has one of the keys clump, bar and torus, or disk.
bool case_has_grain(struct fields entry);

// Sets shape, clump, radius, mass and inertia of the body from that key; its density is known.
bool case_read_grain(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                     struct gabion_error *error);

// A hollow sphere or a drum.
bool case_add_hollow(struct fields container, struct gabion_world *world,
                     struct gabion_error *error);

// The degrees of freedom that leave the plane that the case names (enum gabion_lock bits), if any.
unsigned case_plane_lock(struct fields file);

#endif
