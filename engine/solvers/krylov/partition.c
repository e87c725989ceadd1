#include "engine/solvers/krylov/partition.h"

#include <math.h>
#include <string.h>

#include "engine/solvers/krylov/biconjugate.h"
#include "parallel/memory.h"
#include "parallel/stop.h"

struct partition {
    const struct contact_problem *problem;
    uint8_t *class;
    size_t size;
    bool *active;  // of each component
    double *scale; // of the unknowns: r = scale x. Heavy and light bodies count alike
    double *x, *rhs, *r, *u;
    double *best; // x, of those on the way
    double least; // what it leaves unsolved, squared
    double small; // scaled velocities below are zero
};

static struct partition partition_open(const struct contact_problem *problem, uint8_t *class) {
    struct partition set = {
        .problem = problem, .class = class, .size = contact_problem_size(problem)};
    double **vectors[] = {&set.scale, &set.x, &set.rhs, &set.r, &set.u, &set.best};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = memory_allocate(set.size, sizeof(double), "partition");
    set.active = memory_allocate(set.size, sizeof *set.active, "partition");
    return set;
}

static void partition_close(struct partition *set) {
    void *arrays[] = {set->scale, set->x, set->rhs, set->r, set->u, set->best, set->active};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

// The linear system ---------------------------------------------------------------------------

static void spread(const struct partition *set, const double *x, double *r) {
    for (size_t i = 0; i < set->size; i++)
        r[i] = set->active[i] ? set->scale[i] * x[i] : 0;
}

// Between bodies W is symmetric, its own transpose.
static void system_product(void *context, const double *x, double *Ax) {
    struct partition *set = context;
    spread(set, x, set->r);
    contact_problem_product(set->problem, set->r, Ax);
    for (size_t i = 0; i < set->size; i++)
        Ax[i] *= set->scale[i];
}

static bool has_row(const struct contact_problem *problem, int32_t a, size_t component) {
    uint8_t held = contact_held(problem, a);
    if (held)
        return held >> component & 1;
    return component == 0 || problem->mu[a] > 0;
}

// Finds the scale of a contact. A contact between two prescribed bodies is absent: nothing can
// correct it.
static void scale_contact(struct partition *set, int32_t a, const double *r) {
    const struct contact_problem *problem = set->problem;
    double s = sqrt(problem->rho[a]);
    if (!(s > 0))
        set->class[a] = PARTITION_ABSENT;
    for (size_t i = 3 * (size_t)a; i < 3 * (size_t)a + 3; i++) {
        set->scale[i] = s;
        set->x[i] = s > 0 ? r[i] / s : 0;
        set->rhs[i] = -s * problem->q[i];
    }
}

// The size of the errors there are, scaled.
static double closing_error(const struct partition *set) {
    double sum = 0;
    for (int32_t a = 0; a < set->problem->contacts; a++) {
        const double *error = set->rhs + 3 * (size_t)a;
        bool closing = error[0] > 0 || contact_held(set->problem, a);
        for (size_t i = 0; closing && set->class[a] != PARTITION_ABSENT && i < 3; i++)
            sum += has_row(set->problem, a, i) ? error[i] * error[i] : 0;
    }
    return sqrt(sum);
}

static void refresh_active(struct partition *set) {
    for (size_t i = 0; i < set->size; i++) {
        int32_t a = (int32_t)(i / 3);
        set->active[i] = set->class[a] == PARTITION_ACTIVE && has_row(set->problem, a, i % 3);
        set->x[i] = set->active[i] ? set->x[i] : 0;
    }
}

// Progress ------------------------------------------------------------------------------------

static void find_velocity(struct partition *set) {
    spread(set, set->x, set->r);
    contact_problem_velocity(set->problem, set->r, set->u);
}

// How far row i is from its law, scaled: u = 0 where the contact is closed, r = 0 where it is open.
static double row_error(const struct partition *set, int32_t a, size_t i, bool closed) {
    if (set->class[a] == PARTITION_ABSENT || !has_row(set->problem, a, i % 3))
        return 0;
    return closed ? set->scale[i] * set->u[i] : set->x[i];
}

// Keeps x if it obeys the laws better than the best so far. set->u must hold its velocities.
static void keep_best(struct partition *set) {
    double sum = 0;
    for (int32_t a = 0; a < set->problem->contacts; a++) {
        size_t n = 3 * (size_t)a;
        bool closed = contact_held(set->problem, a) || set->x[n] > set->scale[n] * set->u[n];
        for (size_t i = n; i < n + 3; i++) {
            double error = row_error(set, a, i, closed);
            sum += error * error;
        }
    }
    if (!(sum < set->least))
        return;
    set->least = sum;
    memcpy(set->best, set->x, set->size * sizeof *set->x);
}

// The automaton -------------------------------------------------------------------------------

static enum partition_class next_class(const struct partition *set, int32_t a) {
    size_t normal = 3 * (size_t)a;
    if (contact_held(set->problem, a))
        return set->class[a];
    if (set->class[a] == PARTITION_ACTIVE)
        return set->x[normal] < 0 ? PARTITION_INACTIVE : PARTITION_ACTIVE;
    bool closes = set->scale[normal] * set->u[normal] < -set->small;
    return set->class[a] == PARTITION_INACTIVE && closes ? PARTITION_ACTIVE : set->class[a];
}

static bool reclassify(struct partition *set) {
    bool changed = false;
    find_velocity(set);
    for (int32_t a = 0; a < set->problem->contacts; a++) {
        enum partition_class next = next_class(set, a);
        changed |= next != set->class[a];
        set->class[a] = (uint8_t)next;
    }
    if (changed) {
        refresh_active(set);
        find_velocity(set);
    }
    keep_best(set);
    return changed;
}

static int iterate(struct partition *set, struct bicg *bicg, int iterations) {
    int used = 0;
    bool changed = true, goes_on = true;
    refresh_active(set);
    find_velocity(set);
    keep_best(set);
    while (used < iterations && (changed || (goes_on && bicg_residual(bicg) > set->small)) &&
           !stop_requested()) {
        if (changed)
            bicg_restart(bicg, set->rhs, set->x);
        goes_on = bicg_step(bicg, set->x);
        changed = reclassify(set);
        used++;
    }
    return used;
}

int partition_solve(const struct contact_problem *problem, uint8_t *class, int iterations,
                    double tolerance, double *r) {
    struct partition set = partition_open(problem, class);
    int used = 0;
    for (int32_t a = 0; a < problem->contacts; a++)
        scale_contact(&set, a, r);
    double error = closing_error(&set);
    set.small = tolerance * error;
    set.least = INFINITY;
    if (error > 0) {
        struct bicg_operator A = {set.size, &set, system_product, system_product};
        struct bicg *bicg = bicg_open(&A, set.active);
        used = iterate(&set, bicg, iterations);
        bicg_close(bicg);
        for (size_t i = 0; i < set.size; i++)
            r[i] = set.scale[i] * set.best[i];
    }
    partition_close(&set);
    return used;
}
