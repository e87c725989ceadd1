#include "io/run/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "parallel/clock.h"

#define TERMINAL_INTERVAL 0.2  // s
#define PLAIN_INTERVAL    10.0 // s

void progress_start(struct progress *progress, int64_t step, int64_t target, bool quiet) {
    *progress = (struct progress){
        .quiet = quiet,
        .terminal = isatty(STDERR_FILENO) != 0,
        .target = target,
        .last_step = step,
        .last_time = clock_seconds(),
    };
}

static void format_duration(double seconds, char text[32]) {
    if (!(seconds < 360000.0))
        snprintf(text, 32, "> 4 days");
    else if (seconds >= 3600.0)
        snprintf(text, 32, "%d h %02d min", (int)(seconds / 3600.0), (int)(seconds / 60.0) % 60);
    else if (seconds >= 60.0)
        snprintf(text, 32, "%d min %02d s", (int)(seconds / 60.0), (int)seconds % 60);
    else
        snprintf(text, 32, "%d s", (int)seconds);
}

static void print_line(struct progress *progress, const struct gabion_world *world) {
    struct gabion_step_report report = {0};
    int64_t step = gabion_step_number(world);
    char left[32];
    gabion_read_step_report(world, &report, NULL);
    format_duration((double)(progress->target - step) / progress->speed, left);
    fprintf(stderr,
            "%sstep %lld/%lld  t %.4g s  %lld contacts  %d sweeps  residual %.1e  %.3g steps/s  "
            "%s left%s",
            progress->terminal ? "\r\033[K" : "", (long long)step, (long long)progress->target,
            gabion_time(world), (long long)report.contacts, (int)report.sweeps, report.residual,
            progress->speed, left, progress->terminal ? "" : "\n");
    fflush(stderr);
    progress->visible = progress->terminal;
}

void progress_update(struct progress *progress, const struct gabion_world *world) {
    if (progress->quiet)
        return;
    double now = clock_seconds(), elapsed = now - progress->last_time;
    if (elapsed < (progress->terminal ? TERMINAL_INTERVAL : PLAIN_INTERVAL))
        return;
    int64_t step = gabion_step_number(world);
    double speed = (double)(step - progress->last_step) / elapsed;
    progress->speed = progress->speed > 0.0 ? 0.8 * progress->speed + 0.2 * speed : speed;
    progress->last_time = now;
    progress->last_step = step;
    print_line(progress, world);
}

void progress_clear(struct progress *progress) {
    if (!progress->visible)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->visible = false;
}
