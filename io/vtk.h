// ParaView output: frames under DIR/vtk and one .pvd series per kind (bodies, walls, contacts).
#ifndef IO_VTK_H
#define IO_VTK_H

#include "engine/gabion.h"

struct vtk_series;

// Starts the series of a folder, or (resume) continues it after dropping frames beyond the world's
// step.
struct vtk_series *vtk_open(const char *directory, const struct gabion_world *world, bool resume,
                            struct error *error);
bool vtk_write(struct vtk_series *series, const struct gabion_world *world, struct error *error);
void vtk_close(struct vtk_series *series);

#endif
