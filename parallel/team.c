#include "parallel/team.h"

#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "parallel/memory.h"

// A typing error such as -j 10000 should be told, not tried.
#define TEAM_THREADS_MAX 1024

// How often a barrier looks before it gives its core away: some 10 us, longer than the barriers
// of an undisturbed sweep take and far shorter than a time slice.
#define BARRIER_SPINS 500

// One cache line per thread, so that waiting for one does not slow another down.
struct barrier_slot {
    alignas(CACHE_LINE) _Atomic uint32_t epoch;
};

struct team {
    int threads;
    unsigned serial;
    const struct topology *topology; // NULL: threads are not pinned
    int spins;
    struct barrier_slot *slots; // slot 0: barriers completed; slot k: the one thread k reached
    double *partials;           // of team_sum and team_max
    size_t partials_capacity;
    char note[512];
};

// Which team pinned this thread. OpenMP ends and restarts threads when regions of another size
// come between, and a new thread inherits the single core of the one that started it: it shows 0
// here and is pinned at its first region.
static _Thread_local unsigned pinned_by;
static _Atomic unsigned teams_created;

static bool thread_pin(const struct team *team, int thread) {
    if (team->topology == NULL || pinned_by == team->serial)
        return true;
    pinned_by = team->serial;
    return topology_pin(team->topology, thread);
}

__attribute__((format(printf, 2, 3))) static void note_add(struct team *team, const char *format,
                                                           ...) {
    size_t length = strlen(team->note);
    if (length > 0 && length + 1 < sizeof team->note)
        team->note[length++] = ' ';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(team->note + length, sizeof team->note - length, format, arguments);
    va_end(arguments);
}

// Decides about pinning and spinning, and says why where it is not the usual.
static void team_place(struct team *team, const struct topology *topology) {
    int cores = topology ? topology_default_threads(topology) : omp_get_num_procs();
    team->spins = team->threads > cores ? 0 : BARRIER_SPINS;
    if (topology == NULL)
        return;
    int allowed = topology_allowed_cores(topology);
    if (omp_get_proc_bind() != omp_proc_bind_false)
        note_add(team, "Threads stay where OMP_PROC_BIND or OMP_PLACES puts them.");
    else if (team->threads > allowed)
        note_add(team, "%d threads on %d allowed cores: threads are not pinned, expect less speed.",
                 team->threads, allowed);
    else if (team->threads == allowed)
        team->topology = topology;
    double quota = topology_cpu_quota(topology);
    if (quota > 0 && team->threads > quota)
        note_add(team, "The control group allows %.2f cores of processor time to %d threads.",
                 quota, team->threads);
    else if (quota > 0 && team->threads < allowed && team->threads == cores)
        note_add(team, "The control group's limit of %.2f cores sets the number of threads.",
                 quota);
}

// Starts and pins the threads; the runtime may give fewer than asked (OMP_THREAD_LIMIT).
static void team_start(struct team *team) {
    int started = 1, refused = 0;
#pragma omp parallel num_threads(team->threads) reduction(+ : refused)
    {
        if (omp_get_thread_num() == 0)
            started = omp_get_num_threads();
        refused += !thread_pin(team, omp_get_thread_num());
    }
    if (started < team->threads)
        note_add(team, "OpenMP started %d of %d threads (OMP_THREAD_LIMIT?).", started,
                 team->threads);
    team->threads = started;
    if (refused > 0)
        note_add(team, "The system refused to pin %d of %d threads.", refused, started);
}

struct team *team_create(int threads, const struct topology *topology, struct gabion_error *error) {
    if (threads < 0 || threads > TEAM_THREADS_MAX) {
        error_set(error, GABION_ERROR_INPUT,
                  "%d threads asked for: expected 1 to %d, or 0 for one per physical core", threads,
                  TEAM_THREADS_MAX);
        return NULL;
    }
    if (threads == 0)
        threads = topology ? topology_default_threads(topology) : omp_get_num_procs();
    struct team *team = memory_allocate(1, sizeof *team, "thread team");
    team->threads = threads;
    team->serial = atomic_fetch_add(&teams_created, 1) + 1;
    size_t slots = 0;
    team->slots =
        memory_reserve_aligned(NULL, &slots, (size_t)threads, sizeof *team->slots, "barrier");
    memset(team->slots, 0, slots * sizeof *team->slots);
    omp_set_dynamic(0); // OMP_DYNAMIC would change the team's size from region to region
    team_place(team, topology);
    team_start(team);
    return team;
}

void team_destroy(struct team *team) {
    if (team == NULL)
        return;
    // The caller's thread and OpenMP's pool live on: they get back what they had.
    if (team->topology != NULL) {
#pragma omp parallel num_threads(team->threads)
        {
            topology_unpin(team->topology);
            pinned_by = 0;
        }
    }
    memory_free(team->slots);
    memory_free(team->partials);
    memory_free(team);
}

int team_size(const struct team *team) { return team->threads; }

const char *team_note(const struct team *team) { return team->note; }

