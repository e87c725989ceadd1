#include "engine/solvers/krylov/anderson.h"

#include <string.h>

#include "engine/solvers/krylov/acceleration.h"
#include "engine/solvers/methods.h"
#include "engine/solvers/sweep/rate.h"

// A check costs about as much as a sweep. The measure falls about as |change| does: checks are due
// when that says the tolerance is near, and at least this often.
#define SELDOM 10
#define NEAR   1.5 // times the tolerance

// Sweeps after which the cost of other methods may be counted: that takes the time of several.
#define SOME 20

// Sweeps of which this many times as many are missing as are worth making have stalled. They are
// left after this share of those worth making.
#define STALLED       3
#define STALLED_EARLY 0.1

struct progress {
    int checked;         // sweep of the last check
    double change, last; // |change| and the measure there
    struct rate rate;
    double worth; // sweeps that are worth making; 0: not known
};

static bool due(const struct progress *progress, int sweep, double change, double tolerance) {
    if (sweep == 1 || sweep >= progress->checked + SELDOM)
        return true;
    return progress->last * change <= NEAR * tolerance * progress->change;
}

static bool hopeless(struct progress *progress, const struct monitor *monitor, int sweep,
                     anderson_worth *worth) {
    double tolerance = monitor->settings->tolerance;
    double left = rate_left(&progress->rate, sweep, monitor->best_measure, tolerance);
    if (!worth || sweep < SOME)
        return false;
    if (progress->worth == 0)
        progress->worth = worth(monitor->problem, tolerance);
    bool stalled = left > STALLED * progress->worth && sweep >= STALLED_EARLY * progress->worth;
    return stalled || rate_hopeless(sweep, left, progress->worth);
}

// Checks the first sweep. A start that nobody has measured needs to be measured only where that did
// not solve the problem.
static bool check_first(struct monitor *monitor, struct progress *progress, const double *start,
                        const double *answer) {
    struct contact_error error = monitor_measure(monitor, answer);
    if (!monitor->best && !monitor_within(monitor, &error) && monitor_check(monitor, 0, start))
        return true;
    progress->rate = rate_open(monitor->best_measure);
    return monitor_take(monitor, 1, answer, &error);
}

bool anderson_run(struct monitor *monitor, anderson_worth *worth, double *r) {
    const struct solver_settings *settings = monitor->settings;
    struct acceleration acceleration = acceleration_open(monitor->problem, settings, r);
    struct progress progress = {0};
    int cap = settings->max_iterations - monitor->before;
    bool done = false, stall = false;
    for (int sweep = 1; !done && !stall; sweep++) {
        double change = acceleration_sweep(&acceleration);
        bool wanted = sweep >= cap || due(&progress, sweep, change, settings->tolerance);
        if (!wanted && !monitor_late(monitor))
            continue;
        done = sweep == 1 ? check_first(monitor, &progress, r, acceleration.answer)
                          : monitor_check(monitor, sweep, acceleration.answer);
        progress.checked = sweep;
        progress.change = change;
        progress.last = monitor->last;
        stall = !done && hopeless(&progress, monitor, sweep, worth);
    }
    memcpy(r, acceleration.answer, contact_problem_size(monitor->problem) * sizeof *r);
    monitor->result.local_fallbacks += acceleration_close(&acceleration);
    return done;
}

void solver_anderson(struct monitor *monitor, double *r) { anderson_run(monitor, NULL, r); }
