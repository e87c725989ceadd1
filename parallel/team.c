#include "parallel/team.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "parallel/memory.h"

// Catches typing errors such as -j 10000.
#define TEAM_THREADS_MAX 1024

// How often a waiting thread looks before it lets another thread have its core: some 10 us in all,
// longer than an undisturbed sweep waits at a barrier and far shorter than a time slice.
#define BARRIER_SPINS 500

// One cache line per thread, so that a thread that watches one slot does not slow down the writers
// of the others.
struct barrier_slot {
    alignas(CACHE_LINE) _Atomic uint32_t epoch;
};

// Whether memory ran out in a thread of the current region.
enum team_state {
    TEAM_SOUND,
    TEAM_FAILING, // one thread is writing team->failure
    TEAM_FAILED,  // team->failure may be read
};

struct team {
    int threads;
    unsigned serial;
    const struct topology *topology; // NULL: threads are not pinned
    int spins;                       // how often a waiting thread looks before it yields its core
    // Held during a region: threads of the program that share a team take turns. The barrier and
    // the failure below belong to the region in progress.
    pthread_mutex_t lock;
    _Atomic int state;           // enum team_state
    struct gabion_error failure; // of the first thread that failed
    char note[512];
    struct barrier_slot
        slots[]; // slot 0: barriers completed; slot k: barriers thread k has reached
};

// The serial of the team that pinned this thread, or 0. OpenMP ends and restarts threads when
// regions of different sizes alternate, and a new thread inherits the single core of the one that
// started it. It has 0 here and is therefore pinned again in its first region.
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

// Decides whether threads are pinned and how long they spin; notes the reason of an unusual choice.
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

// Starts and pins the threads. The runtime may start fewer than requested (OMP_THREAD_LIMIT).
static void team_start(struct team *team) {
    int started = 1, rejected = 0;
#pragma omp parallel num_threads(team->threads) reduction(+ : rejected)
    {
        if (omp_get_thread_num() == 0)
            started = omp_get_num_threads();
        rejected += !thread_pin(team, omp_get_thread_num());
    }
    if (started < team->threads)
        note_add(team, "OpenMP started %d of %d threads (OMP_THREAD_LIMIT?).", started,
                 team->threads);
    team->threads = started;
    if (rejected > 0)
        note_add(team, "The system did not pin %d of %d threads.", rejected, started);
}

static struct team *team_allocate(int threads) {
    size_t capacity = 0,
           bytes = sizeof(struct team) + (size_t)threads * sizeof(struct barrier_slot);
    return memset(memory_reserve_aligned(NULL, &capacity, bytes, 1, "thread team"), 0, bytes);
}

struct team *team_create(int threads, const struct topology *topology, struct gabion_error *error) {
    if (threads < 0 || threads > TEAM_THREADS_MAX) {
        error_set(error, GABION_ERROR_INPUT,
                  "%d threads requested: expected 1 to %d, or 0 for one per physical core", threads,
                  TEAM_THREADS_MAX);
        return NULL;
    }
    if (threads == 0)
        threads = topology ? topology_default_threads(topology) : omp_get_num_procs();
    struct team *team = team_allocate(threads);
    team->threads = threads;
    team->serial = atomic_fetch_add(&teams_created, 1) + 1;
    pthread_mutex_init(&team->lock, NULL);
    omp_set_dynamic(0); // OMP_DYNAMIC would change the team's size from region to region
    team_place(team, topology);
    team_start(team);
    return team;
}

void team_destroy(struct team *team) {
    if (team == NULL)
        return;
    // The calling thread and OpenMP's threads live on: they get back the cores they had.
    if (team->topology != NULL) {
#pragma omp parallel num_threads(team->threads)
        {
            topology_unpin(team->topology);
            pinned_by = 0;
        }
    }
    pthread_mutex_destroy(&team->lock);
    memory_free(team);
}

int team_size(const struct team *team) { return team->threads; }

const char *team_note(const struct team *team) { return team->note; }

// One thread's part of a region.
struct thread_part {
    team_function f;
    void *context;
    int thread, threads;
};

static void part_run(void *context) {
    const struct thread_part *part = context;
    part->f(part->context, part->thread, part->threads);
}

// Keeps the first failure; the others mean the same.
static void team_fail(struct team *team, const struct gabion_error *error) {
    int sound = TEAM_SOUND;
    if (!atomic_compare_exchange_strong(&team->state, &sound, TEAM_FAILING))
        return;
    team->failure = *error;
    atomic_store_explicit(&team->state, TEAM_FAILED, memory_order_release);
}

// No failure may leave an OpenMP region, so each thread catches its own.
static void part_try(struct team *team, struct memory_account *account, struct thread_part part) {
    struct gabion_error error;
    error.status = GABION_OK; // the text is not cleared: this runs in every region
    if (!memory_try(account, part_run, &part, &error))
        team_fail(team, &error);
}

// Takes the failure out of the team and makes it usable again: threads may have left in the middle
// of a barrier.
static void team_recover(struct team *team, struct gabion_error *failure) {
    *failure = team->failure;
    for (int k = 0; k < team->threads; k++)
        atomic_store_explicit(&team->slots[k].epoch, 0, memory_order_relaxed);
    atomic_store(&team->state, TEAM_SOUND);
}

