// Draws sphere radii from a size distribution (cases/generators.h).
#ifndef CASES_SIZE_H
#define CASES_SIZE_H

#include "cases/generators.h"
#include "parallel/random.h"

// Rejects a distribution that cannot be drawn from, with an error that names the value.
bool size_check(const struct size_distribution *size, struct gabion_error *error);

// Draws one radius from a distribution that passed size_check. Fails only when the bounds exclude
// nearly all radii.
bool size_draw(const struct size_distribution *size, struct random_stream *stream, double *radius,
               struct gabion_error *error);

#endif
