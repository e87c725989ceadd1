// Projected successive over-relaxation on the normal impulses of a frictionless problem: r_n <-
// max(0, r_n - omega u_n / W_nn), one contact after the other (Renouf, Acary, Dumont 2005, eq. 34;
// Cryer 1971). A sweep visits the contacts in their order, in one thread.
#include "engine/solvers/local/exact.h"
#include "engine/solvers/methods.h"

#define CHECK_EVERY 5

// Returns the first contact with friction; the number of contacts if there is none.
static int32_t first_rough(const struct contact_problem *problem) {
    int32_t a = 0;
    while (a < problem->contacts && !(problem->mu[a] > 0))
        a++;
    return a;
}

// Removes from the start impulses what a frictionless solution cannot have.
static void project(const struct contact_problem *problem, double *r) {
    for (int32_t a = 0; a < problem->contacts; a++)
        contact_set(r, a, vec3_make(fmax(r[3 * (size_t)a], 0), 0, 0));
}

// Makes one sweep. Where W_nn vanishes no impulse can change u_n, and the contact gets none.
static void sweep(struct contact_state *state, double omega) {
    const struct contact_problem *problem = state->problem;
    for (int32_t a = 0; a < problem->contacts; a++) {
        const mat3 *W = &problem->diagonal[a];
        double w = W->row[0].x, r = state->r[3 * (size_t)a];
        double next =
            w > exact_floor(W) ? fmax(r - omega * contact_state_velocity(state, a).x / w, 0) : 0;
        if (next != r)
            contact_state_set(state, a, vec3_make(next, 0, 0));
    }
}

void solver_psor(struct monitor *monitor, double *r) {
    const struct contact_problem *problem = monitor->problem;
    int32_t rough = first_rough(problem);
    if (rough < problem->contacts) {
        monitor_reject(monitor, "psor is for frictionless contacts; contact %d has mu = %g", rough,
                       problem->mu[rough]);
        return;
    }
    project(problem, r);
    struct contact_state state = contact_state_open(problem, r);
    int cap = monitor->settings->max_iterations - monitor->before;
    for (int k = 1; !monitor_done(monitor); k++) {
        sweep(&state, monitor->settings->relaxation);
        if (k > CHECK_EVERY && k % CHECK_EVERY != 0 && k < cap && !monitor_late(monitor))
            continue;
        contact_state_refresh(&state); // velocities drift by rounding
        monitor_check(monitor, k, r);
    }
    contact_state_close(&state);
}
