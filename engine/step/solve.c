#include "engine/step/solve.h"

#include <string.h>

#include "engine/contact/detection.h"
#include "engine/contact/shared.h"
#include "engine/problem/stored.h"
#include "engine/solvers/choice.h"
#include "engine/solvers/local/polygon.h"
#include "engine/solvers/newton/proximal_newton.h"
#include "engine/solvers/panel.h"
#include "engine/solvers/sweep/workspace.h"
#include "engine/step/rest.h"
#include "engine/step/sharing.h"
#include "engine/step/whole.h"
#include "engine/world/loads.h"
#include "parallel/memory.h"

// The residual up to which impulses that did not converge are better than none.
#define ACCEPTABLE_RESIDUAL 0.01

// The growth of impulses (residual_swelling) beyond which they cancel each other in so many digits
// that rounding changes the energy.
#define MAX_IMPULSE_GROWTH 1e7

// A resting structure is solved again to this share of the tolerance, in at most so many
// iterations: then thousands of steps pass before the error adds up to the tolerance.
#define SETTLED_SHARE      1e-4
#define SETTLED_ITERATIONS 20

// auto looks every so many steps whether the structure is nearly at rest: whether the impulses of
// the last step have a residual below so many tolerances.
#define SETTLING_INTERVAL 16
#define QUIET_RESIDUAL    10

// The problem ---------------------------------------------------------------------------------

static void find_largest_inverse(void *context, size_t begin, size_t end, double *out) {
    const struct bodies *bodies = context;
    for (size_t i = begin; i < end; i++)
        out[0] = fmax(out[0], 1 / bodies_size(bodies, (int32_t)i));
}

struct least_speeds solve_least_speeds(const struct gabion_world *world) {
    double h = world->settings.step, inverse_size = 0;
    piece_max(world, world->bodies.moving, 1, find_largest_inverse, (void *)&world->bodies,
              &inverse_size);
    double size_per_step = inverse_size > 0 ? 1 / (inverse_size * h) : 0;
    double gravity = h * vec3_length(loads_step_gravity(world));
    return (struct least_speeds){.floor = fmax(gravity, LEAST_TRAVEL * size_per_step),
                                 .still = STILL_TRAVEL * size_per_step};
}

void step_keep(struct step_observer *observer, struct contact_problem *problem, const vec3 *start) {
    struct step_keeper *keeper = (struct step_keeper *)observer;
    contact_problem_free(keeper->problem);
    keeper->problem = contact_problem_copy(problem, start);
}

static struct contact_problem *problem_of(const struct gabion_world *world, size_t count) {
    const struct contacts *contacts = world->contacts;
    struct contact_views views = {
        .midpoint = world->midpoint,
        .contacts = contacts->list,
        .count = count,
        .bias = contacts->bias,
        .before = contacts->before,
        .spread = contacts->spread,
        .joints = &contacts->joints,
        .laws = world->laws.law,
        .law_count = world->laws.count,
        .v = world->bodies.v,
        .w = world->bodies.w,
        .cuts = contacts_are_shared(contacts) ? &contacts->cuts : NULL,
        .piece = &world->piece,
    };
    return contact_problem_of_views(&views, solve_least_speeds(world), world->team);
}

struct contact_problem *solve_problem(const struct gabion_world *world) {
    return problem_of(world, world->contacts->count);
}

struct contact_problem *solve_joints(const struct gabion_world *world) {
    return problem_of(world, 0);
}

struct solver_settings solve_settings(const struct gabion_world *world) {
    const struct gabion_settings *settings = &world->settings;
    return (struct solver_settings){
        .local = settings->local,
        .tolerance = settings->tolerance,
        .measure = settings->measure,
        .max_iterations = settings->max_sweeps,
        .relaxation = settings->relaxation,
        .momentum = settings->momentum,
        .cone = settings->cone,
        .deadline = world->deadline,
    };
}

void solve_admit(struct gabion_world *world) {
    if (!panel_visits_all(world->settings.method))
        contacts_admit(world);
}

