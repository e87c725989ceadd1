#include "parallel/sort.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "parallel/memory.h"

#define DIGIT_BITS 8
#define DIGITS     (1 << DIGIT_BITS)

// With fewer keys per thread the barriers of a pass cost more than another thread saves.
#define KEYS_PER_THREAD 8192

// What one thread found in its range of the keys. Starts on a cache line of its own.
struct sort_share {
    alignas(CACHE_LINE) size_t count[DIGITS]; // how many keys have each digit
    uint64_t all_and, all_or;                 // and, or of all keys
};

struct sort_scratch {
    uint64_t *keys;
    uint32_t *values;
    struct sort_share *shares;
    size_t keys_capacity, values_capacity, shares_capacity;
};

struct sort_scratch *sort_scratch_create(void) {
    return memory_allocate(1, sizeof(struct sort_scratch), "sort scratch");
}

void sort_scratch_free(struct sort_scratch *scratch) {
    if (scratch == NULL)
        return;
    memory_free(scratch->keys);
    memory_free(scratch->values);
    memory_free(scratch->shares);
    memory_free(scratch);
}

struct sort_job {
    struct team *team;
    uint64_t *keys;
    uint32_t *values;
    size_t count;
    uint64_t mask; // of the bits to sort by
    struct sort_scratch *scratch;
};

struct sort_range {
    size_t begin, end;
};

// Returns the bits in which keys differ, the same in every thread.
static uint64_t varying_bits(const struct sort_job *job, struct sort_range range, int thread,
                             int threads) {
    struct sort_share *shares = job->scratch->shares;
    uint64_t all_and = UINT64_MAX, all_or = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        all_and &= job->keys[i];
        all_or |= job->keys[i];
    }
    shares[thread].all_and = all_and;
    shares[thread].all_or = all_or;
    team_barrier(job->team, thread, threads);
    for (int t = 0; t < threads; t++) {
        all_and &= shares[t].all_and;
        all_or |= shares[t].all_or;
    }
    return (all_and ^ all_or) & job->mask;
}

// Finds where this thread's first key of each digit goes: after all smaller digits, and after the
// same digit in the ranges of the threads before it.
static void offsets_find(const struct sort_share *shares, int thread, int threads,
                         size_t offset[DIGITS]) {
    size_t total = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
        for (int t = 0; t < threads; t++) {
            if (t == thread)
                offset[digit] = total;
            total += shares[t].count[digit];
        }
    }
}

// Sorts by one digit after the other, the lowest first, between the arrays and their scratch
// copies. Digits that are equal in all keys are skipped.
static void sort_share_run(void *context, int thread, int threads) {
    const struct sort_job *job = context;
    struct sort_share *shares = job->scratch->shares;
    size_t n = (size_t)threads, t = (size_t)thread;
    struct sort_range range = {job->count / n * t, job->count / n * (t + 1)};
    if (thread == threads - 1)
        range.end = job->count;
    uint64_t varying = varying_bits(job, range, thread, threads);

    uint64_t *keys = job->keys, *keys_to = job->scratch->keys;
    uint32_t *values = job->values, *values_to = job->scratch->values;
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        uint64_t mask = job->mask >> shift & (DIGITS - 1);
        if ((varying >> shift & (DIGITS - 1)) == 0)
            continue;
        size_t *count = shares[thread].count;
        memset(count, 0, sizeof shares[thread].count);
        for (size_t i = range.begin; i < range.end; i++)
            count[keys[i] >> shift & mask]++;
        team_barrier(job->team, thread, threads);
        size_t offset[DIGITS];
        offsets_find(shares, thread, threads, offset);
        for (size_t i = range.begin; i < range.end; i++) {
            size_t to = offset[keys[i] >> shift & mask]++;
            keys_to[to] = keys[i];
            values_to[to] = values[i];
        }
        team_barrier(job->team, thread, threads);
        uint64_t *keys_from = keys;
        uint32_t *values_from = values;
        keys = keys_to, values = values_to;
        keys_to = keys_from, values_to = values_from;
    }
    // After an odd number of passes the result is in the scratch arrays.
    if (keys != job->keys && range.end > range.begin) {
        size_t size = range.end - range.begin;
        memcpy(keys_to + range.begin, keys + range.begin, size * sizeof *keys);
        memcpy(values_to + range.begin, values + range.begin, size * sizeof *values);
    }
}

void sort_by_key(struct team *team, uint64_t *keys, uint32_t *values, size_t count, int bits,
                 struct sort_scratch *scratch) {
    if (count < 2 || bits <= 0)
        return;
    size_t threads = count / KEYS_PER_THREAD;
    if (threads < 1)
        threads = 1;
    if (threads > (size_t)team_size(team))
        threads = (size_t)team_size(team);
    scratch->keys = memory_reserve_aligned(scratch->keys, &scratch->keys_capacity, count,
                                           sizeof *keys, "sort keys");
    scratch->values = memory_reserve_aligned(scratch->values, &scratch->values_capacity, count,
                                             sizeof *values, "sort values");
    scratch->shares = memory_reserve_aligned(scratch->shares, &scratch->shares_capacity, threads,
                                             sizeof *scratch->shares, "sort histograms");
    uint64_t mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    struct sort_job job = {team, keys, values, count, mask, scratch};
    team_run(team, (int)threads, sort_share_run, &job);
}
