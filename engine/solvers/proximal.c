#include "engine/solvers/proximal.h"

#include <string.h>

#include "engine/solvers/body_system.h"
#include "parallel/memory.h"

// Compliance, in units of each contact's |W|. A small one is exact at once but has many kinks
// between the start and the solution; where Newton's method loses its way among them a larger one
// does not. It starts anew in every solve, because the state must not hide in the solver.
#define COMPLIANCE_START 1e-4
#define COMPLIANCE_MIN   1e-9
#define COMPLIANCE_MAX   5 // arches of 60 voussoirs that start cold need 1

#define ITERATIONS 25 // Newton, per proximal step
#define EASY       8  // up to here the next compliance may be smaller
#define HARD       12 // from here it should be larger
#define PROBES     12 // points of the line search

struct proximal {
    struct body_system *system;
    double compliance;
    double *v, *kept, *trial, *f, *step;
    size_t capacity[5];
};

struct proximal *proximal_create(void) {
    struct proximal *proximal = memory_allocate(1, sizeof *proximal, "proximal");
    proximal->system = body_system_create();
    return proximal;
}

void proximal_free(struct proximal *proximal) {
    if (!proximal)
        return;
    body_system_free(proximal->system);
    memory_free(proximal->v);
    memory_free(proximal->kept);
    memory_free(proximal->trial);
    memory_free(proximal->f);
    memory_free(proximal->step);
    memory_free(proximal);
}

void proximal_prepare(struct proximal *proximal, const struct gabion_world *world) {
    double **vectors[] = {&proximal->v, &proximal->kept, &proximal->trial, &proximal->f,
                          &proximal->step};
    body_system_prepare(proximal->system, world);
    for (int k = 0; k < 5; k++)
        *vectors[k] =
            memory_reserve(*vectors[k], &proximal->capacity[k], body_system_size(proximal->system),
                           sizeof(double), "proximal");
    body_system_start(proximal->system, world, proximal->v);
    proximal->compliance = COMPLIANCE_START;
}

void proximal_keep(struct proximal *proximal, const struct problem *problem) {
    body_system_keep(proximal->system, problem);
}

void proximal_restore(const struct proximal *proximal, struct problem *problem) {
    body_system_restore(proximal->system, problem);
}

bool proximal_exhausted(const struct proximal *proximal) {
    return proximal->compliance > COMPLIANCE_MAX;
}

// How far the equation is from being solved: square of M^-1 f, and its scale.
struct merit {
    double value2, scale2;
};

// f at v - t step, along the step: positive while the step should go on.
static double probe(struct proximal *proximal, double t, enum friction friction,
                    struct merit *merit) {
    size_t size = body_system_size(proximal->system);
    for (size_t i = 0; i < size; i++)
        proximal->trial[i] = proximal->v[i] - t * proximal->step[i];
    merit->value2 = body_system_evaluate(proximal->system, proximal->trial, friction, proximal->f,
                                         &merit->scale2);
    return body_system_product(proximal->system, proximal->f, proximal->step);
}

// With frozen friction f is the gradient of a convex function: its slope along the step falls, and
// where it vanishes is found by false position (Illinois). This is what brings Newton's method
// through thousands of kinks (Castro et al., "An unconstrained convex formulation of compliant
// contact", 2023, for the frictional cone).
static void search(struct proximal *proximal, double slope, struct merit *merit) {
    double low = 0, high = 1, f_low = slope, t = 1;
    double f_high = probe(proximal, 1, FRICTION_FROZEN, merit);
    int side = 0;
    for (int k = 0; k < PROBES && f_high < -0.05 * slope; k++) {
        t = (low * f_high - high * f_low) / (f_high - f_low);
        double f = probe(proximal, t, FRICTION_FROZEN, merit);
        if (fabs(f) <= 0.05 * slope)
            break;
        if (f > 0) {
            low = t;
            f_low = f;
            f_high *= side > 0 ? 0.5 : 1;
        } else {
            high = t;
            f_high = f;
            f_low *= side < 0 ? 0.5 : 1;
        }
        side = f > 0 ? 1 : -1;
    }
    probe(proximal, t, FRICTION_COUPLED, merit);
}

static bool direction(struct proximal *proximal, enum friction friction, int *budget) {
    if (--*budget < 0 || !body_system_factorise(proximal->system, friction))
        return false;
    memcpy(proximal->step, proximal->f, body_system_size(proximal->system) * sizeof(double));
    body_system_solve(proximal->system, proximal->step);
    return true;
}

// A full step where that is clearly good; else a search with the friction of the moment frozen. The
// matrix of coupled friction is not symmetric, and its direction may lead uphill: then that of
// frozen friction, which never does.
static bool iterate(struct proximal *proximal, struct merit *merit, int *budget) {
    struct merit before = *merit;
    size_t bytes = body_system_size(proximal->system) * sizeof(double);
    body_system_freeze(proximal->system);
    if (!direction(proximal, FRICTION_COUPLED, budget))
        return false;
    probe(proximal, 1, FRICTION_COUPLED, merit);
    if (!(merit->value2 <= 0.25 * before.value2)) {
        double slope = probe(proximal, 0, FRICTION_FROZEN, merit);
        if (!(slope > 0)) {
            if (!direction(proximal, FRICTION_FROZEN, budget))
                return false;
            slope = probe(proximal, 0, FRICTION_FROZEN, merit);
        }
        search(proximal, slope, merit);
    }
    memcpy(proximal->v, proximal->trial, bytes);
    return isfinite(merit->value2);
}

static int newton(struct proximal *proximal, double accuracy, int *budget) {
    struct merit merit;
    merit.value2 = body_system_evaluate(proximal->system, proximal->v, FRICTION_COUPLED,
                                        proximal->f, &merit.scale2);
    for (int iteration = 0; iteration <= ITERATIONS; iteration++) {
        if (merit.value2 <= accuracy * accuracy * merit.scale2)
            return iteration;
        if (iteration == ITERATIONS || !iterate(proximal, &merit, budget))
            break;
    }
    return -1;
}

bool proximal_step(struct proximal *proximal, struct problem *problem, double tolerance,
                   int *budget) {
    size_t bytes = body_system_size(proximal->system) * sizeof(double);
    double accuracy = fmax(0.01 * tolerance, 1e-12);
    memcpy(proximal->kept, proximal->v, bytes);
    body_system_refer(proximal->system, problem, proximal->compliance);
    int iterations = newton(proximal, accuracy, budget);
    if (iterations < 0) {
        memcpy(proximal->v, proximal->kept, bytes);
        proximal->compliance *= 10;
        return false;
    }
    body_system_store(proximal->system, problem);
    if (iterations <= EASY)
        proximal->compliance = fmax(0.3 * proximal->compliance, COMPLIANCE_MIN);
    else if (iterations > HARD)
        proximal->compliance *= 2;
    return true;
}
