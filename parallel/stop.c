#include "parallel/stop.h"

#include <stddef.h>

static _Thread_local struct stop *current;

struct stop *stop_use(struct stop *stop) {
    struct stop *before = current;
    current = stop;
    return before;
}

bool stop_requested(void) {
    struct stop *stop = current;
    if (stop == NULL || stop->asked == NULL)
        return false;
    stop->seen = stop->seen || stop->asked(stop->user);
    return stop->seen;
}

bool stop_seen(void) { return current != NULL && current->seen; }
