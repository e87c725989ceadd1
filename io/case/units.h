// Hints where the units of a case look wrong: everything is in metres, kilograms and seconds.
#ifndef IO_CASE_UNITS_H
#define IO_CASE_UNITS_H

#include "io/case/fields.h"

struct gabion_world;

// Notes values that suggest other units, with their place, key and the remedy (world_note). Bodies
// must have been added.
void case_note_units(struct fields file, struct gabion_world *world);

// Notes a mesh whose pieces are so large that the file is probably in millimetres. `radius` is that
// of the sphere about the largest one.
void case_note_mesh(struct fields mesh, double radius, struct gabion_world *world);

#endif
