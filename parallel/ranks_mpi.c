// The ranks of an MPI program: the only file that calls MPI. Compiled in place of ranks.c by
// `make MPI=1`.
#define _GNU_SOURCE // sched_getaffinity
#include "parallel/ranks.h"

#include <mpi.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parallel/memory.h"

static struct {
    bool connected; // by MPI_Init; without it there is one rank
    int me, count;
    int started;
    int on_machine;
    struct ranks_sharing sharing;
    MPI_Comm everyone;
} run = {.count = 1, .started = 1, .on_machine = 1, .sharing = {.count = 1}};

// A count that MPI can take.
static size_t message_max = INT_MAX;

// Set by the launchers of Open MPI and by those that speak PMI.
static const char *const launcher_variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
#define VARIABLE_COUNT (sizeof launcher_variables / sizeof *launcher_variables)

// Without a launcher MPI_Init would start a server of its own, for nothing.
static bool was_launched(void) {
    for (size_t k = 0; k < VARIABLE_COUNT; k++)
        if (getenv(launcher_variables[k]) != NULL)
            return true;
    return false;
}

// Processes that a rank starts, as those of a study, are no ranks.
static void forget_launcher(void) {
    for (size_t k = 0; k < VARIABLE_COUNT; k++)
        unsetenv(launcher_variables[k]);
}

// Finds the ranks on this machine that start with the same set of cores: mpirun gives each rank
// cores of its own, or several the same.
static void find_neighbours(void) {
    MPI_Comm machine;
    MPI_Comm_split_type(run.everyone, MPI_COMM_TYPE_SHARED, run.me, MPI_INFO_NULL, &machine);
    int count, me;
    MPI_Comm_size(machine, &count);
    MPI_Comm_rank(machine, &me);
    cpu_set_t mine, *all = memory_allocate((size_t)count, sizeof *all, "sets of cores");
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, machine);
    run.on_machine = count;
    run.sharing = (struct ranks_sharing){0};
    for (int k = 0; k < count; k++) {
        bool same = CPU_EQUAL(&mine, &all[k]);
        run.sharing.count += same;
        run.sharing.before += same && k < me;
    }
    memory_free(all);
    MPI_Comm_free(&machine);
}

void ranks_begin(void) {
    int provided;
    if (!was_launched())
        return;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    forget_launcher();
    run.connected = true;
    MPI_Comm_dup(MPI_COMM_WORLD, &run.everyone);
    MPI_Comm_rank(run.everyone, &run.me);
    MPI_Comm_size(run.everyone, &run.started);
    run.count = run.started;
    if (provided < MPI_THREAD_FUNNELED)
        ranks_abort("this MPI library does not allow threads (MPI_THREAD_FUNNELED)");
    find_neighbours();
}

// Where the first rank that is gone had an error, mpirun stops the others. By now all have ended,
// and have said what there is to say.
static void ignore_launcher(void) {
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
}

