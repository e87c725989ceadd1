// The thread team: the only part of Gabion that uses OpenMP.
//
// Loops are cut into chunks whose size does not depend on the number of threads, and sums do not
// depend on the order of their terms. Results therefore have the same bits for any number of
// threads.
//
// When memory runs out in a thread of the team, all its threads leave the region, those that wait
// at a barrier included, and the calling thread fails as memory.h describes. The team can be used
// again afterwards.
//
// Any thread of the program may use a team. Where two do so at once, their regions take turns, and
// each gets its own results: the work of a region must not use the team that runs it.
#ifndef PARALLEL_TEAM_H
#define PARALLEL_TEAM_H

#include <stddef.h>

#include "parallel/binned_sum.h"
#include "parallel/error.h"
#include "parallel/topology.h"

struct team;

// Starts a team of 1 to 1024 threads; 0 means one per allowed physical core. Returns NULL with an
// error for other numbers.
//
// Each thread is pinned to a core when the team has as many threads as there are allowed cores. A
// smaller team is not pinned, since two runs side by side would then use the same cores; neither is
// a larger one, nor any team when the user has set OMP_PROC_BIND or OMP_PLACES. `topology` may be
// NULL, which turns pinning off; otherwise it must outlive the team.
struct team *team_create(int threads, const struct topology *topology, struct gabion_error *error);
void team_destroy(struct team *team);
int team_size(const struct team *team);

// Sentences for the log about an unusual number or placement of threads, or "".
const char *team_note(const struct team *team);

// Calls f(context, thread, threads) in `threads` threads of the team, numbered from 0, and returns
// when all have returned. 0 means all threads of the team; 1 calls f in the calling thread.
typedef void (*team_function)(void *context, int thread, int threads);
void team_run(struct team *team, int threads, team_function f, void *context);

// Returns how many threads are worth using for `count` items when each should get at least `least`.
int team_worth(const struct team *team, size_t count, size_t least);

// Waits until all threads of the current team_run have called it. `thread` and `threads` are those
// that the caller was given.
void team_barrier(struct team *team, int thread, int threads);

// Returns in [*from, *to) a thread's contiguous part of [begin, end).
static inline void team_share(size_t begin, size_t end, int thread, int threads, size_t *from,
                              size_t *to) {
    size_t count = end - begin;
    *from = begin + count * (size_t)thread / (size_t)threads;
    *to = begin + count * (size_t)(thread + 1) / (size_t)threads;
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

// Takes `width` <= TEAM_WIDTH_MAX maxima over [0, count). f puts the maxima of one part into `out`,
// which holds zeros when it is called; where a maximum may be negative, f first sets it to
// -INFINITY. A maximum over NaN is NaN. Without any part the result is 0.
typedef void (*max_function)(void *context, size_t begin, size_t end, double *out);
void team_max(struct team *team, size_t count, int width, max_function f, void *context,
              double *total);

#endif
