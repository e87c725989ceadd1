// gabion_solve: solves one contact problem that is given as arrays.
#include <string.h>

#include "engine/api/entry.h"
#include "engine/api/machine.h"
#include "engine/solvers/panel.h"
#include "parallel/clock.h"

struct gabion_solver gabion_default_solver(void) {
    return (struct gabion_solver){
        .method = GABION_METHOD_AUTO,
        .tolerance = 1e-8,
        .max_iterations = 10000,
        .relaxation = 1,
        .momentum = true,
        .cone = {.sides = 8},
        .threads = 1,
    };
}

#define SIDES_MOST 1000 // of a polygonal cone

// What is wrong -------------------------------------------------------------------------------

static const char *solver_defect(const struct gabion_solver *solver) {
    if (!solver)
        return "the solver is a null pointer";
    if ((unsigned)solver->method >= GABION_METHOD_COUNT)
        return "the method does not exist";
    if ((unsigned)solver->local >= GABION_LOCAL_COUNT)
        return "the local solver does not exist";
    if ((unsigned)solver->measure > GABION_MEASURE_FCLIB)
        return "the measure does not exist";
    if (!(solver->tolerance > 0 && isfinite(solver->tolerance)))
        return "the tolerance must be positive and finite";
    if (solver->max_iterations < 1)
        return "max_iterations must be at least 1";
    if (!(solver->relaxation > 0 && solver->relaxation < 2))
        return "the relaxation must be between 0 and 2";
    if (solver->cone.sides < 3 || solver->cone.sides > SIDES_MOST || !isfinite(solver->cone.angle))
        return "the cone must have 3 to 1000 sides and a finite angle";
    if (!(solver->time_budget >= 0 && isfinite(solver->time_budget)) || solver->threads < 0)
        return "the time budget and the number of threads must be finite and not negative";
    return NULL;
}

static bool all_finite(const double *numbers, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(numbers[k]))
            return false;
    return true;
}

// Columns ascend, and one of them is the diagonal.
static const char *row_defect(const struct gabion_problem *problem, int32_t row) {
    bool diagonal = false;
    for (int64_t e = problem->row_start[row]; e < problem->row_start[row + 1]; e++) {
        int32_t column = problem->column[e];
        if (column < 0 || column >= problem->contacts)
            return "a column is not a contact";
        if (e > problem->row_start[row] && column <= problem->column[e - 1])
            return "the columns of a row must ascend";
        diagonal |= column == row;
    }
    return diagonal ? NULL : "the diagonal block is missing";
}

// Looked at before any column or block: it says where these are.
static const char *start_defect(const struct gabion_problem *problem, int32_t c) {
    int64_t begin = problem->row_start[c], end = problem->row_start[c + 1];
    if (begin < 0 || begin > end)
        return "row_start must ascend";
    return end - begin > problem->contacts
               ? "row_start gives it more blocks than there are contacts"
               : NULL;
}

static const char *contact_defect(const struct gabion_problem *problem, int32_t c) {
    if (!(problem->mu[c] >= 0))
        return "mu must not be negative";
    if (!all_finite(problem->q + 3 * (size_t)c, 3))
        return "q must be finite";
    int64_t first = problem->row_start[c], blocks = problem->row_start[c + 1] - first;
    const char *defect = row_defect(problem, c);
    if (!defect && !all_finite(problem->block + 9 * first, 9 * blocks))
        defect = "a block must be finite";
    return defect;
}

static bool each_contact(const struct gabion_problem *problem,
                         const char *(*defect_of)(const struct gabion_problem *, int32_t),
                         struct gabion_error *error) {
    for (int32_t c = 0; c < problem->contacts; c++) {
        const char *defect = defect_of(problem, c);
        if (defect)
            return entry_reject(error, "contact %d: %s", c, defect);
    }
    return true;
}

