// The method auto: chooses methods by the problem, and goes from one to the next until it is
// solved. Each stage starts from the best impulses so far.
//
// A problem with views (a step of a run, or a file that Gabion wrote) is measured first: the start
// may be the solution. Then sweeps of nsgs, until their rate of convergence predicts more work than
// factorisations would take; then admm where the start was cold, ipm and newton, and prox at the
// end. engine/solvers/choice.h compares the costs and remembers what won.
//
// Any other problem goes through anderson, ipm, newton and prox. docs/measurements.md reports the
// gain of each stage by problem.
#include <limits.h>
#include <string.h>

#include "engine/solvers/choice.h"
#include "engine/solvers/krylov/anderson.h"
#include "engine/solvers/local/local.h"
#include "engine/solvers/methods.h"
#include "engine/solvers/newton/admm.h"
#include "engine/solvers/newton/fill.h"
#include "engine/solvers/newton/ipm.h"
#include "engine/solvers/newton/proximal_newton.h"
#include "engine/solvers/sweep/nsgs.h"
#include "engine/solvers/sweep/workspace.h"
#include "parallel/memory.h"

// Scaled residual from which the start counts as cold: impulses of another load.
#define COLD 0.1
// Scaled residual up to which impulses are nearly the solution.
#define FOUND 0.01
// Scaled residual up to which a flow of grains is none the worse: with impulses that are further
// off the grains stay in motion, and the steps that follow are the harder.
#define ENOUGH 1e-3

#define ADMM_MOST 120  // iterations
#define COLD_GOAL 0.01 // of the tolerance
#define IPM_MOST  60   // factorisations
// Iterations of ipm without a better answer. Where rounding or a fold of its path holds it up, the
// contacts are known well enough for newton, which takes some factorisations from there.
#define IPM_PATIENCE 3
// Factorisations of newton between faces for every sweep of the cap. At the onset of a mechanism a
// wall may take more than a thousand.
#define FACTORS_FACES    0.3
#define FACTORS_AT_LEAST 20
#define SWEEPS_AT_LEAST  100
#define STAGE_COST       6e10 // of a stage, about a minute: large structures are given up sooner

#define ADMM_TRIAL 0.12 // cost of a trial of admm in solutions by ipm
#define PROX_COST  5    // cost of a sweep of prox in sweeps of nsgs

struct chain {
    struct monitor *monitor;
    const struct solver_settings *asked;
    struct solver_settings settings; // with the cap of the stage at work
    bool from_start;                 // the stage at work begins with the impulses of the last step
};

static struct chain chain_open(struct monitor *monitor) {
    return (struct chain){
        .monitor = monitor, .asked = monitor->settings, .settings = *monitor->settings};
}

static void chain_close(struct chain *chain) { chain->monitor->settings = chain->asked; }

// Begins a stage of at most `most` iterations.
static void begin(struct chain *chain, enum gabion_method method, double most) {
    struct monitor *monitor = chain->monitor;
    monitor_stage(monitor, method);
    chain->settings.max_iterations = (int)fmin(monitor->before + fmax(most, 0), INT_MAX);
    monitor->settings = &chain->settings;
    monitor->result.status = SOLVER_STALLED;
}

static bool solved(const struct chain *chain) {
    return chain->monitor->result.status == SOLVER_CONVERGED;
}

// Returns whether another stage may begin. It then starts from the best impulses so far.
static bool open(const struct chain *chain, double *r) {
    struct monitor *monitor = chain->monitor;
    if (solved(chain) || monitor_late(monitor))
        return false;
    memcpy(r, monitor->best, contact_problem_size(monitor->problem) * sizeof *r);
    return true;
}

// Returns how many factorisations newton may take. Among grains they may cost as much as the sweeps
// that are worth making.
static double factor_cap(const struct chain *chain, const struct choice *choice) {
    double cap = chain->asked->max_iterations, affordable = STAGE_COST / fmax(choice->factor, 1);
    double most = choice->faces ? FACTORS_FACES * cap
                                : choice_sweeps(choice, fmin(cap, choice->effort)) / choice->factor;
    return fmax(fmin(most, affordable), FACTORS_AT_LEAST);
}

