// Signals: the first SIGINT or SIGTERM asks the run to stop after its step, a second one leaves at
// once, and a closed pipe is reported by the write, not by death.
#ifndef IO_RUN_INTERRUPT_H
#define IO_RUN_INTERRUPT_H

#include <stdbool.h>

void interrupt_install(void);
bool interrupt_requested(void);

// Of every command: so is a file that grows beyond the limit.
void interrupt_spare_writes(void);

#endif
