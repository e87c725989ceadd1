// A hint where forces on blocks are read step by step with a tolerance that suits motion.
#ifndef IO_CASE_PRECISION_H
#define IO_CASE_PRECISION_H

#include "io/case/fields.h"
#include "io/text/remarks.h"

struct gabion_world;

// Notes that solved steps of shaken blocks may have single forces far off, where a probe reads
// forces and solver.tolerance is above 1e-6. Bodies must have been added.
void case_note_precision(struct fields file, const struct gabion_world *world,
                         struct remarks *remarks);

#endif
