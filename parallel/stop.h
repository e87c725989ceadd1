// Asking work to stop. Whoever starts work that may take long makes a stop current in its thread;
// the work asks stop_requested() at short intervals, in loops whose turns may take milliseconds,
// and where it says yes returns early with whatever it has. Its result is then worthless: whoever
// made the stop current looks at stop->seen and discards it.
//
// The stop belongs to the thread, so that no function between the two has to hand it on. Threads of
// a team other than the one that called team_run have none.
#ifndef PARALLEL_STOP_H
#define PARALLEL_STOP_H

#include <stdbool.h>

struct stop {
    bool (*asked)(void *user); // NULL: never
    void *user;
    bool seen; // stop_requested has said yes, and says so from then on
};

// Makes a stop current in this thread and returns the one before it. NULL: nothing stops the work.
struct stop *stop_use(struct stop *stop);

// Where the program has several ranks, this says no until stop_agreed has said yes: one rank that
// stops alone would leave the others waiting.
bool stop_requested(void);

// The same, called by all ranks together: says yes on all of them where any rank asks to stop.
bool stop_agreed(void);

// Returns whether stop_requested has said yes to any work since the present stop was made current.
bool stop_seen(void);

#endif