// Of the steps before: auto leaves what is large to sweeps alone.
static bool was_large(const struct gabion_world *world) {
    int64_t rows = world->report.rows;
    return choice_is_large((size_t)(rows > 0 ? rows : 3 * (int64_t)world->bodies.moving));
}

const char *solve_sharing_advice(const struct gabion_settings *settings) {
    bool nsgs = settings->method == GABION_METHOD_NSGS;
    bool polygon = solver_has_polygon(GABION_METHOD_NSGS, settings->local);
    if (settings->scheme == GABION_SCHEME_CORRECTIVE)
        return "time.scheme moreau with solver.method nsgs shares contacts among ranks";
    if (polygon && (nsgs || settings->method == GABION_METHOD_AUTO))
        return "solver.method nsgs shares contacts among ranks, but not with the polygonal cone of "
               "this solver.local";
    return nsgs ? NULL : "solver.method nsgs shares contacts among ranks";
}

bool solve_shares(const struct gabion_world *world) {
    bool chosen = world->settings.method == GABION_METHOD_AUTO && was_large(world) &&
                  world->memory.method != GABION_METHOD_NEWTON;
    struct gabion_settings settings = world->settings;
    if (chosen)
        settings.method = GABION_METHOD_NSGS;
    return !world->observer && !solve_sharing_advice(&settings);
}

// Returns whether auto is certain to leave the problem to sweeps, before its nodes are listed: a
// pair of bodies has one at least.
static bool has_many_pairs(const struct contacts *contacts) {
    size_t pairs = 0;
    for (size_t k = 0; k < contacts->count && !choice_is_large(pairs); k++) {
        const struct contact *contact = &contacts->list[k];
        bool again = k > 0 && contact[-1].c == contact->c && contact[-1].a == contact->a;
        pairs += (contact->flags & CONTACT_ACTIVE) && !again;
    }
    return choice_is_large(pairs);
}

// Returns whether rows may be made of the problem, which then take from the plan what it computes.
static bool may_have_rows(const struct gabion_world *world) {
    enum gabion_method method = world->settings.method;
    return !panel_visits_all(method) &&
           !(method == GABION_METHOD_AUTO && has_many_pairs(world->contacts));
}

static void open_problem(struct gabion_world *world) {
    struct solver_settings settings = solve_settings(world);
    world->problem = solve_problem(world);
    if (may_have_rows(world))
        contact_problem_keep_rho(world->problem);
    solver_workspace_open(world->workspace, world->problem, &settings, world->contacts->impulse);
}

static void close_problem(struct gabion_world *world) {
    solver_workspace_close(world->workspace);
    contact_problem_free(world->problem);
    world->problem = NULL;
}

static bool is_large(const struct gabion_world *world) {
    struct solver_sizes sizes = solver_workspace_sizes(world->workspace);
    return choice_is_large(sizes.spheres + sizes.nodes);
}

// What auto may solve by other methods than sweeps, every rank solves whole.
void solve_open(struct gabion_world *world) {
    open_problem(world);
    if (contacts_are_shared(world->contacts) && world->settings.method == GABION_METHOD_AUTO &&
        !is_large(world)) {
        close_problem(world);
        whole_step(world);
        open_problem(world);
    }
    if (world->observer)
        world->observer->see(world->observer, world->problem, world->contacts->impulse);
}

void solve_close(struct gabion_world *world) {
    world->report.colours = solver_workspace_colours(world->workspace);
    world->report.rows = (int64_t)solver_workspace_active(world->workspace);
    sharing_note_solve(world);
    close_problem(world);
}

// What the step goes on with --------------------------------------------------------------------

struct solution {
    struct gabion_world *world;
    struct solver_settings settings;
    enum gabion_method method;
    vec3 *r; // the impulses of the step, over the slots of the problem
    size_t slots;
    struct solver_measure measure; // of r
    bool converged;
    double first; // scaled residual of the impulses that the step came with
};

