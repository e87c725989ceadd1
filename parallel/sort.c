#include "parallel/sort.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "parallel/memory.h"

#define DIGIT_BITS 8
#define DIGITS     (1 << DIGIT_BITS)

// With fewer keys per part the stages of a pass cost more than another thread saves.
#define KEYS_PER_PART 8192

// What was found in one part of the keys. Starts on a cache line of its own.
struct sort_share {
    alignas(CACHE_LINE) size_t count[DIGITS]; // how many keys have each digit, then their places
    uint64_t all_and, all_or;                 // and, or of all keys
};

struct sort_job {
    const uint64_t *keys;
    const uint32_t *values;
    uint64_t *keys_to;
    uint32_t *values_to;
    size_t count;
    int shift; // of the digit to sort by
    uint64_t mask;
    struct sort_share *shares;
};

// Finds the bits in which the keys of a part differ.
static void find_varying(void *context, int part, int parts) {
    const struct sort_job *job = context;
    size_t begin, end;
    uint64_t all_and = UINT64_MAX, all_or = 0;
    team_share(0, job->count, part, parts, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        all_and &= job->keys[i];
        all_or |= job->keys[i];
    }
    job->shares[part].all_and = all_and;
    job->shares[part].all_or = all_or;
}

static uint64_t varying_bits(struct sort_job *job, struct team *team, int parts) {
    uint64_t all_and = UINT64_MAX, all_or = 0;
    team_run(team, parts, find_varying, job);
    for (int p = 0; p < parts; p++) {
        all_and &= job->shares[p].all_and;
        all_or |= job->shares[p].all_or;
    }
    return all_and ^ all_or;
}

static void count_digits(void *context, int part, int parts) {
    const struct sort_job *job = context;
    size_t begin, end, *count = job->shares[part].count;
    team_share(0, job->count, part, parts, &begin, &end);
    memset(count, 0, sizeof job->shares[part].count);
    for (size_t i = begin; i < end; i++)
        count[job->keys[i] >> job->shift & job->mask]++;
}

// Turns counts into places: a digit goes after all smaller digits, and after the same digit in the
// parts before.
static void find_places(const struct sort_job *job, int parts) {
    size_t total = 0;
    for (int digit = 0; digit < DIGITS; digit++)
        for (int p = 0; p < parts; p++) {
            size_t count = job->shares[p].count[digit];
            job->shares[p].count[digit] = total;
            total += count;
        }
}

static void move_keys(void *context, int part, int parts) {
    const struct sort_job *job = context;
    size_t begin, end, *place = job->shares[part].count;
    team_share(0, job->count, part, parts, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        size_t to = place[job->keys[i] >> job->shift & job->mask]++;
        job->keys_to[to] = job->keys[i];
        job->values_to[to] = job->values[i];
    }
}

static void copy_keys(void *context, int part, int parts) {
    const struct sort_job *job = context;
    size_t begin, end;
    team_share(0, job->count, part, parts, &begin, &end);
    memcpy(job->keys_to + begin, job->keys + begin, (end - begin) * sizeof *job->keys);
    memcpy(job->values_to + begin, job->values + begin, (end - begin) * sizeof *job->values);
}

static struct sort_job job_turned(struct sort_job job) {
    struct sort_job turned = job;
    turned.keys = job.keys_to, turned.values = job.values_to;
    turned.keys_to = (uint64_t *)job.keys, turned.values_to = (uint32_t *)job.values;
    return turned;
}

// Sorts by one digit after the other, the lowest first, between the arrays and their scratch
// copies. Digits that are equal in all keys are skipped.
static void sort_digits(struct sort_job job, struct team *team, int parts, uint64_t mask) {
    const uint64_t *home = job.keys;
    uint64_t varying = varying_bits(&job, team, parts) & mask;
    for (job.shift = 0; job.shift < 64; job.shift += DIGIT_BITS) {
        job.mask = mask >> job.shift & (DIGITS - 1);
        if ((varying >> job.shift & (DIGITS - 1)) == 0)
            continue;
        team_run(team, parts, count_digits, &job);
        find_places(&job, parts);
        team_run(team, parts, move_keys, &job);
        job = job_turned(job);
    }
    // After an odd number of passes the result is in the scratch arrays.
    if (job.keys != home)
        team_run(team, parts, copy_keys, &job);
}

void sort_by_key(struct team *team, uint64_t *keys, uint32_t *values, size_t count, int bits) {
    if (count < 2 || bits <= 0)
        return;
    int parts = team_worth(team, count - 1, KEYS_PER_PART);
    struct memory_part room[] = {{.bytes = count * sizeof *keys},
                                 {.bytes = count * sizeof *values},
                                 {.bytes = (size_t)parts * sizeof(struct sort_share)}};
    void *lent = memory_borrow_parts(room, 3, "sorting");
    uint64_t mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    struct sort_job job = {keys, values, room[0].start, room[1].start, count, 0, 0, room[2].start};
    sort_digits(job, team, parts, mask);
    memory_return(lent);
}
