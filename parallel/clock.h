// Wall-clock time, for what is told about a run. Nothing that a run computes may depend on it, but
// for the opt-in solver.time_budget.
#ifndef PARALLEL_CLOCK_H
#define PARALLEL_CLOCK_H

double clock_seconds(void); // monotonic

#endif
