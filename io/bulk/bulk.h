// Reads many bodies from a CSV or HDF5 file: a million in seconds.
#ifndef IO_BULK_BULK_H
#define IO_BULK_BULK_H

#include "engine/gabion.h"
#include "parallel/error.h"

// Adds the bodies of a file. `template` supplies what the file does not give.
// CSV: the first row names the columns: x y z radius, optionally vx vy vz wx wy wz material mass
// density.
// HDF5: the datasets position[N,3] and radius[N], optionally velocity[N,3], spin[N,3],
// orientation[N,4] (w x y z), material[N] (names), mass[N], density[N] and id[N], which orders the
// rows. A frame of an earlier run is read too: its spheres are added, and *skipped counts the
// bodies of other shapes, walls aside. Rejects a file without bodies.
bool bulk_add_bodies(struct gabion_world *world, const char *path,
                     const struct gabion_body *template, int64_t *skipped,
                     struct gabion_error *error);

#endif