// Returns how many of `most` sweeps, each `weight` times as dear as one of nsgs, a stage may take.
static double sweep_cap(const struct choice *choice, double weight, double most) {
    return fmax(fmin(most, STAGE_COST / (weight * fmax(choice->sweep, 1))), SWEEPS_AT_LEAST);
}

// Problems with views ---------------------------------------------------------------------------

// Returns the tolerance that admm and ipm get from a cold start. In a run they go further than
// asked for: a structure whose first step is solved just so drifts out of the tolerance within a
// few steps, while one that is solved well stays at rest and costs nothing.
static double cold_tolerance(const struct chain *chain) {
    return chain->asked->tolerance * (chain->asked->memory ? COLD_GOAL : 1);
}

// Returns the iterations of admm that are worth making before ipm. The first solve of a run is left
// to admm: it treats equal contacts alike, so that a tower stands on what it finds, while the
// sweeps that end ipm do not, and the tower begins to lean.
static struct admm_worth admm_worth(const struct chain *chain, const struct choice *choice) {
    const struct solver_memory *memory = chain->asked->memory;
    double share = choice->factor / choice->alternation;
    if (memory && memory->factors == 0)
        return ADMM_PATIENT;
    return (struct admm_worth){.trial = ADMM_TRIAL * share * choice->iterations,
                               .digit = share * choice_iterations(0.1)};
}

// Returns whether the best impulses are within the tolerance asked for, and says so.
static bool settle(struct chain *chain) {
    if (chain->monitor->best_measure > chain->asked->tolerance)
        return false;
    chain->monitor->result.status = SOLVER_CONVERGED;
    return true;
}

// Sweeps up to the cap, from the rows in r. Returns the number of sweeps.
static int run_sweeps(struct chain *chain, const struct choice *choice, double *r) {
    struct monitor *monitor = chain->monitor;
    struct contact_problem *problem = monitor->problem;
    struct solver_result before = monitor->result;
    struct sweep_judge patient = {
        .coldest = INFINITY, .worth = INFINITY, .effort = choice->effort, .enough = ENOUGH};
    vec3 *slots = memory_allocate(contact_problem_slots(problem), sizeof *slots, "impulses");
    contact_problem_from_rows(problem, r, slots);
    chain->settings.spare = 0; // these are other vectors than those of the step
    begin(chain, GABION_METHOD_NSGS, sweep_cap(choice, 1, chain->asked->max_iterations));
    nsgs_judged(monitor, &patient, slots);
    contact_problem_to_rows(problem, slots, r);
    int used = monitor->iterations - monitor->before;
    double best = monitor->best_measure;
    monitor_check(monitor, used, r);
    if (!solved(chain) && monitor->best_measure == best) { // the sweeps have noted their last error
        monitor->result.error = before.error;
        monitor->result.finished = before.finished;
    }
    memory_free(slots);
    return used;
}

// Returns the velocities that newton starts from. Where r comes from a stage before and is nearly
// right, so are the velocities that follow from it.
static enum newton_start newton_start(const struct chain *chain) {
    bool found = !chain->from_start && chain->monitor->result.error.scaled <= FOUND;
    return found ? NEWTON_FROM_IMPULSES : NEWTON_FROM_DRIFT;
}

