#define _GNU_SOURCE // sched_getcpu
#include "parallel/team.h"

#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "parallel/memory.h"

// Catches typing errors such as -j 10000.
#define TEAM_THREADS_MAX 1024

// How often a waiting thread looks before it sleeps: some 15 us, about as long as it takes to wake
// it and far shorter than a time slice.
#define SPINS 1000

// How long a thread stays away that shares its core with the caller: about a time slice.
#define DOZE_NANOSECONDS 2000000

// A share's cursor holds the number of a stage in its upper half and the share's next chunk in the
// lower half: the exchange that claims a chunk fails when the stage is over.
#define CURSOR(stage, chunk) ((uint64_t)(stage) << 32 | (uint32_t)(chunk))
#define NO_CHUNK             UINT32_MAX

// Set in team->left while the caller sleeps.
#define CALLER_SLEEPS 0x80000000u

// The chunks of a stage are dealt to the threads in contiguous shares, so that each thread meets
// the same memory in every stage over the same array. A thread whose share is empty takes from
// others.
struct share {
    alignas(CACHE_LINE) _Atomic uint64_t cursor;
    _Atomic uint32_t end;
    _Atomic uint32_t sleeps; // its thread does, or is about to
    struct team *team;
    pthread_t id;
};

// A loop over chunks that the threads share. It is over when its chunks are done; a thread that
// comes later finds nothing to do and waits for the next one.
struct stage {
    range_function f;
    void *context;
    size_t count, chunk;
    struct memory_account *account;
};

// Whether memory ran out in a thread of the current stage.
enum team_state {
    TEAM_SOUND,
    TEAM_FAILING, // one thread is writing team->failure
    TEAM_FAILED,  // team->failure may be read
};

struct team {
    int threads;
    int spins;         // how often a waiting thread looks before it sleeps
    uint32_t number;   // of the stage
    _Atomic bool over; // the threads end
    // Held during a stage: threads of the program that share a team take turns.
    pthread_mutex_t lock;
    struct stage stage;
    char note[512];
    alignas(CACHE_LINE) _Atomic uint32_t left; // chunks that are not done
    _Atomic int core;                          // that the caller opened the stage on
    alignas(CACHE_LINE) _Atomic int state;     // enum team_state
    struct gabion_error failure;               // of the first thread that failed
    struct share share[];                      // of the calling thread first
};

// Waiting -------------------------------------------------------------------------------------

