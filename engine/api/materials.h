// Helpers for names and contact laws that the files of engine/api share.
#ifndef ENGINE_API_MATERIALS_H
#define ENGINE_API_MATERIALS_H

#include "engine/world/world.h"

// Returns whether the scheme can apply a law; false with an error if not.
bool law_check(const struct gabion_law *law, enum gabion_scheme scheme, struct gabion_error *error);

char *name_copy(const char *name); // free with memory_free

#endif