// Runs one method on the rows. Returns its cost.
static double run_rows(struct chain *chain, const struct choice *choice, enum gabion_method method,
                       struct resolvent *resolvent, double *r) {
    struct monitor *monitor = chain->monitor;
    int most = (int)factor_cap(chain, choice);
    switch (method) {
    case GABION_METHOD_ADMM:
        begin(chain, method, ADMM_MOST);
        return choice->factor + choice->alternation * admm_run(monitor, resolvent, ADMM_MOST,
                                                               admm_worth(chain, choice), r);
    case GABION_METHOD_IPM:
        most = most < IPM_MOST ? most : IPM_MOST;
        begin(chain, method, most);
        return CHOICE_IPM * ipm_run(monitor, resolvent, most, IPM_PATIENCE, r) * choice->factor;
    case GABION_METHOD_NSGS:
        return run_sweeps(chain, choice, r) * choice->sweep;
    case GABION_METHOD_PROX:
        begin(chain, method,
              sweep_cap(choice, PROX_COST,
                        fmin(chain->asked->max_iterations, choice->effort / PROX_COST)));
        solver_prox(monitor, r);
        return PROX_COST * (monitor->iterations - monitor->before) * choice->sweep;
    default:
        begin(chain, method, most);
        return proximal_newton_run(monitor, resolvent, most, newton_start(chain), r) *
               choice->factor;
    }
}

#define STAGES 5

static int add(enum gabion_method list[STAGES], int count, enum gabion_method method) {
    for (int k = 0; k < count; k++)
        if (list[k] == method)
            return count;
    list[count] = method;
    return count + 1;
}

// Lists the methods that follow the sweeps. Where bodies meet at faces these are newton and ipm;
// from a cold start admm, which a structure that sticks is solved by, then ipm, then newton. Among
// grains, whose factors have much fill and whose contacts change all over, some hundred sweeps of
// prox solve most of what sweeps stall on, ipm some of the rest; where both fail, further sweeps
// take less time than newton. Where factors are cheap, ipm and newton come before prox, and are all
// that is tried without credit. The method that solved the last such problem of the run comes
// first, unless the start is cold.
static int list_stages(const struct choice *choice, bool cold, bool joints,
                       enum gabion_method list[STAGES]) {
    enum gabion_method last = (enum gabion_method)choice->memory->method;
    bool structure = choice->faces && choice->affordable;
    int count = 0;
    if (last != GABION_METHOD_NEWTON && last != GABION_METHOD_IPM && last != GABION_METHOD_PROX)
        last = GABION_METHOD_NSGS; // a checkpoint may say anything
    if (structure && cold) {
        count = add(list, count, GABION_METHOD_ADMM);
        if (!joints)
            count = add(list, count, GABION_METHOD_IPM);
    } else if (last == GABION_METHOD_PROX ? !choice->cheap : last && choice->affordable) {
        count = add(list, count, last);
    }
    if (structure)
        count = add(list, count, GABION_METHOD_NEWTON);
    if (!choice->faces && !choice->cheap)
        count = add(list, count, GABION_METHOD_PROX);
    if (choice->affordable && !joints)
        count = add(list, count, GABION_METHOD_IPM);
    if (choice->cheap)
        count = add(list, count, GABION_METHOD_NEWTON);
    if (structure)
        return count; // what newton leaves between faces neither sweeps nor prox were seen to solve
    count = add(list, count, GABION_METHOD_NSGS);
    if (!choice->credit)
        return count;
    count = add(list, count, GABION_METHOD_PROX);
    if (choice->affordable)
        count = add(list, count, GABION_METHOD_NEWTON);
    return count;
}

// Returns the method that is to come first next time: the one that solved this problem. Where
// factors cost much, prox stands for everything but ipm. What solves a structure from a cold start
// tells nothing about the next step.
static enum gabion_method remembered(const struct chain *chain, const struct choice *choice,
                                     bool cold) {
    enum gabion_method method = chain->monitor->result.finished;
    if (cold && choice->faces)
        return GABION_METHOD_NEWTON;
    bool either = method == GABION_METHOD_IPM ||
                  ((choice->faces || choice->cheap) && method == GABION_METHOD_NEWTON);
    return either ? method : GABION_METHOD_PROX;
}

static bool nearly_right(const struct contact_problem *problem, const double *start) {
    struct residual_sums sums = residual_of_rows(problem, start);
    double floor = problem->least.floor;
    return proximal_newton_starts_from(residual_scaled(&sums, floor),
                                       residual_swelling(&sums, floor));
}

