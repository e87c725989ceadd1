// Drawing sphere radii from a size distribution (cases/generators.h).
#ifndef CASES_SIZE_H
#define CASES_SIZE_H

#include "cases/generators.h"
#include "parallel/random.h"

// Refuses what cannot be drawn from, naming the offending number.
bool size_check(const struct size_distribution *size, struct gabion_error *error);

// One radius, from a distribution that passed size_check. Fails only when the bounds cut nearly
// everything away.
bool size_draw(const struct size_distribution *size, struct random_stream *stream, double *radius,
               struct gabion_error *error);

#endif