void team_run(struct team *team, int threads, team_function f, void *context) {
    if (threads <= 0 || threads > team->threads)
        threads = team->threads;
    if (threads == 1) {
        f(context, 0, 1);
        return;
    }
    struct memory_account *account = memory_account_current();
    pthread_mutex_lock(&team->lock);
    // Always the whole team: OpenMP would end the threads that a smaller region leaves out.
#pragma omp parallel num_threads(team->threads)
    {
        int thread = omp_get_thread_num();
        // OpenMP may start fewer when another thread of the program has a region of its own.
        int started = omp_get_num_threads();
        int working = threads < started ? threads : started;
        thread_pin(team, thread);
        if (thread < working)
            part_try(team, account, (struct thread_part){f, context, thread, working});
    }
    struct gabion_error failure;
    bool failed = atomic_load_explicit(&team->state, memory_order_relaxed) != TEAM_SOUND;
    if (failed)
        team_recover(team, &failure);
    pthread_mutex_unlock(&team->lock);
    if (failed)
        memory_raise(&failure);
}

static inline void core_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Waits until a slot shows the epoch. A thread that failed never reports again, so a waiting thread
// leaves its work, too, once the team has failed. Yields its core after a while: where more threads
// can run than there are cores, the awaited thread may need it.
static void epoch_wait(const struct team *team, int slot, uint32_t epoch) {
    int spins = team->spins;
    while (atomic_load_explicit(&team->slots[slot].epoch, memory_order_acquire) != epoch) {
        if (atomic_load_explicit(&team->state, memory_order_acquire) == TEAM_FAILED)
            memory_raise(&team->failure);
        if (spins > 0) {
            spins--;
            core_relax();
        } else
            sched_yield();
    }
}

// Each thread reports in its own slot; thread 0 waits for all reports and then opens the barrier in
// slot 0. Epochs only grow, so nothing is reset between barriers. A thread reads the current epoch
// before it reports, and nobody can change it until then. For that reason threads that took no part
// in earlier runs need no special treatment.
void team_barrier(struct team *team, int thread, int threads) {
    if (threads == 1)
        return;
    uint32_t epoch = atomic_load_explicit(&team->slots[0].epoch, memory_order_relaxed) + 1;
    if (thread == 0)
        for (int k = 1; k < threads; k++)
            epoch_wait(team, k, epoch);
    atomic_store_explicit(&team->slots[thread].epoch, epoch, memory_order_release);
    if (thread != 0)
        epoch_wait(team, 0, epoch);
}

// The first chunk of a thread. Each has contiguous chunks, so that it meets the same memory in
// every loop over the same array.
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

// A loop with fewer chunks than threads uses only as many threads.
static int threads_for(const struct team *team, size_t chunks) {
    return chunks < (size_t)team->threads ? (int)chunks : team->threads;
}

void team_for(struct team *team, size_t count, size_t chunk, range_function f, void *context) {
    if (count == 0)
        return;
    struct loop loop = {count, chunk, (count - 1) / chunk + 1, f, context};
    team_run(team, threads_for(team, loop.chunks), loop_share, &loop);
}

// Every thread sums, or takes maxima, over one contiguous part of the range.
struct reduction {
    size_t count;
    int width;
    void *context;
    sum_function add; // or
    max_function most;
    struct binned_sum *sums; // `width` of them for each thread
    double *maxima;
};

// A thread works on its stack: in the results neighbours share a cache line.
static void sum_share(void *context, int thread, int threads) {
    const struct reduction *reduction = context;
    struct binned_sum out[TEAM_WIDTH_MAX] = {0};
    size_t width = (size_t)reduction->width, from, to;
    team_share(0, reduction->count, thread, threads, &from, &to);
    reduction->add(reduction->context, from, to, out);
    memcpy(reduction->sums + (size_t)thread * width, out, width * sizeof *out);
}

static void max_share(void *context, int thread, int threads) {
    const struct reduction *reduction = context;
    double out[TEAM_WIDTH_MAX] = {0};
    size_t width = (size_t)reduction->width, from, to;
    team_share(0, reduction->count, thread, threads, &from, &to);
    reduction->most(reduction->context, from, to, out);
    memcpy(reduction->maxima + (size_t)thread * width, out, width * sizeof *out);
}

// Fewer indices per thread are not worth waking it.
#define REDUCTION_LEAST 1024

static int reduction_threads(const struct team *team, size_t count) {
    return threads_for(team, (count + REDUCTION_LEAST - 1) / REDUCTION_LEAST);
}

void team_sum(struct team *team, size_t count, int width, sum_function f, void *context,
              double *total) {
    struct binned_sum sum[TEAM_WIDTH_MAX] = {0};
    int threads = reduction_threads(team, count);
    struct reduction reduction = {count, width, context, .add = f};
    if (threads > 0) {
        size_t size = (size_t)(threads * width);
        reduction.sums = memory_allocate(size, sizeof *reduction.sums, "partial sums");
        team_run(team, threads, sum_share, &reduction);
    }
    for (int k = 0; k < threads * width; k++)
        binned_merge(&sum[k % width], &reduction.sums[k]);
    for (int i = 0; i < width; i++)
        total[i] = binned_value(&sum[i]);
    memory_free(reduction.sums);
}

void team_max(struct team *team, size_t count, int width, max_function f, void *context,
              double *total) {
    int threads = reduction_threads(team, count);
    struct reduction reduction = {count, width, context, .most = f};
    if (threads > 0) {
        size_t size = (size_t)(threads * width);
        reduction.maxima = memory_allocate(size, sizeof *reduction.maxima, "partial maxima");
        for (size_t k = 0; k < size; k++)
            reduction.maxima[k] = -INFINITY;
        team_run(team, threads, max_share, &reduction);
    }
    for (int i = 0; i < width; i++)
        total[i] = threads > 0 ? -INFINITY : 0;
    for (int k = 0; k < threads * width; k++) {
        double value = reduction.maxima[k], *most = &total[k % width];
        // Keeps NaN: without it a residual that is no number would look converged.
        if (value > *most || isnan(value))
            *most = value;
    }
    memory_free(reduction.maxima);
}
