// A stopwatch for one thread.
#ifndef TESTS_BENCH_WATCH_H
#define TESTS_BENCH_WATCH_H

#include <math.h>
#include <time.h>

// Seconds of processor time, or on the clock where that is less: reading it costs microseconds that
// small problems do not take.
struct watch {
    double processor, wall;
};

static inline double watch_seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Reads the thread's clock: that of the process advances in ticks of 4 ms once a timer runs on it.
static inline struct watch watch_start(void) {
    double processor = watch_seconds(CLOCK_THREAD_CPUTIME_ID);
    return (struct watch){processor, watch_seconds(CLOCK_MONOTONIC)};
}

static inline double watch_stop(const struct watch *start) {
    double wall = watch_seconds(CLOCK_MONOTONIC) - start->wall;
    return fmin(wall, watch_seconds(CLOCK_THREAD_CPUTIME_ID) - start->processor);
}

#endif
