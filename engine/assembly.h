// Assembly: from contacts to the coloured, batched contact problem.
#ifndef ENGINE_ASSEMBLY_H
#define ENGINE_ASSEMBLY_H

#include "engine/motion.h"
#include "engine/problem.h"

struct assembly; // scratch kept between steps

struct assembly *assembly_create(void);
void assembly_free(struct assembly *assembly);

#endif