static bool problem_fits(const struct gabion_problem *problem, struct gabion_error *error) {
    if (!problem)
        return entry_missing("the problem", error);
    const void *arrays[] = {problem->row_start, problem->column, problem->block, problem->q,
                            problem->mu};
    static const char *const names[] = {"row_start", "column", "block", "q", "mu"};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!arrays[k])
            return entry_missing(names[k], error);
    if (problem->contacts < 1 || problem->row_start[0] != 0)
        return entry_reject(error, "a problem has at least one contact, and row_start begins "
                                   "with 0");
    return each_contact(problem, start_defect, error) &&
           each_contact(problem, contact_defect, error);
}

// The problem -----------------------------------------------------------------------------------

static struct contact_problem *problem_of(const struct gabion_problem *given) {
    size_t blocks = (size_t)given->row_start[given->contacts];
    struct contact_problem *problem = contact_problem_create(given->contacts, blocks);
    struct contact_matrix *matrix = &problem->matrix;
    for (int32_t c = 0; c < given->contacts; c++)
        problem->mu[c] = fmin(given->mu[c], CONTACT_STICKS);
    memcpy(problem->q, given->q, 3 * (size_t)given->contacts * sizeof *problem->q);
    for (int32_t c = 0; c <= given->contacts; c++)
        matrix->start[c] = (size_t)given->row_start[c];
    memcpy(matrix->column, given->column, blocks * sizeof *matrix->column);
    for (size_t e = 0; e < blocks; e++)
        for (int k = 0; k < 9; k++) // by rows here, by columns of four there
            matrix->value[e * CONTACT_BLOCK + 4 * (size_t)(k % 3) + (size_t)(k / 3)] =
                given->block[9 * e + (size_t)k];
    contact_problem_finish(problem);
    return problem;
}

_Static_assert((int)GABION_SOLVE_REJECTED == (int)SOLVER_REJECTED, "the same statuses, in order");

struct task {
    const struct gabion_problem *problem;
    const struct gabion_solver *solver;
    struct team *team;
    double *r;
    struct gabion_solution *solution;
};

static void solve(void *context) {
    const struct task *task = context;
    const struct gabion_solver *solver = task->solver;
    struct contact_problem *problem = problem_of(task->problem);
    problem->team = task->team;
    struct solver_settings settings = {
        .local = solver->local,
        .tolerance = solver->tolerance,
        .measure = solver->measure,
        .max_iterations = solver->max_iterations,
        .relaxation = solver->relaxation,
        .momentum = solver->momentum,
        .cone = solver->cone,
        .deadline = solver->time_budget > 0 ? clock_seconds() + solver->time_budget : 0,
    };
    struct solver_result result = panel_solve(problem, solver->method, &settings, NULL, task->r);
    *task->solution = (struct gabion_solution){
        .status = (enum gabion_solve_status)result.status,
        .residual = result.error.scaled,
        .residual_fclib = result.error.fclib,
        .iterations = result.iterations,
        .method = result.finished,
        .local_fallbacks = result.local_fallbacks,
        .substitutions = result.substitutions,
    };
    memcpy(task->solution->spent, result.spent, sizeof task->solution->spent);
    memcpy(task->solution->note, result.note, sizeof task->solution->note);
    contact_problem_free(problem);
}

static bool task_fits(const struct task *task, struct gabion_error *error) {
    const char *defect = solver_defect(task->solver);
    if (defect)
        return entry_reject(error, "%s", defect);
    if (!problem_fits(task->problem, error))
        return false;
    if (!task->r || !task->solution)
        return entry_missing("r or solution", error);
    return all_finite(task->r, 3 * (int64_t)task->problem->contacts) ||
           entry_reject(error, "the impulses to start from must be finite");
}

bool gabion_solve(const struct gabion_problem *problem, const struct gabion_solver *solver,
                  double *r, struct gabion_solution *solution, struct gabion_error *error) {
    struct gabion_error ignored = {0};
    struct machine machine = {0}; // one thread needs none
    struct task task = {problem, solver, NULL, r, solution};
    error = error ? error : &ignored;
    if (!task_fits(&task, error))
        return false;
    if (solver->threads != 1 && !machine_start(&machine, solver->threads, error))
        return false;
    task.team = machine.team;
    bool done = entry_try(solve, &task, error);
    machine_stop(&machine);
    return done;
}
