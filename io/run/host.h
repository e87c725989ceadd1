// The machine that a run works on, for the summary that is left in its folder.
#ifndef IO_RUN_HOST_H
#define IO_RUN_HOST_H

#include <stdio.h>

// Prints `key: value` lines: name, system, processor, cores, memory. What the system does not say
// is left out.
void host_print(FILE *stream);

#endif