// Impulses whose scaled residual is above 1 are worse than none, whatever FCLIB's measure says: it
// divides by the impulses and accepts anything that has grown enough.
static bool is_worse_than_none(const struct contact_error *error) { return !(error->scaled <= 1); }

static bool within_tolerance(const struct solution *solution, const struct contact_error *error) {
    bool scaled = solution->settings.measure == GABION_MEASURE_SCALED;
    return (scaled ? error->scaled : error->fclib) <= solution->settings.tolerance &&
           !is_worse_than_none(error);
}

static void measure(struct solution *solution) {
    solution->measure =
        solver_workspace_measure(solution->world->workspace, &solution->settings, solution->r);
    solution->converged = within_tolerance(solution, &solution->measure.error);
}

static void add_to_report(struct solution *solution, const struct solver_result *result) {
    struct gabion_step_report *report = &solution->world->report;
    for (int method = 0; method < GABION_METHOD_COUNT; method++)
        report->spent[method] += result->spent[method];
    report->finished_by = result->finished;
    report->sweeps = result->iterations;
    report->substitutions = result->substitutions;
    solution->world->run.local_fallbacks += result->local_fallbacks;
    if (result->status == SOLVER_REJECTED)
        memcpy(report->rejection, result->note, sizeof report->rejection);
}

static struct solver_result try_method(struct solution *solution, enum gabion_method method) {
    struct gabion_world *world = solution->world;
    struct solver_result result = panel_solve(world->problem, method, &solution->settings,
                                              world->workspace, (double *)solution->r);
    add_to_report(solution, &result);
    return result;
}

// Solves by nsgs, which leaves the velocities of its impulses in the workspace and has measured
// them.
static void sweep(struct solution *solution) {
    struct solver_result result = try_method(solution, GABION_METHOD_NSGS);
    solution->measure = (struct solver_measure){.error = result.error};
    solution->converged = result.status == SOLVER_CONVERGED;
}

// Returns whether impulses obey the law of the polygonal cone that the user asked for. They are
// then the solution, whatever the residual of the round cone is: this is the error that a polygon
// makes (Renouf, Acary, Dumont 2005, section 8.2).
static bool obeys_polygon(const struct solution *solution, const vec3 *slots) {
    struct contact_problem *problem = solution->world->problem;
    if (!solver_has_polygon(solution->method, solution->settings.local))
        return false;
    contact_problem_materialise(problem);
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "impulses");
    contact_problem_to_rows(problem, slots, r);
    double residual = polygon_residual(problem, &solution->settings.cone, r);
    memory_free(r);
    return residual <= solution->settings.tolerance;
}

// Beyond 1, the residual of zero impulses, only newton may start from other impulses.
static bool worth_starting_from(const struct solution *solution) {
    double residual = solution->measure.error.scaled;
    return residual <= 1 || (solution->method == GABION_METHOD_NEWTON &&
                             proximal_newton_starts_from(residual, solution->measure.swelling));
}

// Returns whether impulses that did not converge are kept: they must be better than the start and
// have an acceptable residual.
static bool worth_keeping(const struct solution *solution) {
    double residual = solution->measure.error.scaled;
    return residual < solution->first && residual <= ACCEPTABLE_RESIDUAL;
}

// Returns whether the impulses are a better start for sweeps than those of the step. A problem may
// have no solution (a block between drivers that close), and impulses then grow with every
// iteration while the residual hardly falls. It is the scaled one that shows this: FCLIB's divides
// by the impulses.
static bool worth_sweeping(const struct solution *solution) {
    return solution->measure.error.scaled < 0.5 * fmin(solution->first, 1) &&
           solution->measure.swelling <= MAX_IMPULSE_GROWTH;
}

