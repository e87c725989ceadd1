// Assembly: from contacts to the coloured, batched contact problem.
#ifndef ENGINE_ASSEMBLY_H
#define ENGINE_ASSEMBLY_H

#include "engine/motion.h"
#include "engine/problem.h"

struct assembly; // scratch kept between steps

struct assembly *assembly_create(void);
void assembly_free(struct assembly *assembly);

// Whether the contact takes part in this step's solve, and the number b with u_n + b >= 0 if so.
bool assembly_bias(const struct gabion_world *world, const struct contact *contact, double *b);

#endif