int ranks_end(int status) {
    if (!run.connected)
        return status;
    const struct timespec pause = {.tv_nsec = 2000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibcast(&status, 1, MPI_INT, 0, run.everyone, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
        nanosleep(&pause, NULL);
    ignore_launcher();
    MPI_Comm_free(&run.everyone);
    MPI_Finalize();
    return status;
}

int ranks_me(void) { return run.me; }
int ranks_count(void) { return run.count; }
int ranks_started(void) { return run.started; }

bool ranks_leave_to_first(void) {
    run.count = run.on_machine = 1;
    return run.me == 0;
}

struct ranks_sharing ranks_sharing_cores(void) {
    return run.sharing;
}
int ranks_on_machine(void) { return run.on_machine; }

// The first part of the library's own description.
const char *ranks_library(void) {
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    return text;
}

void ranks_abort(const char *message) {
    if (run.count > 1)
        fprintf(stderr, "gabion: rank %d: %s\n", run.me, message);
    else
        fprintf(stderr, "gabion: %s\n", message);
    fflush(NULL);
    if (run.connected)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    exit(EXIT_FAILURE);
}

// Reduces in parts, because MPI counts in int.
static void reduce(void *values, size_t count, MPI_Datatype type, MPI_Op operation) {
    const size_t most = 1 << 20;
    for (size_t k = 0; run.count > 1 && k < count; k += most) {
        size_t part = count - k < most ? count - k : most;
        MPI_Allreduce(MPI_IN_PLACE, (uint64_t *)values + k, (int)part, type, operation,
                      run.everyone);
    }
}

void ranks_sum_signed(int64_t *values, size_t count) {
    reduce(values, count, MPI_INT64_T, MPI_SUM);
}
void ranks_sum(uint64_t *values, size_t count) { reduce(values, count, MPI_UINT64_T, MPI_SUM); }
void ranks_or(uint64_t *values, size_t count) { reduce(values, count, MPI_UINT64_T, MPI_BOR); }

// What the present call of ranks_merge merges: MPI hands an operation no context.
static struct {
    size_t size;
    void (*merge)(void *total, const void *part);
} merging;

static void merge_values(void *in, void *total, int *count, MPI_Datatype *type) {
    (void)type;
    for (int k = 0; k < *count; k++)
        merging.merge((char *)total + (size_t)k * merging.size,
                      (char *)in + (size_t)k * merging.size);
}

void ranks_merge(void *values, size_t count, size_t size,
                 void (*merge)(void *total, const void *part)) {
    MPI_Datatype type;
    MPI_Op operation;
    if (run.count == 1)
        return;
    merging.size = size;
    merging.merge = merge;
    MPI_Type_contiguous((int)size, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(merge_values, 1, &operation);
    MPI_Allreduce(MPI_IN_PLACE, values, (int)count, type, operation, run.everyone);
    MPI_Op_free(&operation);
    MPI_Type_free(&type);
}

#define SIGN_BIT ((uint64_t)1 << 63)
#define KEY_NAN  UINT64_MAX

// An integer that is ordered as the double is. `flip` turns the order round; NaN is above all.
static uint64_t order_key(double value, uint64_t flip) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? KEY_NAN : (bits ^ (bits & SIGN_BIT ? UINT64_MAX : SIGN_BIT)) ^ flip;
}

static double from_order_key(uint64_t key, uint64_t flip) {
    double value;
    uint64_t ordered = key ^ flip, bits = ordered ^ (ordered & SIGN_BIT ? SIGN_BIT : UINT64_MAX);
    memcpy(&value, &bits, sizeof value);
    return key == KEY_NAN ? NAN : value;
}

// MPI's own maximum of doubles says nothing about NaN.
static void reduce_extreme(double *values, size_t count, uint64_t flip) {
    if (run.count == 1)
        return;
    uint64_t *keys = memory_allocate(count, sizeof *keys, "extreme values");
    for (size_t k = 0; k < count; k++)
        keys[k] = order_key(values[k], flip);
    reduce(keys, count, MPI_UINT64_T, MPI_MAX);
    for (size_t k = 0; k < count; k++)
        values[k] = from_order_key(keys[k], flip);
    memory_free(keys);
}

void ranks_max(double *values, size_t count) { reduce_extreme(values, count, 0); }
void ranks_min(double *values, size_t count) { reduce_extreme(values, count, UINT64_MAX); }

bool ranks_any(bool mine) {
    uint64_t any = mine;
    ranks_or(&any, 1);
    return any != 0;
}

bool ranks_all(bool mine) { return !ranks_any(!mine); }

bool ranks_decide(bool mine) {
    ranks_broadcast(&mine, sizeof mine, 0);
    return mine;
}

// The part of [0, bytes) from `at` on that MPI can take.
static int part_of(size_t bytes, size_t at) {
    return (int)(bytes - at < message_max ? bytes - at : message_max);
}

void ranks_broadcast(void *data, size_t bytes, int from) {
    for (size_t at = 0; run.count > 1 && at < bytes; at += message_max)
        MPI_Bcast((char *)data + at, part_of(bytes, at), MPI_BYTE, from, run.everyone);
}

bool ranks_agree(struct gabion_error *error) {
    int64_t failed = error->status != GABION_OK;
    double first = failed ? run.me : run.count;
    ranks_sum_signed(&failed, 1);
    ranks_min(&first, 1);
    if (failed == 0)
        return true;
    ranks_broadcast(error, sizeof *error, (int)first);
    return failed == run.count ? false : error_context(error, "rank %d", (int)first);
}

bool ranks_follow(struct gabion_error *error) {
    if (ranks_decide(error->status == GABION_OK))
        return true;
    ranks_broadcast(error, sizeof *error, 0);
    return false;
}

void ranks_offsets(size_t bytes, size_t *offsets) {
    uint64_t mine = bytes;
    offsets[0] = 0;
    offsets[1] = bytes;
    if (run.count == 1)
        return;
    uint64_t *all = memory_allocate((size_t)run.count, sizeof *all, "sizes of pieces");
    MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, run.everyone);
    for (int k = 0; k < run.count; k++)
        offsets[k + 1] = offsets[k] + all[k];
    memory_free(all);
}

static size_t piece_size(const size_t *offsets, int rank) {
    return offsets[rank + 1] - offsets[rank];
}

static void put_own_piece(const void *piece, const size_t *offsets, void *whole) {
    if (piece_size(offsets, run.me) > 0)
        memmove((char *)whole + offsets[run.me], piece, piece_size(offsets, run.me));
}

// MPI_Allgatherv counts in int, in which large pieces do not fit: they are broadcast one by one.
void ranks_gather_all(const void *piece, const size_t *offsets, void *whole) {
    put_own_piece(piece, offsets, whole);
    if (run.count == 1)
        return;
    if (offsets[run.count] > message_max) {
        for (int k = 0; k < run.count; k++)
            ranks_broadcast((char *)whole + offsets[k], piece_size(offsets, k), k);
        return;
    }
    int *sizes = memory_allocate(2 * (size_t)run.count, sizeof *sizes, "sizes of pieces");
    int *places = sizes + run.count;
    for (int k = 0; k < run.count; k++) {
        sizes[k] = (int)piece_size(offsets, k);
        places[k] = (int)offsets[k];
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, whole, sizes, places, MPI_BYTE, run.everyone);
    memory_free(sizes);
}

void ranks_gather_to(int to, const void *piece, const size_t *offsets, void *whole) {
    if (run.me != to) {
        size_t bytes = piece_size(offsets, run.me);
        for (size_t at = 0; at < bytes; at += message_max)
            MPI_Send((const char *)piece + at, part_of(bytes, at), MPI_BYTE, to, 0, run.everyone);
        return;
    }
    put_own_piece(piece, offsets, whole);
    for (int k = 0; k < run.count; k++) {
        size_t bytes = k == to ? 0 : piece_size(offsets, k);
        for (size_t at = 0; at < bytes; at += message_max)
            MPI_Recv((char *)whole + offsets[k] + at, part_of(bytes, at), MPI_BYTE, k, 0,
                     run.everyone, MPI_STATUS_IGNORE);
    }
}

struct ranks_messages {
    int count;
    MPI_Request requests[];
};

struct ranks_messages *ranks_messages_create(size_t most) {
    return memory_allocate(1, sizeof(struct ranks_messages) + most * sizeof(MPI_Request),
                           "messages");
}

void ranks_messages_free(struct ranks_messages *messages) {
    for (int k = 0; k < messages->count; k++)
        MPI_Request_free(&messages->requests[k]);
    memory_free(messages);
}

void ranks_messages_send(struct ranks_messages *messages, int to, int tag, const void *data,
                         size_t bytes) {
    MPI_Send_init(data, (int)bytes, MPI_BYTE, to, tag, run.everyone,
                  &messages->requests[messages->count++]);
}

void ranks_messages_receive(struct ranks_messages *messages, int from, int tag, void *data,
                            size_t bytes) {
    MPI_Recv_init(data, (int)bytes, MPI_BYTE, from, tag, run.everyone,
                  &messages->requests[messages->count++]);
}

void ranks_messages_start(struct ranks_messages *messages) {
    MPI_Startall(messages->count, messages->requests);
}

void ranks_messages_wait(struct ranks_messages *messages) {
    MPI_Waitall(messages->count, messages->requests, MPI_STATUSES_IGNORE);
}

void ranks_limit_messages(size_t bytes) { message_max = bytes; }
