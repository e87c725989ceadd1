// What the files of engine/api share about names and laws.
#ifndef ENGINE_API_MATERIALS_H
#define ENGINE_API_MATERIALS_H

#include "engine/world/world.h"

// Whether a law is one that the scheme can apply.
bool law_check(const struct gabion_law *law, enum gabion_scheme scheme, struct gabion_error *error);

char *name_copy(const char *name); // free with memory_free

#endif
