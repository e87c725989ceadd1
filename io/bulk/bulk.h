// Bodies in bulk: a CSV table or an HDF5 file, a million in seconds.
#ifndef IO_BULK_BULK_H
#define IO_BULK_BULK_H

#include "engine/gabion.h"
#include "parallel/error.h"

// `template` gives what the file does not. CSV: a header row naming the columns x y z radius and
// optionally vx vy vz wx wy wz material mass density. HDF5: datasets position[N,3], radius[N] and
// optionally velocity[N,3], spin[N,3], orientation[N,4] (w x y z), material[N] (names), mass[N],
// density[N] and id[N], by which the rows are then taken; or a frame or checkpoint of an earlier
// run, whose spheres are taken and whose walls are not. A file that gives no body is refused.
bool bulk_add_bodies(struct gabion_world *world, const char *path,
                     const struct gabion_body *template, struct gabion_error *error);

#endif
