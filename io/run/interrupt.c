#include "io/run/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include "parallel/clock.h"
#include "parallel/ranks.h"

static volatile sig_atomic_t requested;

// The system sends these several times: SIGXCPU every second, SIGHUP from the terminal and again
// from the shell that it closes.
static bool comes_again(int number) { return number == SIGHUP || number == SIGXCPU; }

static void take_signal(int number) {
    static const char text[] = "\ngabion: stopping; a second signal stops at once\n";
    if (requested && comes_again(number))
        return;
    if (requested)
        _exit(128 + number);
    requested = 1;
    if (ranks_me() == 0 && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return; // standard error is closed, and there is no other place to report to
}

static bool is_ignored(int number) {
    struct sigaction present;
    return sigaction(number, NULL, &present) == 0 && present.sa_handler == SIG_IGN;
}

void interrupt_install(void) {
    static const int asking[] = {SIGINT, SIGTERM}; // also where a shell ignores them for its jobs
    static const int ending[] = {SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM, SIGPWR};
    struct sigaction action = {.sa_handler = take_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < sizeof asking / sizeof *asking; k++)
        sigaction(asking[k], &action, NULL);
    for (size_t k = 0; k < sizeof ending / sizeof *ending; k++)
        if (!is_ignored(ending[k])) // as SIGHUP is by nohup
            sigaction(ending[k], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

#define TIME_TO_STOP 5 // s, of each thread

void interrupt_before_cpu_limit(int threads) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_max == RLIM_INFINITY ||
        limit.rlim_cur < limit.rlim_max)
        return;
    rlim_t needed = (rlim_t)TIME_TO_STOP * (rlim_t)threads;
    limit.rlim_cur = limit.rlim_max > 2 * needed ? limit.rlim_max - needed : limit.rlim_max / 2;
    setrlimit(RLIMIT_CPU, &limit);
}

void interrupt_spare_writes(void) { signal(SIGXFSZ, SIG_IGN); }

bool interrupt_requested(void) { return requested != 0; }

#define PATIENCE 1.0 // s

bool interrupt_presses(void *unused) {
    static double first; // when this function first saw the request
    (void)unused;
    if (!requested)
        return false;
    double now = clock_seconds();
    if (first == 0)
        first = now;
    return now - first >= PATIENCE;
}
