// Assembly: from contacts to the coloured, batched contact problem.
#ifndef ENGINE_PROBLEM_ASSEMBLY_H
#define ENGINE_PROBLEM_ASSEMBLY_H

#include "engine/motion/motion.h"
#include "engine/problem/problem.h"

struct assembly; // scratch kept between steps

struct assembly *assembly_create(void);
void assembly_free(struct assembly *assembly);

#endif
