// A thread beside the one that computes.
#ifndef PARALLEL_SIDE_THREAD_H
#define PARALLEL_SIDE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

// Starts a thread with a small stack that takes no signals: those are for the thread that computes,
// which leaves its system calls for them. Returns false where the system does not allow it.
bool side_thread_start(pthread_t *thread, void *(*work)(void *), void *context);

#endif
