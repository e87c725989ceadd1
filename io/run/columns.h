// The columns of probes in a table: NAME.COMPONENT, or NAME where there is only one component.
#ifndef IO_RUN_COLUMNS_H
#define IO_RUN_COLUMNS_H

#include <stdio.h>

#include "engine/gabion.h"

// Returns the number of columns: those of all components of all probes.
int columns_count(const struct gabion_world *world);
bool columns_read(const struct gabion_world *world, double *values, struct gabion_error *error);

// Print a comma and the name or value of each column. Values have all their digits.
void columns_print_names(FILE *stream, const struct gabion_world *world);
void columns_print_values(FILE *stream, const double *values, int count);

// Prints the values of probes with up to six components as lines of a summary, "probe NAME.x: ...".
void columns_print_summary(FILE *stream, const struct gabion_world *world);

// Prints a number with all its digits. Printf shows the sign of what is not a number, and that sign
// means nothing.
void columns_print_real(FILE *stream, double real);

#endif
