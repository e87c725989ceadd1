// What a run on several ranks says about how they shared its contacts. One process says nothing.
#ifndef IO_RUN_SHARING_LINES_H
#define IO_RUN_SHARING_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct gabion_world;

// Prints the lines of the summary.
void sharing_lines_print(const struct gabion_world *world, FILE *stream);

// Writes the line of run.log about the contacts that were shared, and returns whether there is one.
bool sharing_lines_log(const struct gabion_world *world, char *text, size_t size);

// Writes what would let the ranks share contacts, and returns whether there is need: most steps
// were computed whole by every rank.
bool sharing_lines_advise(const struct gabion_world *world, char *text, size_t size);

#endif
