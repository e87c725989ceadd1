// ParaView output: frames under DIR/vtk and one .pvd series per kind (bodies, walls, contacts;
// links where there are joints between bodies; blocks, joints and thrust where there are blocks).
#ifndef IO_VTK_VTK_H
#define IO_VTK_VTK_H

#include "engine/gabion.h"
#include "parallel/error.h"

struct vtk_series;

enum vtk_blocks { VTK_BLOCKS_SURFACE, VTK_BLOCKS_SOLID }; // polygons, or polyhedral cells

// Starts the series of a folder, or (resume) continues it after dropping frames beyond the world's
// step. A series that is continued keeps the form of blocks it has.
struct vtk_series *vtk_open(const char *directory, const struct gabion_world *world, bool resume,
                            enum vtk_blocks blocks, struct gabion_error *error);
bool vtk_write(struct vtk_series *series, const struct gabion_world *world,
               struct gabion_error *error);
void vtk_close(struct vtk_series *series);

#endif
