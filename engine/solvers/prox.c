// The method prox, a proximal point method. The problem with W + A and q - A r_ref, A = alpha tr
// W_aa / 3, has no null space and is solved by accelerated sweeps; its solution is the next r_ref.
// Where r_ref no longer changes, the original problem is solved. The method is slow and robust, for
// problems on which faster methods stall (Acary, Bremond, Huber 2018).
#include <string.h>

#include "engine/solvers/krylov/acceleration.h"
#include "engine/solvers/methods.h"
#include "parallel/memory.h"

// A large alpha makes the inner problems easy and the steps between them short.
#define ALPHA_START 1e-3
#define ALPHA_MAX   0.3
#define ALPHA_MIN   1e-12

// Numbers of sweeps on an inner problem: the least, up to which it was easy, from which it was
// hard, and at which it is given up.
#define LEAST 3
#define EASY  300
#define HARD  1000
#define MOST  3000

#define CHECK 50 // sweeps between checks within an inner problem

struct prox {
    struct monitor *monitor;
    struct acceleration acceleration;
    double *reference;
    double alpha;
    int sweeps; // over all inner problems
};

// Returns |D (answer - reference)|.
static double moved(const struct prox *prox) {
    const struct acceleration *a = &prox->acceleration;
    double sum = 0;
    for (size_t i = 0; i < contact_problem_size(prox->monitor->problem); i++) {
        double d = a->scale[i] * (a->answer[i] - prox->reference[i]);
        sum += d * d;
    }
    return sqrt(sum);
}

// Solves the inner problem until a sweep changes r by less than about alpha times its distance from
// r_ref, because the compliance acts on that distance and W on the change. Four times the accuracy
// would take half as many sweeps again on hyperstatic problems. Returns the number of sweeps; 0:
// the monitor said stop.
static int solve_inner(struct prox *prox) {
    struct acceleration *a = &prox->acceleration;
    int cap = prox->monitor->settings->max_iterations - prox->monitor->before;
    for (int sweep = 1;; sweep++) {
        double change = acceleration_sweep(a);
        prox->sweeps++;
        bool solved = sweep >= LEAST && change <= 2 * prox->alpha * moved(prox);
        bool last = solved || sweep >= MOST || prox->sweeps >= cap;
        bool check = last || sweep % CHECK == 0 || monitor_late(prox->monitor);
        if (check && monitor_check(prox->monitor, prox->sweeps, a->answer))
            return 0;
        if (last)
            return sweep;
    }
}

static void run(struct prox *prox) {
    struct acceleration *a = &prox->acceleration;
    size_t bytes = contact_problem_size(prox->monitor->problem) * sizeof *prox->reference;
    for (;;) {
        row_sweep_regularise(&a->sweeps, prox->alpha, prox->reference);
        acceleration_forget(a);
        int sweeps = solve_inner(prox);
        if (sweeps == 0)
            return;
        memcpy(prox->reference, a->answer, bytes);
        if (sweeps < EASY)
            prox->alpha = fmax(0.8 * prox->alpha, ALPHA_MIN);
        else if (sweeps > HARD)
            prox->alpha = fmin(2 * prox->alpha, ALPHA_MAX);
    }
}

void solver_prox(struct monitor *monitor, double *r) {
    size_t size = contact_problem_size(monitor->problem);
    struct prox prox = {.monitor = monitor,
                        .acceleration = acceleration_open(monitor->problem, monitor->settings, r),
                        .reference = memory_allocate(size, sizeof(double), "prox"),
                        .alpha = ALPHA_START};
    memcpy(prox.reference, r, size * sizeof *r);
    run(&prox);
    memory_free(prox.reference);
    monitor->result.local_fallbacks += acceleration_close(&prox.acceleration);
}