// Sweeps from the best of three: the start, zero impulses, and the impulses found. Drops the result
// where its residual is above that of the impulses found or, where these are not used, of the
// start.
static void fall_back(struct solution *solution, const vec3 *start) {
    size_t bytes = solution->slots * sizeof(vec3);
    bool found = worth_sweeping(solution);
    double residual = found ? solution->measure.error.scaled : solution->first;
    if (!found && solution->first <= 1)
        memcpy(solution->r, start, bytes);
    else if (!found)
        memset(solution->r, 0, bytes);
    struct gabion_step_report *report = &solution->world->report, before = *report;
    report->fell_back = true;
    before.finished_by = found ? before.finished_by : solution->method;
    vec3 *better = memory_allocate(solution->slots, sizeof *better, "impulses");
    memcpy(better, solution->r, bytes);
    sweep(solution);
    if (!solution->converged && solution->measure.error.scaled > residual) {
        memcpy(solution->r, better, bytes);
        measure(solution);
        report->finished_by = before.finished_by;
        report->sweeps = before.sweeps;
        report->substitutions = before.substitutions;
    }
    memory_free(better);
}

static void solve_from(struct solution *solution, const vec3 *start) {
    memcpy(solution->r, start, solution->slots * sizeof *start);
    struct solver_result result = try_method(solution, solution->method);
    measure(solution);
    // This measure may differ from the method's own by the rounding error of the velocities.
    bool claimed =
        result.status == SOLVER_CONVERGED && !is_worse_than_none(&solution->measure.error);
    solution->converged |= claimed || obeys_polygon(solution, solution->r);
    if (result.status == SOLVER_REJECTED)
        return;
    if ((!solution->converged && !worth_keeping(solution)) ||
        solution->measure.swelling > MAX_IMPULSE_GROWTH)
        fall_back(solution, start);
}

// Returns whether the impulses solve this step but not the next one (engine/step/rest.h). Where
// they are those of the last step, the velocities before the step obey the law, so the error at
// most doubles.
static bool is_unsettled(const struct solution *solution) {
    const struct contact_error *error = &solution->measure.error;
    struct contact_error twice = {2 * error->scaled, 2 * error->fclib, 2 * error->worst};
    if (within_tolerance(solution, &twice))
        return false;
    struct contact_error next = rest_error_of_next(solution->world->problem, solution->r);
    return !within_tolerance(solution, &next);
}

static void settle(struct solution *solution) {
    struct solver_settings asked = solution->settings;
    solution->settings.tolerance *= SETTLED_SHARE;
    if (solution->settings.max_iterations > SETTLED_ITERATIONS)
        solution->settings.max_iterations = SETTLED_ITERATIONS;
    bool converged = solution->converged;
    double before = solution->measure.error.scaled;
    try_method(solution, GABION_METHOD_NEWTON);
    solution->settings = asked;
    measure(solution);
    // The views' measure may differ from that of the rows by rounding.
    solution->converged |= converged && solution->measure.error.scaled <= before * (1 + 1e-6);
}

// Solves by a method that need not visit every contact, unless the start is the solution already.
static void solve_if_needed(struct solution *solution) {
    bool polygon = solver_has_polygon(solution->method, solution->settings.local);
    measure(solution);
    solution->world->report.finished_by = solution->method;
    if (solution->converged && (!polygon || solution->slots == 0)) {
        if (solution->method == GABION_METHOD_NEWTON && is_unsettled(solution))
            settle(solution);
        return;
    }
    solution->first = solution->measure.error.scaled;
    vec3 *start = memory_allocate(solution->slots, sizeof *start, "impulses");
    if (worth_starting_from(solution))
        memcpy(start, solution->r, solution->slots * sizeof *start);
    if (!solution->converged || !obeys_polygon(solution, start)) {
        if (solution->converged) // for the round cone only: the method would accept such a start
            memset(start, 0, solution->slots * sizeof *start);
        solve_from(solution, start);
    }
    memory_free(start);
}

// Solves by nsgs. With a polygonal cone, sweeps converge to the law of that cone.
static void solve_by_sweeps(struct solution *solution) {
    sweep(solution);
    solution->converged |= !solution->converged && obeys_polygon(solution, solution->r);
}

static double residual_of_start(const struct solution *solution, const vec3 *start) {
    return solver_workspace_measure(solution->world->workspace, &solution->settings, start)
        .error.scaled;
}

