// The body against which frames give displacements: its rigid motion since the start is taken out
// of those of all bodies, as from a table that carries a model.
#ifndef IO_VTK_REFERENCE_H
#define IO_VTK_REFERENCE_H

#include "engine/gabion.h"

#define VTK_REFERENCE_TEXT 512

struct vtk_reference {
    int32_t body;      // id; -1: none, displacements are those in space
    gabion_quat start; // its orientation as the run began
};

// Takes the first body of a group (-1: none), as it is now. Fails where none is in the run.
bool vtk_reference_begin(struct vtk_reference *reference, const struct gabion_world *world,
                         int group, struct gabion_error *error);

// The reference as a text, exact to the bit, for checkpoints: a world does not know how its bodies
// were turned at the start. The text also names the group. "": there is no reference.
void vtk_reference_print(const struct vtk_reference *reference, const struct gabion_world *world,
                         int group, char text[VTK_REFERENCE_TEXT]);
// Fails where the text is not about this group.
bool vtk_reference_parse(struct vtk_reference *reference, const struct gabion_world *world,
                         int group, const char *text, struct gabion_error *error);

#endif
