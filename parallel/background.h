// A thread that does one piece of work after the other beside the thread that hands them over, such
// as writing the files of a step while the next ones are computed.
//
// At most one piece is in flight: whoever hands over the next one waits for the one before. What a
// piece reads and changes belongs to it until background_wait or the next background_start has
// returned.
#ifndef PARALLEL_BACKGROUND_H
#define PARALLEL_BACKGROUND_H

#include <stdbool.h>

#include "parallel/error.h"

struct background;

// Starts the thread, which takes no signals. Returns NULL where memory or the system's limit of
// threads does not allow it: the caller then does the work itself.
struct background *background_create(void);

// Waits for the piece in flight and ends the thread. NULL is allowed.
void background_destroy(struct background *background);

// A piece of work. Where it runs out of memory it fails as one that returns false.
typedef bool (*background_work)(void *context, struct gabion_error *error);

// Waits for the piece in flight, and starts work(context). Where the piece before failed, returns
// false with its error and does not start the next one.
bool background_start(struct background *background, background_work work, void *context,
                      struct gabion_error *error);

// Waits for the piece in flight. Returns false with its error where it failed; an error is given
// once.
bool background_wait(struct background *background, struct gabion_error *error);

// Does the same where no piece is in flight any more, else returns true at once.
bool background_check(struct background *background, struct gabion_error *error);

// Seconds that the thread has worked. Exact while nothing is in flight.
double background_seconds(struct background *background);

#endif
