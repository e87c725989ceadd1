// Hints where the units of a case look wrong: everything is in metres, kilograms and seconds.
#ifndef IO_CASE_UNITS_H
#define IO_CASE_UNITS_H

#include "io/case/fields.h"
#include "io/text/remarks.h"

struct gabion_world;

// Remarks on values that suggest other units, with their place, key and the remedy. Bodies must
// have been added.
void case_note_units(struct fields file, const struct gabion_world *world, struct remarks *remarks);

// Remarks on a mesh whose pieces are so large that the file is probably in millimetres. `length` is
// the longest side of the box around any of them.
void case_note_mesh(struct fields mesh, double length, struct remarks *remarks);

#endif
