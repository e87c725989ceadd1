#include "io/command/solving.h"

#include <string.h>

#include "engine/problem/stored.h"
#include "io/fclib/fclib.h"
#include "parallel/clock.h"
#include "parallel/memory.h"

struct contact_problem *solving_read(const char *path, struct team *team,
                                     struct gabion_error *error) {
    double *solution = NULL;
    struct contact_problem *problem;
    if (!fclib_read_step(path, &problem, error))
        return NULL;
    if (problem == NULL)
        problem = fclib_read(path, &solution, error);
    memory_free(solution);
    if (problem != NULL)
        problem->team = team;
    return problem;
}

double *solving_start(const char *path, const struct contact_problem *problem,
                      struct gabion_error *error) {
    double *start = NULL;
    size_t slots = contact_problem_slots(problem);
    if (problem->stored != NULL) {
        start = memory_allocate(3 * slots, sizeof *start, "impulses");
        memcpy(start, problem->stored->start, 3 * slots * sizeof *start);
    } else if (fclib_read_guess(path, slots, &start, error) && start == NULL) {
        error_set(
            error, GABION_ERROR_INPUT,
            "%s: --warm needs start impulses, and the file has no /guesses; leave --warm out, "
            "or export the step anew",
            path);
    }
    return start;
}

double solving_measure(const struct solver_settings *settings, const struct contact_error *error) {
    return settings->measure == GABION_MEASURE_SCALED ? error->scaled : error->fclib;
}

struct solving solving_run(struct contact_problem *problem, struct solver_choice choice,
                           const struct solver_settings *settings, const double *start, double *r) {
    struct solver_settings own = *settings;
    struct solving solving;
    size_t numbers = 3 * contact_problem_slots(problem);
    double *slots = memory_allocate(numbers, sizeof *slots, "impulses");
    own.local = choice.local;
    if (start != NULL)
        memcpy(slots, start, numbers * sizeof *slots);
    double begin = clock_seconds();
    solving.result = panel_solve(problem, choice.method, &own, NULL, slots);
    solving.seconds = clock_seconds() - begin;
    if (problem->views.midpoint != NULL)
        contact_problem_to_rows(problem, (const vec3 *)slots, r);
    else
        memcpy(r, slots, numbers * sizeof *r);
    memory_free(slots);
    solving.error = residual_of(problem, r);
    solving.solved = solving.result.status == SOLVER_CONVERGED &&
                     solving_measure(settings, &solving.error) <= settings->tolerance;
    return solving;
}

bool solving_has_local(enum gabion_method method) { return method == GABION_METHOD_NSGS; }

bool solving_check(struct solver_choice choice, struct gabion_error *error) {
    bool sweeps = choice.method == GABION_METHOD_ANDERSON || choice.method == GABION_METHOD_PROX ||
                  choice.method == GABION_METHOD_AUTO;
    if (choice.local == GABION_LOCAL_AUTO || solving_has_local(choice.method) ||
        (sweeps && choice.local == GABION_LOCAL_EXACT))
        return true;
    return error_set(error, GABION_ERROR_INPUT, "%s %s; only nsgs offers local solvers",
                     panel_name(choice.method),
                     sweeps ? "sweeps with the exact local solver"
                            : "does not solve contacts one by one and has no local solver");
}

const char *solving_label(struct solver_choice choice, char text[SOLVING_LABEL_SIZE]) {
    if (choice.local == GABION_LOCAL_AUTO)
        snprintf(text, SOLVING_LABEL_SIZE, "%s", panel_name(choice.method));
    else
        snprintf(text, SOLVING_LABEL_SIZE, "%s/%s", panel_name(choice.method),
                 panel_local_name(choice.local));
    return text;
}

bool workers_start(struct workers *workers, int threads, struct gabion_error *error) {
    *workers = (struct workers){.topology = topology_load(error)};
    if (workers->topology != NULL)
        workers->team = team_create(threads, workers->topology, error);
    if (workers->team != NULL)
        return true;
    workers_stop(workers);
    return false;
}

void workers_stop(struct workers *workers) {
    if (workers->team != NULL)
        team_destroy(workers->team);
    if (workers->topology != NULL)
        topology_free(workers->topology);
    *workers = (struct workers){0};
}
