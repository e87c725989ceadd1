#include "parallel/clock.h"

#include <time.h>

#include "parallel/ranks.h"

double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool clock_past(double deadline) {
    return deadline > 0 && ranks_decide(clock_seconds() >= deadline);
}