// Returns whether a structure of blocks is nearly at rest: its impulses of the last step nearly
// solve this one. Sweeps that stop at the tolerance would be needed again in every step. Looked at
// now and then only, because a structure that moves slowly looks the same and does not settle.
static bool is_quiet(const struct solution *solution, const vec3 *start) {
    const struct gabion_world *world = solution->world;
    return world->memory.method == GABION_METHOD_NEWTON && world->step % SETTLING_INTERVAL == 0 &&
           solution->settings.measure == GABION_MEASURE_SCALED &&
           residual_of_start(solution, start) <= QUIET_RESIDUAL * solution->settings.tolerance;
}

// Solves by auto, which measures the start itself and sweeps where that helps. Impulses that it
// found on rows are measured again, because the step goes on with the velocities of the workspace.
// The start of a large problem is not kept: no other method follows its sweeps.
static void solve_by_choice(struct solution *solution) {
    vec3 *start = NULL;
    bool quiet = is_quiet(solution, solution->r);
    if (!is_large(solution->world)) {
        start = memory_allocate(solution->slots, sizeof *start, "impulses");
        memcpy(start, solution->r, solution->slots * sizeof *start);
    }
    struct solver_result result = try_method(solution, GABION_METHOD_AUTO);
    bool converged = result.status == SOLVER_CONVERGED;
    bool swept = result.finished == GABION_METHOD_NSGS || result.finished == GABION_METHOD_AUTO;
    if (swept && converged && !solution->world->problem->bodies.rows)
        solution->measure = (struct solver_measure){.error = result.error};
    else
        measure(solution);
    solution->converged |= converged;
    if (start && !swept && solution->measure.swelling > MAX_IMPULSE_GROWTH) {
        solution->first = residual_of_start(solution, start);
        fall_back(solution, start);
    } else if (quiet && solution->converged && is_unsettled(solution)) {
        settle(solution);
    }
    memory_free(start);
}

// Returns the method of a step. Of the methods that auto chooses from, only nsgs has a local solver
// for polygonal cones.
static enum gabion_method method_of(const struct gabion_settings *settings) {
    bool polygon = solver_has_polygon(GABION_METHOD_NSGS, settings->local);
    return settings->method == GABION_METHOD_AUTO && polygon ? GABION_METHOD_NSGS
                                                             : settings->method;
}

static void forget_last(struct gabion_step_report *report) {
    report->sweeps = 0;
    report->substitutions = 0;
    report->rejection[0] = '\0';
    if (report->rounds > 0) // the solves of a step add up
        return;
    memset(report->spent, 0, sizeof report->spent);
    report->fell_back = false;
}

static void note_worst(struct gabion_world *world) {
    int32_t c, a;
    bool any = solver_workspace_worst(world->workspace, &c, &a);
    int32_t count = world->bodies.count; // a joint may hold a body to the world, which comes after
    world->report.worst_body_a = any && c < count ? world->bodies.id[c] : -1;
    world->report.worst_body_b = any && a < count ? world->bodies.id[a] : -1;
}

void solve_run(struct gabion_world *world) {
    struct solution solution = {
        .world = world,
        .settings = solve_settings(world),
        .method = method_of(&world->settings),
        .r = world->contacts->impulse,
        .slots = contact_problem_slots(world->problem),
    };
    solution.settings.memory = &world->memory;
    solution.settings.spare = world->contacts->impulse_capacity - solution.slots;
    forget_last(&world->report);
    if (solution.method == GABION_METHOD_AUTO)
        solve_by_choice(&solution);
    else if (panel_visits_all(solution.method))
        solve_by_sweeps(&solution);
    else
        solve_if_needed(&solution);
    world->report.converged = solution.converged;
    world->report.residual = solution.measure.error.scaled;
    world->report.residual_fclib = solution.measure.error.fclib;
    world->report.residual_worst = solution.measure.error.worst;
    note_worst(world);
}