// Solves by one method after the other, each from the best impulses so far, in r; newton, where it
// comes first, from the impulses of the last step.
static void solve_stages(struct chain *chain, struct choice *choice, bool cold, const double *start,
                         double *r) {
    const struct contact_problem *problem = chain->monitor->problem;
    enum gabion_method list[STAGES];
    int count = list_stages(choice, cold, problem->held != NULL, list);
    struct resolvent *resolvent = NULL;
    double cost = choice->setup;
    if (list[0] == GABION_METHOD_ADMM)
        chain->settings.tolerance = cold_tolerance(chain);
    for (int k = 0; k < count && open(chain, r); k++) {
        if (list[k] == GABION_METHOD_NEWTON && settle(chain))
            break;
        if (list[k] == GABION_METHOD_NEWTON)
            chain->settings.tolerance = chain->asked->tolerance;
        bool factors = list[k] != GABION_METHOD_PROX && list[k] != GABION_METHOD_NSGS;
        if (!resolvent && factors)
            resolvent = resolvent_create_kept(chain->monitor->workspace, problem);
        chain->from_start =
            k == 0 && list[k] == GABION_METHOD_NEWTON && nearly_right(problem, start);
        if (chain->from_start)
            memcpy(r, start, contact_problem_size(problem) * sizeof *r);
        cost += run_rows(chain, choice, list[k], resolvent, r);
    }
    resolvent_free(resolvent);
    settle(chain);
    chain->settings.tolerance = chain->asked->tolerance;
    choice_note_factors(choice, cost, remembered(chain, choice, cold), solved(chain));
}

// Makes the rows of the problem and goes on from the better of the start and what sweeps found;
// from zero impulses where both are worse than none.
static void leave_views(struct chain *chain, struct choice *choice, bool cold, const vec3 *start,
                        vec3 *slots) {
    struct monitor *monitor = chain->monitor;
    struct contact_problem *problem = monitor->problem;
    contact_problem_materialise(problem);
    size_t size = contact_problem_size(problem);
    double *r = memory_allocate(2 * size, sizeof *r, "impulses"), *first = r + size;
    begin(chain, GABION_METHOD_AUTO, 1);
    monitor_check(monitor, 0, r);
    contact_problem_to_rows(problem, start, first);
    monitor_check(monitor, 0, first);
    begin(chain, GABION_METHOD_NSGS, 1);
    contact_problem_to_rows(problem, slots, r);
    monitor_check(monitor, 0, r);
    solve_stages(chain, choice, cold, first, r);
    contact_problem_from_rows(problem, monitor->best, slots);
    memory_free(r);
}

static void solve_views(struct chain *chain, vec3 *slots) {
    struct monitor *monitor = chain->monitor;
    size_t bytes = contact_problem_slots(monitor->problem) * sizeof *slots;
    struct solver_memory none = {0};
    struct solver_memory *memory = chain->asked->memory ? chain->asked->memory : &none;
    solver_workspace_require(monitor->workspace, monitor->problem, chain->asked, slots);
    struct choice choice = choice_make(monitor->problem, monitor->workspace, memory, chain->asked);
    bool try_admm = choice.faces && choice.affordable;
    struct sweep_judge judge = {.coldest = try_admm ? COLD : INFINITY,
                                .worth = choice.worth,
                                .effort = choice.effort,
                                .enough = ENOUGH};
    vec3 *start = NULL; // for the methods that may follow
    if (choice.rescue) {
        start = memory_allocate(bytes / sizeof *slots, sizeof *start, "impulses");
        memcpy(start, slots, bytes);
    }
    begin(chain, GABION_METHOD_NSGS, choice.sweeps_first ? chain->asked->max_iterations : 0);
    nsgs_judged(monitor, &judge, slots);
    int sweeps = monitor->iterations;
    choice_earn(&choice, sweeps);
    if (sweeps > 0)
        choice_note_sweeps(&choice, solved(chain) ? sweeps : judge.expected, solved(chain));
    else if (solved(chain))
        monitor->result.finished = GABION_METHOD_AUTO;
    if (!solved(chain) && !monitor_late(monitor) && choice.rescue) {
        leave_views(chain, &choice, judge.first > COLD, start, slots);
        choice_end(&choice);
    } else if (sweeps > 0) {
        choice_end(&choice);
    }
    memory_free(start);
}