void team_run(struct team *team, int threads, team_function f, void *context) {
    if (threads <= 0 || threads > team->threads)
        threads = team->threads;
    if (threads == 1) {
        f(context, 0, 1);
        return;
    }
    // Always the whole team: a region with fewer threads would end the others.
#pragma omp parallel num_threads(team->threads)
    {
        int thread = omp_get_thread_num();
        // A region entered from another thread of the program may have been given fewer.
        int started = omp_get_num_threads();
        int working = threads < started ? threads : started;
        thread_pin(team, thread);
        if (thread < working)
            f(context, thread, working);
    }
}

static inline void core_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// On a machine with more runnable threads than cores the awaited thread may need this core.
static void epoch_wait(const struct barrier_slot *slot, uint32_t epoch, int spins) {
    while (atomic_load_explicit(&slot->epoch, memory_order_acquire) != epoch) {
        if (spins > 0) {
            spins--;
            core_relax();
        } else
            sched_yield();
    }
}

// Everyone reports in a line of its own, thread 0 collects and then opens for all. Numbers only
// grow, so nothing is reset; a thread reads the current number before it reports, and until it has
// reported nobody can change it, so threads that sat out earlier runs need no care either.
void team_barrier(struct team *team, int thread, int threads) {
    if (threads == 1)
        return;
    struct barrier_slot *slots = team->slots;
    uint32_t epoch = atomic_load_explicit(&slots[0].epoch, memory_order_relaxed) + 1;
    if (thread == 0)
        for (int k = 1; k < threads; k++)
            epoch_wait(&slots[k], epoch, team->spins);
    atomic_store_explicit(&slots[thread].epoch, epoch, memory_order_release);
    if (thread != 0)
        epoch_wait(&slots[0], epoch, team->spins);
}

// Chunks [begin, end) of thread t: contiguous, so that a thread meets the same memory every time.
static size_t share_begin(size_t chunks, int thread, int threads) {
    size_t n = (size_t)threads, t = (size_t)thread;
    return chunks / n * t + chunks % n * t / n;
}

struct loop {
    size_t count, chunk, chunks;
    range_function f;
    void *context;
};

static void loop_share(void *context, int thread, int threads) {
    const struct loop *loop = context;
    size_t last = share_begin(loop->chunks, thread + 1, threads);
    for (size_t c = share_begin(loop->chunks, thread, threads); c < last; c++) {
        size_t begin = c * loop->chunk;
        size_t left = loop->count - begin;
        loop->f(loop->context, begin, begin + (left < loop->chunk ? left : loop->chunk));
    }
}

int team_worth(const struct team *team, size_t count, size_t least) {
    size_t wanted = 1 + count / least;
    return wanted < (size_t)team->threads ? (int)wanted : team->threads;
}

// A loop of fewer chunks than threads wakes only as many.
static int threads_for(const struct team *team, size_t chunks) {
    return chunks < (size_t)team->threads ? (int)chunks : team->threads;
}

void team_for(struct team *team, size_t count, size_t chunk, range_function f, void *context) {
    if (count == 0)
        return;
    struct loop loop = {count, chunk, (count - 1) / chunk + 1, f, context};
    team_run(team, threads_for(team, loop.chunks), loop_share, &loop);
}

struct reduction {
    int width;
    sum_function f;
    void *context;
    double *partials; // width numbers per chunk
};

static void reduction_chunk(void *context, size_t begin, size_t end) {
    const struct reduction *reduction = context;
    // On the stack: neighbouring chunks of two threads share a cache line of the partials.
    double out[TEAM_WIDTH_MAX] = {0};
    reduction->f(reduction->context, begin, end, out);
    size_t width = (size_t)reduction->width;
    memcpy(reduction->partials + begin / TEAM_SUM_CHUNK * width, out, width * sizeof *out);
}

// Fills the team's partials and returns the number of chunks.
static size_t team_reduce(struct team *team, size_t count, int width, sum_function f,
                          void *context) {
    size_t chunks = count == 0 ? 0 : (count - 1) / TEAM_SUM_CHUNK + 1;
    team->partials = memory_reserve(team->partials, &team->partials_capacity,
                                    chunks * (size_t)width, sizeof *team->partials, "partial sums");
    struct reduction reduction = {width, f, context, team->partials};
    team_for(team, count, TEAM_SUM_CHUNK, reduction_chunk, &reduction);
    return chunks;
}

void team_sum(struct team *team, size_t count, int width, sum_function f, void *context,
              double *total) {
    size_t chunks = team_reduce(team, count, width, f, context);
    memset(total, 0, (size_t)width * sizeof *total);
    const double *partial = team->partials;
    for (size_t c = 0; c < chunks; c++)
        for (int i = 0; i < width; i++)
            total[i] += *partial++;
}

void team_max(struct team *team, size_t count, int width, sum_function f, void *context,
              double *total) {
    size_t chunks = team_reduce(team, count, width, f, context);
    for (int i = 0; i < width; i++)
        total[i] = chunks > 0 ? -INFINITY : 0;
    const double *partial = team->partials;
    for (size_t c = 0; c < chunks; c++)
        for (int i = 0; i < width; i++, partial++)
            // Not a number must come through: a residual that lost it would look converged.
            if (*partial > total[i] || isnan(*partial))
                total[i] = *partial;
}
