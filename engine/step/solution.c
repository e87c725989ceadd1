#include "engine/step/solution.h"

#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/solvers/panel.h"
#include "engine/solvers/local/polygon.h"
#include "parallel/memory.h"

#define NEARLY  0.01 // a residual from which impulses do not run away
#define SWOLLEN 1e7  // they have: so many digits cancel each other that energy is lost in rounding

// No impulses at all, with a residual of 1, are the better start than some that are far off, unless
// they are right but for a loaded contact that was not found again: that makes 10, and newton needs
// a third of the factorisations from there. Impulses that begin to run away are not.
#define LOST    30.0
#define RUNNING 1e4 // their swelling

static bool has_polygon(const struct gabion_settings *settings) {
    bool by_contact = settings->local == GABION_LOCAL_LEMKE || settings->local == GABION_LOCAL_QP;
    return settings->method == GABION_METHOD_LEMKE || settings->method == GABION_METHOD_QP ||
           (settings->method == GABION_METHOD_NSGS && by_contact);
}

// The sweeps over packed contacts are made for runs; the panel's are for comparisons.
bool solution_visits_all(const struct gabion_settings *settings) {
    return settings->method == GABION_METHOD_NSGS && !has_polygon(settings);
}

// What did not converge counts if it is better than the start and nearly right.
static bool worth_keeping(double residual, double first) {
    return residual < first && residual <= NEARLY;
}

// A better start for sweeps. A problem may have no solution (a block between drivers that close),
// and impulses then grow with every iteration while the residual hardly falls. It is the scaled one
// that tells: FCLIB's divides by the impulses.
static bool worth_sweeping(const struct nsgs_result *result, double first) {
    return result->residual < 0.5 * fmin(first, 1) && result->swelling <= SWOLLEN;
}

static bool worth_starting_from(const struct gabion_settings *settings,
                                const struct nsgs_result *result) {
    bool nearly_all = result->residual <= LOST && result->swelling <= RUNNING;
    return result->residual <= 1 || (settings->method == GABION_METHOD_NEWTON && nearly_all);
}

static struct nsgs_result use(struct gabion_world *world, const struct friction_problem *problem,
                              const double *r) {
    friction_problem_put(problem, r, world->problem);
    return nsgs_measure(world);
}

// Sweeps have to help, from the better of the start and what was found. A few of them may do harm:
// then they do not count.
static struct nsgs_result sweep(struct gabion_world *world, const struct friction_problem *problem,
                                const double *better, double residual) {
    friction_problem_put(problem, better, world->problem);
    struct nsgs_result result = nsgs_solve(world);
    if (result.converged || result.residual <= residual)
        return result;
    int sweeps = result.sweeps;
    result = use(world, problem, better);
    result.sweeps = sweeps;
    return result;
}

// Impulses that obey the law of the polygon that was asked for are the answer, however far the
// round cone is: that is what a polygon costs (Renouf, Acary, Dumont 2005, section 8.2).
static bool obeys_polygon(const struct gabion_settings *settings,
                          const struct friction_problem *problem, const double *r) {
    return has_polygon(settings) &&
           polygon_residual(problem, &settings->cone, r) <= settings->tolerance;
}

// The better of the start and no impulses at all.
static void start_again(const double *start, double first, size_t size, double *r) {
    if (first <= 1)
        memcpy(r, start, size * sizeof *r);
    else
        memset(r, 0, size * sizeof *r);
}

static struct nsgs_result solve(struct gabion_world *world, const struct friction_problem *problem,
                                const double *start, double first) {
    const struct gabion_settings *settings = &world->settings;
    size_t size = friction_problem_size(problem);
    double *r = memory_allocate(size, sizeof *r, "impulses");
    struct solver_settings chosen = {
        .local = settings->local,
        .tolerance = settings->tolerance,
        .measure = settings->measure,
        .max_iterations = settings->max_sweeps,
        .relaxation = settings->relaxation,
        .cone = settings->cone,
        .deadline = world->deadline,
    };
    memcpy(r, start, size * sizeof *r);
    struct solver_result found = panel_solve(problem, settings->method, &chosen, r);
    struct nsgs_result result = use(world, problem, r);
    result.sweeps = found.iterations;
    result.local_fallbacks = found.local_fallbacks;
    // The same measure of the same impulses, but for the rounding of the velocities.
    result.converged |= found.status == SOLVER_CONVERGED || obeys_polygon(settings, problem, r);
    if (found.status == SOLVER_REFUSED) {
        memcpy(result.refusal, found.note, sizeof result.refusal);
    } else if ((!result.converged && !worth_keeping(result.residual, first)) ||
               result.swelling > SWOLLEN) {
        bool found_better = worth_sweeping(&result, first);
        if (!found_better)
            start_again(start, first, size, r);
        result = sweep(world, problem, r, found_better ? result.residual : first);
    }
    memory_free(r);
    return result;
}

struct nsgs_result solution_find(struct gabion_world *world) {
    const struct gabion_settings *settings = &world->settings;
    if (solution_visits_all(settings))
        return nsgs_solve(world);
    struct nsgs_result result = nsgs_measure(world);
    if (result.converged && (!has_polygon(settings) || world->contacts->count == 0))
        return result;
    double first = result.residual;
    struct friction_problem *problem = friction_problem_of_step(world);
    size_t size = friction_problem_size(problem);
    double *start = memory_allocate(size, sizeof *start, "impulses");
    if (worth_starting_from(settings, &result))
        friction_problem_get(problem, world->problem, start);
    if (!result.converged || !obeys_polygon(settings, problem, start)) {
        if (result.converged) // for the round cone: such a start would be taken for the answer
            memset(start, 0, size * sizeof *start);
        result = solve(world, problem, start, first);
    }
    memory_free(start);
    friction_problem_free(problem);
    return result;
}
