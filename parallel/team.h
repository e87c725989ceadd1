// The thread team.
//
// Loops are cut into chunks whose size does not depend on the number of threads, and sums do not
// depend on the order of their terms. Results therefore have the same bits for any number of
// threads.
//
// A loop is over when its chunks are done. Threads claim them, so that one that has lost its core
// to another program holds up at most the chunk that it is at, while the others do the rest.
// Whoever waits looks for some microseconds and then sleeps. Threads are not pinned: the system may
// move one to a core that is free.
//
// When memory runs out in a thread of the team, what is left of the loop is left out, and the
// calling thread fails as memory.h describes. The team can be used again afterwards.
//
// Any thread of the program may use a team. Where two do so at once, their loops take turns, and
// each gets its own results: the work of a loop must not use the team that runs it. Where a
// function takes a team, NULL is the calling thread alone.
#ifndef PARALLEL_TEAM_H
#define PARALLEL_TEAM_H

#include <stddef.h>

#include "parallel/binned_sum.h"
#include "parallel/error.h"
#include "parallel/topology.h"

struct team;

// Starts a team of 1 to 1024 threads, the calling one included; 0 means one per allowed physical
// core. Returns NULL with an error for other numbers. `topology` tells the number of cores and may
// be NULL. The team belongs to no memory account: its threads use it until it is destroyed.
struct team *team_create(int threads, const struct topology *topology, struct gabion_error *error);
void team_destroy(struct team *team);
int team_size(const struct team *team);

// Sentences for the log about an unusual number of threads, or "".
const char *team_note(const struct team *team);

// Calls f(context, part, parts) for all parts from 0 on and returns when all have returned. There
// are as many as asked for, and at most as many as threads; 0 means as many as threads. A thread
// may run several parts one after the other: they must not wait for each other.
typedef void (*team_function)(void *context, int part, int parts);
void team_run(struct team *team, int parts, team_function f, void *context);

// Returns how many threads are worth using for `count` items when each should get at least `least`.
int team_worth(const struct team *team, size_t count, size_t least);

// Returns in [*from, *to) a contiguous part of [begin, end).
static inline void team_share(size_t begin, size_t end, int part, int parts, size_t *from,
                              size_t *to) {
    size_t count = end - begin;
    *from = begin + count * (size_t)part / (size_t)parts;
    *to = begin + count * (size_t)(part + 1) / (size_t)parts;
}

// Calls f(context, begin, end) for all chunks of [0, count), in parallel. `begin` is a multiple of
// `chunk`; only the last chunk may be shorter.
typedef void (*range_function)(void *context, size_t begin, size_t end);
void team_for(struct team *team, size_t count, size_t chunk, range_function f, void *context);

// Sums `width` <= TEAM_WIDTH_MAX numbers over [0, count). f adds the terms of a part to `out`. The
// totals have the same bits however the range is shared out (binned_sum.h).
#define TEAM_WIDTH_MAX 16
typedef void (*sum_function)(void *context, size_t begin, size_t end, struct binned_sum *out);
void team_sum(struct team *team, size_t count, int width, sum_function f, void *context,
              double *total);

// Does the same, but adds the terms to sums that may have others.
void team_collect(struct team *team, size_t count, int width, sum_function f, void *context,
                  struct binned_sum *sum);

// Takes `width` <= TEAM_WIDTH_MAX maxima over [0, count). f puts the maxima of one part into `out`,
// which holds zeros when it is called; where a maximum may be negative, f first sets it to
// -INFINITY. A maximum over NaN is NaN. Without any part the result is 0.
typedef void (*max_function)(void *context, size_t begin, size_t end, double *out);
void team_max(struct team *team, size_t count, int width, max_function f, void *context,
              double *total);

#endif
