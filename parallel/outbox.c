#include "parallel/outbox.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "parallel/clock.h"
#include "parallel/memory.h"
#include "parallel/side_thread.h"

struct outbox {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t item_size, capacity;
    double delay;
    outbox_work work;
    void *context;
    // Guarded by the lock; `taken` belongs to the thread while it works.
    char *items, *taken;
    size_t count; // of items
    bool working, hurried, ending;
    struct gabion_error failure; // the first, until somebody is given it
    double seconds;
    char room[]; // for both
};

// A batch in work.
struct taking {
    struct outbox *outbox;
    size_t count;
    struct gabion_error error;
    bool good;
};

static void taking_do(void *context) {
    struct taking *taking = context;
    struct outbox *outbox = taking->outbox;
    taking->good = outbox->work(outbox->context, outbox->taken, taking->count, &taking->error);
}

// Takes all items and works on them. The lock is open meanwhile.
static void take_all(struct outbox *outbox) {
    struct taking taking = {.outbox = outbox, .count = outbox->count};
    char *items = outbox->items;
    outbox->items = outbox->taken;
    outbox->taken = items;
    outbox->count = 0;
    outbox->working = true;
    pthread_cond_broadcast(&outbox->changed);
    pthread_mutex_unlock(&outbox->lock);
    double begin = clock_seconds();
    bool good = memory_try(NULL, taking_do, &taking, &taking.error) && taking.good;
    double end = clock_seconds();
    pthread_mutex_lock(&outbox->lock);
    outbox->seconds += end - begin;
    if (!good && outbox->failure.status == GABION_OK)
        outbox->failure = taking.error;
    outbox->working = false;
    pthread_cond_broadcast(&outbox->changed);
}

// Waits for more items, so that the thread is woken for few of them.
static void wait_for_more(struct outbox *outbox) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double seconds = (double)until.tv_nsec * 1e-9 + outbox->delay;
    until.tv_sec += (time_t)seconds;
    until.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9);
    while (outbox->count < outbox->capacity / 2 && !outbox->hurried && !outbox->ending)
        if (pthread_cond_timedwait(&outbox->changed, &outbox->lock, &until) == ETIMEDOUT)
            return;
}

static void *thread_main(void *context) {
    struct outbox *outbox = context;
    pthread_mutex_lock(&outbox->lock);
    while (outbox->count > 0 || !outbox->ending) {
        if (outbox->count == 0) {
            pthread_cond_wait(&outbox->changed, &outbox->lock);
            continue;
        }
        wait_for_more(outbox);
        take_all(outbox);
    }
    pthread_mutex_unlock(&outbox->lock);
    return NULL;
}

static void outbox_free(struct outbox *outbox) {
    pthread_mutex_destroy(&outbox->lock);
    pthread_cond_destroy(&outbox->changed);
    memory_free(outbox);
}

// What is to be made, and what was.
struct making {
    size_t bytes;
    struct outbox *outbox;
};

static void outbox_make(void *context) {
    struct making *making = context;
    making->outbox =
        memory_allocate(sizeof *making->outbox + 2 * making->bytes, 1, "rows to be written");
}

// On the monotonic clock, which nobody sets back.
static void condition_make(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct outbox *outbox_create(size_t item_size, size_t capacity, double delay, outbox_work work,
                             void *context) {
    struct gabion_error exhausted = {0};
    struct making making = {.bytes = capacity * item_size};
    if (!memory_try(NULL, outbox_make, &making, &exhausted))
        return NULL;
    struct outbox *outbox = making.outbox;
    *outbox = (struct outbox){.item_size = item_size,
                              .capacity = capacity,
                              .delay = delay,
                              .work = work,
                              .context = context,
                              .items = outbox->room,
                              .taken = outbox->room + making.bytes};
    pthread_mutex_init(&outbox->lock, NULL);
    condition_make(&outbox->changed);
    if (side_thread_start(&outbox->thread, thread_main, outbox))
        return outbox;
    outbox_free(outbox);
    return NULL;
}

// The lock is held.
static bool give_failure(struct outbox *outbox, struct gabion_error *error) {
    struct gabion_error failure = outbox->failure;
    if (failure.status == GABION_OK)
        return true;
    outbox->failure = (struct gabion_error){0};
    return error_set(error, failure.status, "%s", failure.text);
}

bool outbox_put(struct outbox *outbox, const void *item, struct gabion_error *error) {
    pthread_mutex_lock(&outbox->lock);
    while (outbox->count == outbox->capacity)
        pthread_cond_wait(&outbox->changed, &outbox->lock);
    memcpy(outbox->items + outbox->count * outbox->item_size, item, outbox->item_size);
    outbox->count++;
    if (outbox->count == 1 || outbox->count == outbox->capacity / 2)
        pthread_cond_broadcast(&outbox->changed);
    bool good = give_failure(outbox, error);
    pthread_mutex_unlock(&outbox->lock);
    return good;
}

bool outbox_wait(struct outbox *outbox, struct gabion_error *error) {
    pthread_mutex_lock(&outbox->lock);
    outbox->hurried = true;
    pthread_cond_broadcast(&outbox->changed);
    while (outbox->count > 0 || outbox->working)
        pthread_cond_wait(&outbox->changed, &outbox->lock);
    outbox->hurried = false;
    bool good = give_failure(outbox, error);
    pthread_mutex_unlock(&outbox->lock);
    return good;
}

double outbox_seconds(struct outbox *outbox) {
    pthread_mutex_lock(&outbox->lock);
    double seconds = outbox->seconds;
    pthread_mutex_unlock(&outbox->lock);
    return seconds;
}

void outbox_destroy(struct outbox *outbox) {
    if (outbox == NULL)
        return;
    pthread_mutex_lock(&outbox->lock);
    outbox->ending = true;
    pthread_cond_broadcast(&outbox->changed);
    pthread_mutex_unlock(&outbox->lock);
    pthread_join(outbox->thread, NULL);
    outbox_free(outbox);
}
