// Wall-clock time, for reports about a run. No result of a run may depend on it, except when the
// user sets solver.time_budget.
#ifndef PARALLEL_CLOCK_H
#define PARALLEL_CLOCK_H

#include <stdbool.h>

// Seconds since an arbitrary moment; never goes back.
double clock_seconds(void);

// Returns whether clock_seconds has reached a deadline; 0: there is none. All ranks call this
// together and get the answer of rank 0.
bool clock_past(double deadline);

#endif
