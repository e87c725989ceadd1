#include "parallel/background.h"

#include <pthread.h>

#include "parallel/clock.h"
#include "parallel/memory.h"
#include "parallel/side_thread.h"

struct background {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    // Guarded by the lock.
    background_work work; // in flight; NULL: none
    void *context;
    struct gabion_error failure; // of the last piece, until somebody is given it
    double seconds;
    bool ending;
};

struct piece {
    background_work work;
    void *context;
    struct gabion_error *error;
    bool good;
};

static void piece_do(void *context) {
    struct piece *piece = context;
    piece->good = piece->work(piece->context, piece->error);
}

// Does the piece in flight. The lock is open meanwhile.
static void work_once(struct background *background) {
    struct gabion_error error = {0};
    struct piece piece = {background->work, background->context, &error, false};
    pthread_mutex_unlock(&background->lock);
    double begin = clock_seconds();
    bool good = memory_try(NULL, piece_do, &piece, &error) && piece.good;
    double end = clock_seconds();
    pthread_mutex_lock(&background->lock);
    background->seconds += end - begin;
    if (!good)
        background->failure = error;
    background->work = NULL;
    pthread_cond_broadcast(&background->changed);
}

static void *thread_main(void *context) {
    struct background *background = context;
    pthread_mutex_lock(&background->lock);
    while (background->work || !background->ending) {
        if (background->work)
            work_once(background);
        else
            pthread_cond_wait(&background->changed, &background->lock);
    }
    pthread_mutex_unlock(&background->lock);
    return NULL;
}

static void background_free(struct background *background) {
    pthread_mutex_destroy(&background->lock);
    pthread_cond_destroy(&background->changed);
    memory_free(background);
}

static void background_make(void *context) {
    *(struct background **)context =
        memory_allocate(1, sizeof(struct background), "a thread that writes files");
}

struct background *background_create(void) {
    struct background *background;
    struct gabion_error exhausted = {0};
    if (!memory_try(NULL, background_make, &background, &exhausted))
        return NULL;
    pthread_mutex_init(&background->lock, NULL);
    pthread_cond_init(&background->changed, NULL);
    if (side_thread_start(&background->thread, thread_main, background))
        return background;
    background_free(background);
    return NULL;
}

void background_destroy(struct background *background) {
    if (background == NULL)
        return;
    pthread_mutex_lock(&background->lock);
    background->ending = true;
    pthread_cond_broadcast(&background->changed);
    pthread_mutex_unlock(&background->lock);
    pthread_join(background->thread, NULL);
    background_free(background);
}

// Hands the failure of the last piece over. The lock is held, and nothing is in flight.
static bool take_failure(struct background *background, struct gabion_error *error) {
    struct gabion_error failure = background->failure;
    background->failure = (struct gabion_error){0};
    return failure.status == GABION_OK || error_set(error, failure.status, "%s", failure.text);
}

static bool wait_idle(struct background *background, struct gabion_error *error) {
    while (background->work)
        pthread_cond_wait(&background->changed, &background->lock);
    return take_failure(background, error);
}

bool background_start(struct background *background, background_work work, void *context,
                      struct gabion_error *error) {
    pthread_mutex_lock(&background->lock);
    bool good = wait_idle(background, error);
    if (good) {
        background->work = work;
        background->context = context;
        pthread_cond_broadcast(&background->changed);
    }
    pthread_mutex_unlock(&background->lock);
    return good;
}

bool background_wait(struct background *background, struct gabion_error *error) {
    pthread_mutex_lock(&background->lock);
    bool good = wait_idle(background, error);
    pthread_mutex_unlock(&background->lock);
    return good;
}

bool background_check(struct background *background, struct gabion_error *error) {
    pthread_mutex_lock(&background->lock);
    bool good = background->work != NULL || take_failure(background, error);
    pthread_mutex_unlock(&background->lock);
    return good;
}

double background_seconds(struct background *background) {
    pthread_mutex_lock(&background->lock);
    double seconds = background->seconds;
    pthread_mutex_unlock(&background->lock);
    return seconds;
}
