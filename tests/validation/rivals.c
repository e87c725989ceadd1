// Times `auto` and the single methods on one contact problem, from zero impulses, on one thread:
//   rivals FILE MEASURE TOLERANCE
// The methods take turns, and the least time of each counts, because the others were disturbed.
// Prints "contacts N" and a line for each method that got there or stopped short, its fields apart
// by tabs:
//   method  solved|unsolved|slow  residual  iterations  seconds
// The residual is measured anew from the impulses. A method that takes several times as long as
// auto is not waited for (`slow`). Every solve begins with the problem as it was read: rows that
// one method made do not serve the next.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/problem/stored.h"
#include "engine/solvers/panel.h"
#include "io/command/solving.h"
#include "parallel/clock.h"
#include "parallel/memory.h"
#include "tests/bench/watch.h"

#define ROUNDS_LEAST 5
#define ROUNDS_MOST  200
#define ENOUGH       0.4 // s of all rounds
#define SLOWER       3.0 // than the best: no rival any more
#define LIMIT_LEAST  0.2 // s
#define CAP          100000
#define ROUNDING     1.000001 // of a tolerance met

static const enum gabion_method methods[] = {
    GABION_METHOD_AUTO,   GABION_METHOD_NSGS, GABION_METHOD_ANDERSON,
    GABION_METHOD_NEWTON, GABION_METHOD_IPM,  GABION_METHOD_PROX,
    GABION_METHOD_ADMM,   GABION_METHOD_CPG,  GABION_METHOD_BICG,
};
#define METHODS (sizeof methods / sizeof *methods)

struct rival {
    bool out, late;
    bool solved;
    double residual, seconds;
    int iterations;
};

static struct contact_problem *fresh(struct contact_problem *read) {
    return read->stored ? contact_problem_copy(read, read->stored->start) : read;
}

// Solves once, and notes the time if it is the least.
static double solve(struct contact_problem *read, enum gabion_method method,
                    struct solver_settings settings, double limit, struct rival *rival) {
    struct contact_problem *problem = fresh(read);
    size_t numbers = 3 * contact_problem_slots(problem);
    double *r = memory_allocate(numbers, sizeof *r, "impulses");
    double *rows = memory_allocate(numbers, sizeof *rows, "impulses");
    settings.deadline = clock_seconds() + limit;
    struct watch watch = watch_start();
    struct solver_result result = panel_solve(problem, method, &settings, NULL, r);
    double seconds = watch_stop(&watch);
    if (problem->views.midpoint) {
        contact_problem_materialise(problem);
        contact_problem_to_rows(problem, (const vec3 *)r, rows);
    }
    struct contact_error error = residual_of(problem, problem->views.midpoint ? rows : r);
    rival->residual = solving_measure(&settings, &error);
    rival->solved = rival->residual <= ROUNDING * settings.tolerance;
    rival->late = !rival->solved && clock_seconds() >= settings.deadline;
    rival->iterations = result.iterations;
    rival->seconds = fmin(rival->seconds, seconds);
    memory_free(r);
    memory_free(rows);
    if (problem != read)
        contact_problem_free(problem);
    return seconds;
}

static double best_of(const struct rival *rivals) {
    double best = INFINITY;
    for (size_t k = 1; k < METHODS; k++)
        if (rivals[k].solved)
            best = fmin(best, rivals[k].seconds);
    return best;
}

static void race(struct contact_problem *problem, const struct solver_settings *settings,
                 struct rival *rivals) {
    double total = 0;
    for (int round = 0; round < ROUNDS_MOST && (round < ROUNDS_LEAST || total < ENOUGH); round++)
        for (size_t k = 0; k < METHODS; k++) {
            struct rival *rival = &rivals[k];
            double limit = k == 0 ? INFINITY : fmax(2 * SLOWER * rivals[0].seconds, LIMIT_LEAST);
            if (rival->out)
                continue;
            total += solve(problem, methods[k], *settings, limit, rival);
            rival->out = k > 0 && (!rival->solved || rival->seconds > SLOWER * best_of(rivals));
        }
}

static void print(const struct rival *rivals) {
    for (size_t k = 0; k < METHODS; k++) {
        const struct rival *rival = &rivals[k];
        const char *word = rival->solved ? "solved" : rival->late ? "slow" : "unsolved";
        printf("%s\t%s\t%.6e\t%d\t%.9f\n", panel_name(methods[k]), word, rival->residual,
               rival->iterations, rival->seconds);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: rivals FILE scaled|fclib TOLERANCE\n");
        return 2;
    }
    struct gabion_error error = {0};
    struct team *team = team_create(1, NULL, &error);
    struct contact_problem *problem = team ? solving_read(argv[1], team, &error) : NULL;
    if (!problem) {
        fprintf(stderr, "rivals: %s\n", error.text);
        return 2;
    }
    bool scaled = strcmp(argv[2], "scaled") == 0;
    struct solver_settings settings = {.local = GABION_LOCAL_AUTO,
                                       .tolerance = atof(argv[3]),
                                       .measure =
                                           scaled ? GABION_MEASURE_SCALED : GABION_MEASURE_FCLIB,
                                       .max_iterations = CAP,
                                       .relaxation = 1,
                                       .momentum = true,
                                       .cone = {.sides = 8}};
    struct rival rivals[METHODS];
    for (size_t k = 0; k < METHODS; k++)
        rivals[k] = (struct rival){.seconds = INFINITY};
    race(problem, &settings, rivals);
    printf("contacts %zu\n", contact_problem_slots(problem));
    print(rivals);
    contact_problem_free(problem);
    team_destroy(team);
    return 0;
}
