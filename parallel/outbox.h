// Items that one thread puts down and another takes away many at a time, such as rows of a table
// that are to be written beside the computation. To put one costs a copy: the taking thread is
// woken for the first item only, waits a while for more, and works on all that are there by then.
#ifndef PARALLEL_OUTBOX_H
#define PARALLEL_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "parallel/error.h"

struct outbox;

// Works on `count` items, in the order in which they were put down; there may be none. Where it
// runs out of memory it fails as one that returns false.
typedef bool (*outbox_work)(void *context, const void *items, size_t count,
                            struct gabion_error *error);

// Starts the thread, which takes no signals, takes items `delay` seconds after the first of them at
// the latest, and has room for `capacity` >= 2. Returns NULL where memory or the system's limit of
// threads does not allow it: the caller then does the work itself.
struct outbox *outbox_create(size_t item_size, size_t capacity, double delay, outbox_work work,
                             void *context);

// Copies an item; waits where there is no room. Returns false where the work on items before it has
// failed, with its error, which is given once; the item is taken nevertheless.
bool outbox_put(struct outbox *outbox, const void *item, struct gabion_error *error);

// Waits until all items are taken and worked on. Returns false where that has failed.
bool outbox_wait(struct outbox *outbox, struct gabion_error *error);

// Seconds that the thread has worked. Exact after outbox_wait.
double outbox_seconds(struct outbox *outbox);

// Waits until all items are worked on and ends the thread. NULL is allowed.
void outbox_destroy(struct outbox *outbox);

#endif
