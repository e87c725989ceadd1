// Wall-clock time, for reports about a run. No result of a run may depend on it, except when the
// user sets solver.time_budget.
#ifndef PARALLEL_CLOCK_H
#define PARALLEL_CLOCK_H

// Seconds since an arbitrary moment; never goes back.
double clock_seconds(void);

#endif
