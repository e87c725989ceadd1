// Helpers for names and contact laws that the files of engine/api share.
#ifndef ENGINE_API_MATERIALS_H
#define ENGINE_API_MATERIALS_H

#include "engine/world/world.h"

// Returns whether the scheme can apply a law; false with an error if not.
bool law_check(const struct gabion_law *law, enum gabion_scheme scheme, struct gabion_error *error);

// Returns whether every pair of materials that can touch has a law; false with an error if not, or
// where memory runs out. Looks only once, until bodies are added. `error` may be NULL.
bool laws_check(struct gabion_world *world, struct gabion_error *error);

char *name_copy(const char *name); // free with memory_free

#endif
