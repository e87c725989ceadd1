#include "engine/solvers/choice.h"

#include "engine/solvers/newton/fill.h"
#include "engine/solvers/sweep/workspace.h"

// Costs, calibrated on the cases of this repository. Only their ratios matter, and these roughly.
#define SPHERE   20.0  // a sphere's contact in a sweep
#define POINT    100.0 // any other contact, with its share of checks and of groups that are not full
#define ROW      250.0 // a row in an iteration with factors: assembly, solution, line search, check
#define MULTIPLY 0.13  // a multiplication of a factorisation
#define BACK     80.0  // a row in an iteration of admm
#define SETUP    600.0 // a row, before the first factorisation: rows, order, fill

#define DIGIT       1.6   // iterations of ipm for a digit of the residual, before a solve is known
#define LARGE       60000 // pairs of bodies: more are only swept, because rows take much memory
#define AFFORDABLE  5e9   // cost of an iteration
#define CHEAP       2500  // sweeps of nsgs, five hundred of prox
#define RESIZED     1.25  // growth of a problem after which the cost is predicted anew
#define BLEND       0.2   // share of the last solve in an average
#define PATIENCE    1.5   // sweeps may cost this many times as much as factorisations
#define LOST        4     // a failure counts as this many times the cost
#define CREDIT_MOST 1e10  // that is kept for hard steps
#define PAUSE       8     // solves between trials of sweeps, at first,
#define PAUSE_MOST  256   // and at most

// Sweeps over grains are left where their rate predicts that more than half of so many, or of this
// share of the cap, are missing: what is hard for them there is hard for all methods, and a step
// that is given up costs little, because the next one goes on from what was found.
#define EFFORT       3000
#define EFFORT_SHARE 0.3

bool choice_is_large(size_t nodes) { return nodes > LARGE; }

double choice_iteration(double rows, double multiplications) {
    return ROW * rows + MULTIPLY * multiplications;
}

double choice_iterations(double tolerance) {
    return CHOICE_IPM * DIGIT * fmax(-log10(tolerance), 1);
}

static bool resized(const struct solver_memory *memory, double rows) {
    return memory->rows == 0 || rows > RESIZED * memory->rows || RESIZED * rows < memory->rows;
}

static void predict(struct choice *choice, struct contact_problem *problem, double rows) {
    struct solver_memory *memory = choice->memory;
    if (choice->large)
        return;
    if (resized(memory, rows)) {
        contact_problem_materialise(problem);
        memory->factorisation = choice_iteration(0, fill_cost(problem));
        memory->rows = (int32_t)rows;
    }
    choice->factor = memory->factorisation + choice_iteration(rows, 0);
    choice->alternation = BACK * rows;
    choice->setup = SETUP * rows;
    choice->affordable = choice->factor <= AFFORDABLE;
    choice->cheap = choice->affordable && choice_solve(choice) <= CHEAP * choice->sweep;
}

static double expected_factors(const struct choice *choice) {
    double known = choice->memory->factors;
    return known > 0 ? known : choice_solve(choice);
}

struct choice choice_make(struct contact_problem *problem, struct solver_workspace *workspace,
                          struct solver_memory *memory, const struct solver_settings *settings) {
    struct solver_sizes sizes = solver_workspace_sizes(workspace);
    struct choice choice = {.memory = memory, .trial = memory->wait == 1};
    choice.iterations = choice_iterations(settings->tolerance);
    choice.large = choice_is_large(sizes.spheres + sizes.nodes);
    choice.faces = sizes.points >= 2 * sizes.nodes && 2 * sizes.points > sizes.spheres;
    choice.sweep = SPHERE * (double)sizes.spheres + POINT * (double)sizes.points;
    predict(&choice, problem, (double)(sizes.spheres + sizes.points));
    choice.sweeps_first = !choice.affordable || !choice.faces || memory->wait <= 1;
    choice.credit = memory->credit >= 0;
    choice.rescue = !choice.large && (choice.faces || choice.credit);
    choice.effort = choice.faces ? INFINITY : fmax(EFFORT, EFFORT_SHARE * settings->max_iterations);
    double patience = choice.trial || !(memory->factors > 0) ? 1 : PATIENCE;
    choice.worth = choice.affordable && choice.rescue
                       ? patience * expected_factors(&choice) / choice.sweep
                       : INFINITY;
    return choice;
}

void choice_earn(struct choice *choice, double sweeps) {
    struct solver_memory *memory = choice->memory;
    if (!choice->faces)
        memory->credit = fmin(memory->credit + choice_sweeps(choice, sweeps), CREDIT_MOST);
}

double choice_sweeps(const struct choice *choice, double sweeps) { return choice->sweep * sweeps; }

double choice_solve(const struct choice *choice) {
    return choice->setup + choice->factor * choice->iterations;
}

static double blend(double average, double cost) {
    return average > 0 ? (1 - BLEND) * average + BLEND * cost : cost;
}

void choice_note_sweeps(struct choice *choice, double sweeps, bool solved) {
    double cost = choice_sweeps(choice, fmin(sweeps, LOST * choice->worth));
    choice->memory->sweeps = blend(choice->memory->sweeps, cost);
    if (solved && choice->trial) {
        choice->memory->sweeps = cost;
        choice->memory->pause = 0;
    }
}

void choice_note_factors(struct choice *choice, double cost, enum gabion_method method,
                         bool solved) {
    choice->memory->factors = blend(choice->memory->factors, solved ? cost : LOST * cost);
    if (!choice->faces)
        choice->memory->credit -= solved ? (choice->cheap ? 0 : cost) : LOST * cost;
    if (solved)
        choice->memory->method = (int32_t)method;
}

void choice_end(struct choice *choice) {
    struct solver_memory *memory = choice->memory;
    bool factors = memory->sweeps > expected_factors(choice),
         back = choice->trial && !memory->pause;
    if (!choice->affordable || back) {
        memory->wait = memory->pause = 0;
    } else if (!choice->sweeps_first) {
        memory->wait = factors ? memory->wait - 1 : 1;
    } else if (factors || choice->trial) {
        memory->pause = memory->pause ? (int32_t)fmin(2.0 * memory->pause, PAUSE_MOST) : PAUSE;
        memory->wait = memory->pause;
    }
}