// Other problems --------------------------------------------------------------------------------

#define FEW      10   // contacts
#define FEW_GAIN 0.01 // of the measure, by a sweep over them

#define FACTORISATIONS 60   // at most, per stage
#define COST_MOST      2e11 // multiplications of a factorisation; above, only sweeps are used

// Proximal Newton converges slowly on problems where all other methods stall: on beds of grains in
// 100 to 300 factorisations, while tens of thousands of sweeps make no progress. Where
// factorisations are cheap it may therefore take more of them.
#define NEWTON_MOST 400
#define NEWTON_WORK 4e9 // multiplications in all

#define NEIGHBOURS 10 // of a contact between bodies, itself included; they are not counted

// Costs in nanoseconds, measured on the problems of tests/problems and of other codes: of a row in
// a sweep of anderson, and of each block in it; of a row in an iteration of ipm, of a block that is
// put into its matrix and multiplied with, and of a multiplication of the factorisation.
#define ANDERSON_ROW   28
#define ANDERSON_BLOCK 1.5
#define IPM_ROW        250
#define IPM_BLOCK      7
#define IPM_MULTIPLY   0.1
#define IPM_DIGIT      1.6 // iterations for a digit of the residual

// Returns the sweeps of anderson that cost as much as a solution by ipm.
static double worth_of(const struct contact_problem *problem, double tolerance) {
    double rows = problem->contacts;
    double blocks = problem->face == FACE_MATRIX ? (double)problem->matrix.start[problem->contacts]
                                                 : NEIGHBOURS * rows;
    double sweep = ANDERSON_ROW * rows + ANDERSON_BLOCK * blocks;
    double iteration = IPM_ROW * rows + IPM_BLOCK * blocks + IPM_MULTIPLY * fill_cost(problem);
    return IPM_DIGIT * fmax(-log10(tolerance), 1) * iteration / sweep;
}

// Begins the next stage from the best impulses so far. Returns false where the problem is solved or
// the iterations are used up.
static bool go_on(struct monitor *monitor, enum gabion_method next, double *r) {
    bool done = monitor->result.status == SOLVER_CONVERGED || monitor->result.status == SOLVER_CAP;
    if (done || monitor_late(monitor))
        return false;
    memcpy(r, monitor->best, contact_problem_size(monitor->problem) * sizeof *r);
    monitor_stage(monitor, next);
    return true;
}

static int budget(const struct monitor *monitor, int most) {
    int left = monitor->settings->max_iterations - monitor->before;
    return left < most ? left : most;
}

static int newton_most(const struct resolvent *resolvent) {
    double cost = fmax(resolvent_cost(resolvent), 1);
    return (int)fmin(fmax(NEWTON_WORK / cost, FACTORISATIONS), NEWTON_MOST);
}

// Sweeps over few contacts, without the memory that sweeps over many take. A contact is prepared
// when it first closes.
struct few {
    struct contact_state state;
    struct local_contact contacts[FEW];
    bool prepared[FEW];
};

static struct local_contact *prepared(struct few *few, int32_t a) {
    const struct contact_problem *problem = few->state.problem;
    if (!few->prepared[a])
        local_prepare(&problem->diagonal[a], problem->mu[a], contact_held(problem, a),
                      &few->contacts[a]);
    few->prepared[a] = true;
    return &few->contacts[a];
}

