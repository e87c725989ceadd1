// Signals. The first SIGINT or SIGTERM asks the run to stop after its step, a second one ends the
// process at once. Writing to a closed pipe is an error of that write and does not end the process.
#ifndef IO_RUN_INTERRUPT_H
#define IO_RUN_INTERRUPT_H

#include <stdbool.h>

void interrupt_install(void);
bool interrupt_requested(void);

// Called by every command: turns writes beyond the file size limit into errors of these writes.
void interrupt_spare_writes(void);

#endif