static inline void core_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Sleeps until it is woken, unless *word has another value already. May return for no reason.
static void word_sleep(_Atomic uint32_t *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void word_wake(_Atomic uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

// Chunks --------------------------------------------------------------------------------------

// Claims a chunk of a share for a stage; NO_CHUNK: the share has none left, or the stage is over.
static uint32_t share_claim(struct share *share, uint32_t number) {
    uint64_t cursor = atomic_load_explicit(&share->cursor, memory_order_acquire);
    for (;;) {
        // A new stage changes the cursor first: with its end the exchange would fail.
        uint32_t chunk = (uint32_t)cursor;
        if (cursor >> 32 != number ||
            chunk >= atomic_load_explicit(&share->end, memory_order_acquire))
            return NO_CHUNK;
        if (atomic_compare_exchange_weak_explicit(&share->cursor, &cursor, cursor + 1,
                                                  memory_order_acq_rel, memory_order_acquire))
            return chunk;
    }
}

// One thread's part in a stage.
struct help {
    struct team *team;
    uint32_t number;    // of the stage
    int thread, passed; // shares in which nothing is left, from the thread's own on
    uint32_t chunk, claimed;
};

static bool help_claim(struct help *help) {
    struct team *team = help->team;
    for (; help->passed < team->threads; help->passed++) {
        int k = (help->thread + help->passed) % team->threads;
        help->chunk = share_claim(&team->share[k], help->number);
        if (help->chunk != NO_CHUNK) {
            help->claimed++;
            return true;
        }
    }
    return false;
}

static void chunk_run(const struct stage *stage, size_t chunk) {
    size_t begin = chunk * stage->chunk, left = stage->count - begin;
    stage->f(stage->context, begin, begin + (left < stage->chunk ? left : stage->chunk));
}

// Runs the chunk that has been claimed and takes others until none is left. After a failure they
// are taken and left undone.
static void help_run(void *context) {
    struct help *help = context;
    struct team *team = help->team;
    do
        if (atomic_load_explicit(&team->state, memory_order_relaxed) == TEAM_SOUND)
            chunk_run(&team->stage, help->chunk);
    while (help_claim(help));
}

// Keeps the first failure; the others mean the same.
static void team_fail(struct team *team, const struct gabion_error *error) {
    int sound = TEAM_SOUND;
    if (!atomic_compare_exchange_strong(&team->state, &sound, TEAM_FAILING))
        return;
    team->failure = *error;
    atomic_store_explicit(&team->state, TEAM_FAILED, memory_order_release);
}

// Takes part in a stage, if there is still something to do. The stage may be read from the first
// claim on, since it cannot end before the claimed chunks are reported. No failure may leave a
// thread, so each catches its own.
static void stage_help(struct team *team, uint32_t number, int thread) {
    struct help help = {.team = team, .number = number, .thread = thread};
    struct gabion_error error;
    error.status = GABION_OK; // the text is not cleared: this runs in every stage
    if (!help_claim(&help))
        return;
    if (!memory_try(team->stage.account, help_run, &help, &error)) {
        team_fail(team, &error);
        if (help_claim(&help))
            help_run(&help);
    }
    uint32_t left =
        atomic_fetch_sub_explicit(&team->left, help.claimed, memory_order_acq_rel) - help.claimed;
    if (left == CALLER_SLEEPS)
        word_wake(&team->left);
}

// Threads -------------------------------------------------------------------------------------

// Stays away from stages for a while where the caller would have to give up its core for each: two
// threads on one core take longer than one, because each stage wakes the other and waits for it.
// The system may move this thread to a free core when it wakes by itself.
static void doze(void) { nanosleep(&(struct timespec){.tv_nsec = DOZE_NANOSECONDS}, NULL); }

static bool is_on_core_of_caller(struct team *team) {
    int core = sched_getcpu(); // -1: the system does not tell
    return core >= 0 && core == atomic_load_explicit(&team->core, memory_order_relaxed);
}

// Waits for a stage other than the last one that this thread took part in. Returns its number.
static uint32_t stage_wait(struct share *share, uint32_t last) {
    int spins = share->team->spins;
    bool dozed = false;
    for (;;) {
        uint32_t number = (uint32_t)(atomic_load(&share->cursor) >> 32);
        if (number != last)
            return number;
        if (spins-- > 0) {
            core_relax();
            continue;
        }
        if (!dozed && is_on_core_of_caller(share->team)) {
            doze();
            dozed = true;
            continue;
        }
        atomic_store(&share->sleeps, 1);
        if ((uint32_t)(atomic_load(&share->cursor) >> 32) == last)
            word_sleep(&share->sleeps, 1);
        atomic_store(&share->sleeps, 0);
    }
}

static void *thread_main(void *context) {
    struct share *share = context;
    struct team *team = share->team;
    int thread = (int)(share - team->share);
    uint32_t number = 0;
    for (;;) {
        number = stage_wait(share, number);
        if (atomic_load(&team->over))
            return NULL;
        stage_help(team, number, thread);
    }
}

// Gives a thread its share of a new stage. While the end changes, the cursor admits no claim: a
// thread that is still busy with an older stage would mix up the two.
static void share_open(struct share *share, uint32_t number, uint32_t begin, uint32_t end) {
    uint64_t closed = atomic_load_explicit(&share->cursor, memory_order_relaxed) | NO_CHUNK;
    atomic_store_explicit(&share->cursor, closed, memory_order_relaxed);
    atomic_store_explicit(&share->end, end, memory_order_release);
    atomic_store(&share->cursor, CURSOR(number, begin));
    if (atomic_load(&share->sleeps)) {
        atomic_store(&share->sleeps, 0);
        word_wake(&share->sleeps);
    }
}

// Teams ---------------------------------------------------------------------------------------

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

static int default_threads(const struct topology *topology) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (topology)
        return topology_default_threads(topology);
    return processors > 1 ? (int)processors : 1;
}

// Decides how long threads spin; notes an unusual number of threads.
static void team_place(struct team *team, const struct topology *topology) {
    int cores = default_threads(topology);
    team->spins = team->threads > cores ? 0 : SPINS;
    if (topology == NULL)
        return;
    int allowed = topology_allowed_cores(topology);
    if (team->threads > allowed)
        note_add(team, "%d threads on %d allowed cores: expect less speed.", team->threads,
                 allowed);
    double quota = topology_cpu_quota(topology);
    if (quota > 0 && team->threads > quota)
        note_add(team, "The control group allows %.2f cores of processor time to %d threads.",
                 quota, team->threads);
    else if (quota > 0 && team->threads < allowed && team->threads == cores)
        note_add(team, "The control group's limit of %.2f cores sets the number of threads.",
                 quota);
}

// Starts the threads beside the calling one. Signals are left to the threads of the program.
static void team_start(struct team *team) {
    int wanted = team->threads, started = 1;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; started < wanted; started++) {
        struct share *share = &team->share[started];
        share->team = team;
        if (pthread_create(&share->id, NULL, thread_main, share) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    team->threads = started;
    if (started < wanted)
        note_add(team, "The system started %d of %d threads.", started, wanted);
}

// In no account: threads use the team until it is destroyed.
static struct team *team_allocate(int threads) {
    size_t capacity = 0, bytes = sizeof(struct team) + (size_t)threads * sizeof(struct share);
    struct memory_account *account = memory_account_use(NULL);
    struct team *team = memory_reserve_aligned(NULL, &capacity, bytes, 1, "thread team");
    memory_account_use(account);
    return memset(team, 0, bytes);
}

struct team *team_create(int threads, const struct topology *topology, struct gabion_error *error) {
    if (threads < 0 || threads > TEAM_THREADS_MAX) {
        error_set(error, GABION_ERROR_INPUT,
                  "%d threads requested: expected 1 to %d, or 0 for one per physical core", threads,
                  TEAM_THREADS_MAX);
        return NULL;
    }
    if (threads == 0)
        threads = default_threads(topology);
    struct team *team = team_allocate(threads);
    team->threads = threads;
    pthread_mutex_init(&team->lock, NULL);
    team_place(team, topology);
    team_start(team);
    return team;
}

void team_destroy(struct team *team) {
    if (team == NULL)
        return;
    atomic_store(&team->over, true);
    team->number++;
    for (int k = 1; k < team->threads; k++)
        share_open(&team->share[k], team->number, 0, 0);
    for (int k = 1; k < team->threads; k++)
        pthread_join(team->share[k].id, NULL);
    pthread_mutex_destroy(&team->lock);
    memory_free(team);
}

int team_size(const struct team *team) { return team ? team->threads : 1; }

const char *team_note(const struct team *team) { return team->note; }

// Stages --------------------------------------------------------------------------------------

// Deals the chunks to the first threads.
static void shares_open(struct team *team, int threads, uint32_t chunks) {
    uint64_t n = (uint64_t)threads;
    team->number++;
    atomic_store_explicit(&team->left, chunks, memory_order_relaxed);
    atomic_store_explicit(&team->core, sched_getcpu(), memory_order_relaxed);
    for (uint64_t k = 0; k < n; k++) // the caller's first: others may look there at once
        share_open(&team->share[k], team->number, (uint32_t)(chunks * k / n),
                   (uint32_t)(chunks * (k + 1) / n));
}

// Waits for the chunks that other threads have claimed. The flag alone means that none are left: it
// must not be slept on, because the thread that left it has already called.
static void stage_wait_end(struct team *team) {
    int spins = team->spins;
    uint32_t left;
    while (((left = atomic_load_explicit(&team->left, memory_order_acquire)) & ~CALLER_SLEEPS) !=
           0) {
        if (spins > 0) {
            spins--;
            core_relax();
        } else if (atomic_compare_exchange_strong(&team->left, &left, left | CALLER_SLEEPS)) {
            word_sleep(&team->left, left | CALLER_SLEEPS);
        }
    }
}

// Takes the failure out of the team and makes it usable again.
static bool team_recover(struct team *team, struct gabion_error *failure) {
    if (atomic_load_explicit(&team->state, memory_order_relaxed) == TEAM_SOUND)
        return false;
    *failure = team->failure;
    atomic_store(&team->state, TEAM_SOUND);
    return true;
}

static void stage_run(struct team *team, struct stage stage) {
    size_t chunks = stage.count == 0 ? 0 : (stage.count - 1) / stage.chunk + 1;
    int threads = chunks < (size_t)team_size(team) ? (int)chunks : team_size(team);
    if (threads <= 1) {
        for (size_t k = 0; k < chunks; k++)
            chunk_run(&stage, k);
        return;
    }
    stage.account = memory_account_current();
    pthread_mutex_lock(&team->lock);
    team->stage = stage;
    shares_open(team, threads, (uint32_t)chunks);
    stage_help(team, team->number, 0);
    stage_wait_end(team);
    struct gabion_error failure;
    bool failed = team_recover(team, &failure);
    pthread_mutex_unlock(&team->lock);
    if (failed)
        memory_raise(&failure);
}

struct parts {
    team_function f;
    void *context;
    int count;
};

static void part_run(void *context, size_t begin, size_t end) {
    (void)end;
    const struct parts *parts = context;
    parts->f(parts->context, (int)begin, parts->count);
}

void team_run(struct team *team, int parts, team_function f, void *context) {
    int size = team_size(team);
    struct parts all = {f, context, parts > 0 && parts < size ? parts : size};
    stage_run(team, (struct stage){part_run, &all, (size_t)all.count, 1, NULL});
}

int team_worth(const struct team *team, size_t count, size_t least) {
    size_t wanted = 1 + count / least;
    return wanted < (size_t)team_size(team) ? (int)wanted : team_size(team);
}

void team_for(struct team *team, size_t count, size_t chunk, range_function f, void *context) {
    stage_run(team, (struct stage){f, context, count, chunk, NULL});
}

// A sum or maximum: `width` results for each chunk.
#define REDUCTION_CHUNK 1024
struct reduction {
    int width;
    void *context;
    sum_function add;
    max_function most;
    struct binned_sum *sums;
    double *maxima;
};

// Computed on the stack: in the arrays, neighbouring chunks of two threads share a cache line.
static void sum_chunk(void *context, size_t begin, size_t end) {
    const struct reduction *reduction = context;
    struct binned_sum out[TEAM_WIDTH_MAX] = {0};
    size_t width = (size_t)reduction->width;
    reduction->add(reduction->context, begin, end, out);
    memcpy(reduction->sums + begin / REDUCTION_CHUNK * width, out, width * sizeof *out);
}

static void max_chunk(void *context, size_t begin, size_t end) {
    const struct reduction *reduction = context;
    double out[TEAM_WIDTH_MAX] = {0};
    size_t width = (size_t)reduction->width;
    reduction->most(reduction->context, begin, end, out);
    memcpy(reduction->maxima + begin / REDUCTION_CHUNK * width, out, width * sizeof *out);
}

static size_t chunks_of(size_t count) { return (count + REDUCTION_CHUNK - 1) / REDUCTION_CHUNK; }

void team_collect(struct team *team, size_t count, int width, sum_function f, void *context,
                  struct binned_sum *sum) {
    size_t size = chunks_of(count) * (size_t)width;
    struct reduction reduction = {.width = width, .context = context, .add = f};
    reduction.sums = memory_allocate(size, sizeof *reduction.sums, "partial sums");
    team_for(team, count, REDUCTION_CHUNK, sum_chunk, &reduction);
    for (size_t k = 0; k < size; k++)
        binned_merge(&sum[k % (size_t)width], &reduction.sums[k]);
    memory_free(reduction.sums);
}

void team_sum(struct team *team, size_t count, int width, sum_function f, void *context,
              double *total) {
    struct binned_sum sum[TEAM_WIDTH_MAX] = {0};
    team_collect(team, count, width, f, context, sum);
    for (int i = 0; i < width; i++)
        total[i] = binned_value(&sum[i]);
}

void team_max(struct team *team, size_t count, int width, max_function f, void *context,
              double *total) {
    size_t size = chunks_of(count) * (size_t)width;
    struct reduction reduction = {.width = width, .context = context, .most = f};
    reduction.maxima = memory_allocate(size, sizeof *reduction.maxima, "partial maxima");
    team_for(team, count, REDUCTION_CHUNK, max_chunk, &reduction);
    for (int i = 0; i < width; i++)
        total[i] = count > 0 ? -INFINITY : 0;
    for (size_t k = 0; k < size; k++) {
        double *most = &total[k % (size_t)width], part = reduction.maxima[k];
        // Keeps NaN: without it a residual that is no number would look converged.
        if (part > *most || isnan(part))
            *most = part;
    }
    memory_free(reduction.maxima);
}
