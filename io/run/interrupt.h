// Signals. The first SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM or SIGPWR asks the
// run to stop; a second one ends the process at once, unless it is a SIGHUP or SIGXCPU. Those that
// were ignored when the program started stay ignored, except SIGINT and SIGTERM. SIGQUIT is left to
// the system: who sends it wants a core dump of the program as it is. Writing to a closed pipe is
// an error of that write and does not end the process.
#ifndef IO_RUN_INTERRUPT_H
#define IO_RUN_INTERRUPT_H

#include <stdbool.h>

void interrupt_install(void);
bool interrupt_requested(void);

// Returns whether a step in progress should be abandoned: a signal asked to stop more than a second
// ago. Shorter steps end by themselves, with all that they have to show. For
// gabion_set_stop_function.
bool interrupt_presses(void *unused);

// Has SIGXCPU sent some seconds before a limit on CPU time at which the system would kill the
// process without it, as `ulimit -t` sets one; leaves room for a run on so many threads to stop.
void interrupt_before_cpu_limit(int threads);

// Called by every command: turns writes beyond the file size limit into errors of these writes.
void interrupt_spare_writes(void);

#endif
