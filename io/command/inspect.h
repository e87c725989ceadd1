// What is legal in a scene and most likely not meant, before its first step: what `check` says, and
// what `run --strict` does not begin with.
#ifndef IO_COMMAND_INSPECT_H
#define IO_COMMAND_INSPECT_H

#include <stdio.h>

#include "io/run/scene.h"

// Prints warnings on standard error and returns how many there are. Prints what it measured as
// "key: value" lines on `facts`; NULL: not at all. A run of `steps` steps that begins with the same
// scene afterwards has the bits that it would have had.
int inspect_scene(const struct scene *scene, int64_t steps, FILE *facts);

#endif
