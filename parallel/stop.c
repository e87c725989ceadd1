#include "parallel/stop.h"

#include <stddef.h>

#include "parallel/ranks.h"

static _Thread_local struct stop *current;

struct stop *stop_use(struct stop *stop) {
    struct stop *before = current;
    current = stop;
    return before;
}

bool stop_requested(void) { return ranks_count() == 1 ? stop_agreed() : stop_seen(); }

bool stop_agreed(void) {
    struct stop *stop = current;
    if (stop == NULL || stop->asked == NULL)
        return false;
    stop->seen = stop->seen || ranks_any(stop->asked(stop->user));
    return stop->seen;
}

bool stop_seen(void) { return current != NULL && current->seen; }
