#include "parallel/side_thread.h"

#include <signal.h>
#include <stddef.h>

// Little address space is left to a process under `ulimit -v`; the system's default is 8 MiB.
#define STACK_BYTES ((size_t)512 << 10)

bool side_thread_start(pthread_t *thread, void *(*work)(void *), void *context) {
    sigset_t all, before;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, &attributes, work, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}
