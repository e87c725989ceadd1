#include "io/run/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t requested;

static void take_signal(int number) {
    static const char text[] =
        "\ngabion: stopping after this step; a second signal stops at once\n";
    if (requested)
        _exit(128 + number);
    requested = 1;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return; // standard error is closed, and there is no other place to report to
}

void interrupt_install(void) {
    struct sigaction action = {.sa_handler = take_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void interrupt_spare_writes(void) { signal(SIGXFSZ, SIG_IGN); }

bool interrupt_requested(void) { return requested != 0; }
