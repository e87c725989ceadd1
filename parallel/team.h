// The thread team. OpenMP lives behind this header and nowhere else.
//
// Every loop is cut into chunks of a fixed size that does not depend on the number of threads, and
// sums are formed chunk by chunk in index order: the same bits come out for 1 or N threads.
#ifndef PARALLEL_TEAM_H
#define PARALLEL_TEAM_H

#include <stddef.h>

#include "parallel/error.h"
#include "parallel/topology.h"

struct team;

// threads = 0: one per allowed physical core. Threads are pinned when the team fills the allowed
// cores, unless the user set OMP_PROC_BIND/OMP_PLACES. A smaller team is not pinned, for two runs
// side by side would sit on the same cores; nor a larger one (a warning is kept in team_note).
// topology may be NULL: no pinning (tests); else it must outlive the team.
struct team *team_create(int threads, const struct topology *topology, struct gabion_error *error);
void team_destroy(struct team *team);
int team_size(const struct team *team);
const char *team_note(const struct team *team); // "" or a sentence for the log

// One parallel region: f(context, thread, threads) on each of the team's threads. `threads` asks
// for fewer than the team has (1 runs in place, without a region); 0 means all.
// team_worth: how many threads pay for `count` items when each thread wants at least `least`.
int team_worth(const struct team *team, size_t count, size_t least);
typedef void (*team_function)(void *context, int thread, int threads);
void team_run(struct team *team, int threads, team_function f, void *context);

// Only inside team_run: every one of its threads calls this with the two numbers it was given.
void team_barrier(struct team *team, int thread, int threads);

// A thread's part of [begin, end), contiguous.
static inline void team_share(size_t begin, size_t end, int thread, int threads, size_t *from,
                              size_t *to) {
    size_t count = end - begin;
    *from = begin + count * (size_t)thread / (size_t)threads;
    *to = begin + count * (size_t)(thread + 1) / (size_t)threads;
}

// f on [begin, end) ranges, one chunk each: begin is a multiple of `chunk`.
typedef void (*range_function)(void *context, size_t begin, size_t end);
void team_for(struct team *team, size_t count, size_t chunk, range_function f, void *context);

// Sums (or takes the maximum of) `width` <= TEAM_WIDTH_MAX numbers over [0, count). f adds to
// `out`, which starts at zero for every chunk; chunks are combined in index order. A maximum that
// may be negative starts from -INFINITY, set by f.
#define TEAM_WIDTH_MAX 16
typedef void (*sum_function)(void *context, size_t begin, size_t end, double *out);
void team_sum(struct team *team, size_t count, int width, sum_function f, void *context,
              double *total);
void team_max(struct team *team, size_t count, int width, sum_function f, void *context,
              double *total);
#define TEAM_SUM_CHUNK 1024

#endif