static void sweep_few(struct few *few) {
    const struct contact_problem *problem = few->state.problem;
    for (int32_t a = 0; a < problem->contacts; a++) {
        vec3 next = contact_get(few->state.r, a), u = contact_state_velocity(&few->state, a);
        bool open = next.x == 0 && next.y == 0 && next.z == 0 && u.x >= 0;
        if (open && !contact_held(problem, a))
            continue;
        local_exact(prepared(few, a), u, &next);
        contact_state_set(&few->state, a, next);
    }
}

// Takes the first sweep. A start that nobody has measured needs to be measured only where that did
// not solve the problem and it is not sure that further sweeps will: a contact alone they always
// solve. *before: the measure of the start.
static bool sweep_first(struct monitor *monitor, struct few *few, double *before) {
    double start[3 * FEW], *r = few->state.r;
    memcpy(start, r, contact_problem_size(monitor->problem) * sizeof *start);
    sweep_few(few);
    struct contact_error error = monitor_measure(monitor, r);
    if (!monitor->best && monitor_within(monitor, &error))
        return monitor_note(monitor, 1, &error);
    bool alone = monitor->problem->contacts == 1;
    if (!monitor->best && !alone && monitor_check(monitor, 0, start))
        return true;
    *before = alone ? INFINITY : monitor->last;
    return monitor_take(monitor, 1, r, &error);
}

// Tries some plain sweeps, which solve a few nearly independent contacts in less time than it takes
// to set up accelerated ones: as long as each gains as much as those would.
static bool few_sweeps(struct monitor *monitor, double *r) {
    struct few few;
    few.state = contact_state_open(monitor->problem, r);
    memset(few.prepared, 0, sizeof few.prepared);
    monitor_stage(monitor, GABION_METHOD_NSGS);
    double before = INFINITY;
    bool done = sweep_first(monitor, &few, &before);
    for (int sweep = 2; !done && monitor->last <= FEW_GAIN * before; sweep++) {
        before = monitor->last;
        sweep_few(&few);
        done = monitor_check(monitor, sweep, r);
    }
    contact_state_close(&few.state);
    return done;
}

static bool is_zero(const double *r, size_t size) {
    while (size > 0 && r[size - 1] == 0)
        size--;
    return size == 0;
}

// Measures the start, because it may be the solution, unless it is no impulse at all: that is a
// solution only where nothing closes, which a sweep finds as well.
static void solve_rows(struct monitor *monitor, double *r) {
    bool cold =
        monitor->problem->contacts > 0 && is_zero(r, contact_problem_size(monitor->problem));
    if (!cold && monitor_check(monitor, 0, r))
        return;
    bool few = monitor->problem->contacts <= FEW && monitor->settings->relaxation == 1;
    if (few && few_sweeps(monitor, r))
        return;
    monitor_stage(monitor, GABION_METHOD_ANDERSON);
    if (anderson_run(monitor, worth_of, r) || !go_on(monitor, GABION_METHOD_IPM, r))
        return;
    struct resolvent *resolvent = resolvent_create(monitor->problem);
    bool open = true;
    if (resolvent_cost(resolvent) <= COST_MOST) {
        if (!monitor->problem->held) // ipm takes no joints
            ipm_run(monitor, resolvent, budget(monitor, FACTORISATIONS), IPM_PATIENCE, r);
        if ((open = go_on(monitor, GABION_METHOD_NEWTON, r))) {
            proximal_newton_run(monitor, resolvent, budget(monitor, newton_most(resolvent)),
                                NEWTON_FROM_DRIFT, r);
            open = go_on(monitor, GABION_METHOD_PROX, r);
        }
    }
    resolvent_free(resolvent);
    if (open) {
        monitor_stage(monitor, GABION_METHOD_PROX);
        solver_prox(monitor, r);
    }
}

void solver_auto(struct monitor *monitor, double *r) {
    if (monitor->problem->views.midpoint) {
        struct chain chain = chain_open(monitor);
        solve_views(&chain, (vec3 *)r);
        chain_close(&chain);
        return;
    }
    solve_rows(monitor, r);
    if (monitor->best)
        memcpy(r, monitor->best, contact_problem_size(monitor->problem) * sizeof *r);
}
