// ParaView output: frames under DIR/vtk and one .pvd series per kind (bodies, walls, contacts;
// joints where there are joints between bodies; blocks, interfaces and thrust where there are
// blocks).
#ifndef IO_VTK_VTK_H
#define IO_VTK_VTK_H

#include "engine/gabion.h"
#include "io/vtk/reference.h"
#include "parallel/background.h"

struct vtk_series;

enum vtk_blocks { VTK_BLOCKS_SURFACE, VTK_BLOCKS_SOLID }; // polygons, or polyhedral cells

// Starts the series of a folder, or (resume) continues them after dropping frames beyond the
// world's step. A series that is continued keeps the form of blocks it has. Returns NULL on an
// error.
struct vtk_series *vtk_open(const char *directory, const struct gabion_world *world, bool resume,
                            enum vtk_blocks blocks, struct gabion_error *error);
// Gives displacements against a body; without this call they are those in space.
void vtk_refer(struct vtk_series *series, const struct vtk_reference *reference);
// Lets another thread write the frames, from copies, while the caller goes on. Where memory does
// not suffice for a copy, the frame is written at once.
void vtk_write_beside(struct vtk_series *series, struct background *background);
// Estimates the bytes of such a copy.
double vtk_copy_bytes(const struct gabion_world *world);
// Writes the frame of the world's step to every series and lists it there. Returns false where this
// or the writing of the frame before has failed.
bool vtk_write(struct vtk_series *series, const struct gabion_world *world,
               struct gabion_error *error);

// Where ranks share contacts each of them writes its own, to a piece of the frame: all ranks call
// this, and then rank 0 vtk_write, which lists the pieces as one frame. The other ranks have no
// series, and call it with what vtk_open_beside returns (NULL on an error).
struct vtk_series *vtk_open_beside(const char *directory, const struct gabion_world *world,
                                   struct gabion_error *error);
bool vtk_write_pieces(struct vtk_series *series, const struct gabion_world *world,
                      struct gabion_error *error);

// Takes the frame of a step, the last one, out of every series.
bool vtk_drop(struct vtk_series *series, int64_t step, struct gabion_error *error);
// Waits for a frame that is being written. Who needs to know whether it was asks the thread first.
void vtk_close(struct vtk_series *series);

// Rejects a folder whose series carry the names of older versions, in which masonry interfaces were
// called joints and joints between bodies links: continuing them would mix the two in one series.
// Changes no file.
bool vtk_check_names(const char *directory, struct gabion_error *error);

#endif
