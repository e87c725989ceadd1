#include "engine/solution.h"

#include <string.h>

#include "engine/solvers/panel.h"
#include "parallel/memory.h"

#define NEARLY 0.01 // a residual from which impulses do not run away

// The sweeps over packed contacts are made for runs; the panel's are for comparisons.
bool solution_visits_all(const struct gabion_settings *settings) {
    return settings->method == GABION_METHOD_NSGS && settings->local != GABION_LOCAL_LEMKE &&
           settings->local != GABION_LOCAL_QP;
}

static double measure_of(const struct gabion_settings *settings, const struct nsgs_result *result) {
    return settings->measure == GABION_MEASURE_SCALED ? result->residual : result->residual_fclib;
}

// What did not converge counts only if it is much better than the start, or that was nearly right:
// a problem may have no solution (a block between drivers that close), and impulses then grow with
// every iteration while the residual hardly falls.
static bool worth_keeping(const struct solver_result *found, double measure, double first) {
    double enough = first <= NEARLY ? first : 0.1 * fmin(first, 1);
    return found->status == SOLVER_CONVERGED || measure < enough;
}

static struct nsgs_result use(struct gabion_world *world, const struct friction_problem *problem,
                              const double *r) {
    friction_problem_put(problem, r, world->problem);
    return nsgs_measure(world);
}

struct nsgs_result solution_find(struct gabion_world *world) {
    const struct gabion_settings *settings = &world->settings;
    if (solution_visits_all(settings))
        return nsgs_solve(world);
    struct nsgs_result result = nsgs_measure(world);
    if (result.converged)
        return result;
    double first = measure_of(settings, &result);
    struct friction_problem *problem = friction_problem_of_step(world);
    size_t size = friction_problem_size(problem);
    double *start = memory_allocate(size, sizeof *start, "impulses");
    double *r = memory_allocate(size, sizeof *r, "impulses");
    struct solver_settings chosen = {
        .local = settings->local,
        .tolerance = settings->tolerance,
        .measure = settings->measure,
        .max_iterations = settings->max_sweeps,
        .relaxation = settings->relaxation,
        .cone = settings->cone,
    };
    if (first <= 1) // else nothing is the better start
        friction_problem_get(problem, world->problem, start);
    memcpy(r, start, size * sizeof *r);
    struct solver_result found = panel_solve(problem, settings->method, &chosen, r);
    result = use(world, problem, r);
    result.sweeps = found.iterations;
    result.local_fallbacks = found.local_fallbacks;
    // The same measure of the same impulses, but for the rounding of the velocities.
    result.converged |= found.status == SOLVER_CONVERGED;
    if (found.status == SOLVER_REFUSED) {
        memcpy(result.refusal, found.note, sizeof result.refusal);
    } else if (!result.converged && !worth_keeping(&found, measure_of(settings, &result), first)) {
        friction_problem_put(problem, start, world->problem);
        result = nsgs_solve(world); // sweeps have to help
    }
    memory_free(start);
    memory_free(r);
    friction_problem_free(problem);
    return result;
}
