// Who reaches a residual first: Gabion's methods and Siconos' strong settings on one FCLIB file.
//   race FILE LIMIT TOLERANCES [METHOD...]
// LIMIT in seconds per solve; TOLERANCES apart by commas, from loose to tight; METHOD as in `gabion
// solve --solver`, auto if none is named. Prints
//   contacts N
// and for each tolerance one line per entrant, its fields apart by tabs:
//   tolerance  gabion|siconos  name  reached|missed|slow|failed  fclib  scaled  iterations  seconds
// The error is recomputed here from r alone, whatever the solver claimed: `missed` stopped short of
// it. Seconds are the least of several solves.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/problem/residual.h"
#include "engine/solvers/panel.h"
#include "io/fclib/fclib.h"
#include "parallel/memory.h"
#include "tests/bench/race.h"
#include "tests/bench/watch.h"

#define HEATS         3
#define ROUNDS        3        // of the final, entrants taking turns
#define FINALISTS     3        // the best of Siconos
#define LEAST_LIMIT   0.03     // s
#define SLOWER        1.5      // than the best so far: not worth waiting for
#define REPEATS       50       // at most, of a solve
#define REPEAT_TIME   0.05     // s, for all repeats of a solve
#define FINAL_REPEATS 3        // at least, in each round of the final
#define ROUNDING      1.000001 // of a tolerance met
#define MANY          10000000 // iterations: the limits here are of time

enum outcome { WAITING, REACHED, MISSED, SLOW, FAILED };
static const char *const words[] = {"waiting", "reached", "missed", "slow", "failed"};

struct result {
    enum outcome outcome;
    struct contact_error error;
    struct race_run run; // the fastest
    double slow; // the longest it was waited for in vain, for this tolerance or a looser one
};

struct race {
    struct contact_problem *problem;
    double tolerance, limit;
    struct entrant *entrants;
    struct result *results;
    size_t count;
    struct result *shared; // with the process that solves
};

static struct race_run solve_ours(const struct entrant *entrant, struct contact_problem *problem,
                                  double tolerance, double *r) {
    struct solver_settings settings = {.local = GABION_LOCAL_AUTO,
                                       .tolerance = tolerance,
                                       .measure = GABION_MEASURE_FCLIB,
                                       .max_iterations = MANY,
                                       .relaxation = 1,
                                       .momentum = true, // as in runs
                                       .cone = {.sides = 8}};
    struct watch start = watch_start();
    struct solver_result result =
        panel_solve(problem, (enum gabion_method)entrant->method, &settings, NULL, r);
    return (struct race_run){watch_stop(&start), result.iterations};
}

static void alarm_after(double seconds) {
    long whole = (long)seconds;
    struct itimerval timer = {.it_value = {whole, (long)(1e6 * (seconds - (double)whole)) + 1}};
    setitimer(ITIMER_PROF, &timer, NULL); // SIGPROF ends the process
}

// Solves again and again while that is cheap, each time within the limit.
static void solve_often(const struct race *race, const struct entrant *entrant, double limit,
                        int least) {
    size_t size = contact_problem_size(race->problem);
    double *r = memory_allocate(size, sizeof *r, "impulses"), total = 0;
    struct result *best = race->shared;
    for (int k = 0; k < REPEATS && (k < least || total < REPEAT_TIME); k++) {
        memset(r, 0, size * sizeof *r);
        alarm_after(limit);
        struct race_run run = entrant->solve(entrant, race->problem, race->tolerance, r);
        alarm_after(1e6);
        total += run.seconds;
        if (k == 0)
            best->error = residual_of(race->problem, r);
        if (k == 0 || run.seconds < best->run.seconds)
            best->run = run;
        best->outcome = best->error.fclib <= race->tolerance * ROUNDING ? REACHED : MISSED;
        if (best->outcome == MISSED)
            break;
    }
    memory_free(r);
}

// In a process of its own: a solver may crash, call exit() or take for ever.
static struct result solve_apart(const struct race *race, const struct entrant *entrant,
                                 double limit, int least) {
    *race->shared = (struct result){0};
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        if (!entrant->ours && freopen("/dev/null", "w", stdout) == NULL)
            _exit(1);
        solve_often(race, entrant, limit, least);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return (struct result){.outcome = FAILED};
    struct result result = *race->shared;
    if (result.outcome == WAITING)
        result.outcome = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? SLOW : FAILED;
    return result;
}

static double best_of(const struct race *race, bool ours) {
    double best = INFINITY;
    for (size_t k = 0; k < race->count; k++)
        if (race->entrants[k].ours == ours && race->results[k].outcome == REACHED)
            best = fmin(best, race->results[k].run.seconds);
    return best;
}

// With limits that grow, so that slow entrants do not hold up the rest: nobody is waited for much
// longer than the best needs.
static void run_heats(struct race *race) {
    for (int heat = 0; heat < HEATS; heat++) {
        double heat_limit = race->limit * pow(10, heat - HEATS + 1);
        for (size_t k = 0; k < race->count; k++) {
            struct result *result = &race->results[k];
            bool ours = race->entrants[k].ours;
            double best = best_of(race, ours);
            double limit = ours ? race->limit : fmin(heat_limit, SLOWER * best);
            limit = fmax(limit, LEAST_LIMIT);
            bool open = result->outcome == WAITING || result->outcome == SLOW;
            if (!open || limit <= result->slow)
                continue;
            double slow = result->slow;
            *result = solve_apart(race, &race->entrants[k], limit, 1);
            result->slow = result->outcome == SLOW ? limit : slow;
        }
    }
}

static bool is_finalist(const struct race *race, size_t k) {
    size_t faster = 0;
    for (size_t j = 0; j < race->count; j++)
        faster += !race->entrants[j].ours && race->results[j].outcome == REACHED &&
                  race->results[j].run.seconds < race->results[k].run.seconds;
    return race->results[k].outcome == REACHED && (race->entrants[k].ours || faster < FINALISTS);
}

static void run_final(struct race *race) {
    bool *finalist = memory_allocate(race->count, sizeof *finalist, "finalists");
    for (size_t k = 0; k < race->count; k++)
        finalist[k] = is_finalist(race, k);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t k = 0; k < race->count; k++) {
            if (!finalist[k])
                continue;
            struct result again = solve_apart(race, &race->entrants[k], race->limit, FINAL_REPEATS);
            struct race_run *best = &race->results[k].run;
            if (again.outcome == REACHED && again.run.seconds < best->seconds)
                *best = again.run;
        }
    memory_free(finalist);
}

static int method_of(const char *name) {
    for (int method = 0; method < GABION_METHOD_COUNT; method++)
        if (strcmp(name, panel_name(method)) == 0)
            return method;
    fprintf(stderr, "race: no method %s\n", name);
    exit(2);
}

static void enter_all(struct race *race, char **methods, size_t method_count) {
    const struct entrant *siconos;
    size_t siconos_count = siconos_entrants(&siconos);
    race->count = method_count + siconos_count;
    race->entrants = memory_allocate(race->count, sizeof *race->entrants, "entrants");
    race->results = memory_allocate(race->count, sizeof *race->results, "results");
    for (size_t k = 0; k < method_count; k++)
        race->entrants[k] =
            (struct entrant){methods[k], true, solve_ours, method_of(methods[k]), NULL};
    for (size_t k = 0; k < siconos_count; k++)
        race->entrants[method_count + k] = siconos[k];
}

static void print_results(const struct race *race) {
    for (size_t k = 0; k < race->count; k++) {
        const struct result *result = &race->results[k];
        printf("%g\t%s\t%s\t%s\t%.3e\t%.3e\t%d\t%.9f\n", race->tolerance,
               race->entrants[k].ours ? "gabion" : "siconos", race->entrants[k].name,
               words[result->outcome], result->error.fclib, result->error.scaled,
               result->run.iterations, result->run.seconds);
    }
}

// What was too slow for a looser tolerance still is.
static void run_race(struct race *race, double tolerance) {
    race->tolerance = tolerance;
    for (size_t k = 0; k < race->count; k++) {
        double slow = race->results[k].slow;
        race->results[k] = (struct result){.outcome = slow > 0 ? SLOW : WAITING, .slow = slow};
    }
    run_heats(race);
    run_final(race);
    print_results(race);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: race FILE LIMIT TOLERANCE,... [METHOD...]\n");
        return 2;
    }
    struct gabion_error error = {0};
    double *solution = NULL;
    struct contact_problem *problem = fclib_read(argv[1], &solution, &error);
    memory_free(solution);
    if (problem == NULL) {
        fprintf(stderr, "race: %s\n", error.text);
        return 2;
    }
    struct race race = {.problem = problem, .limit = atof(argv[2])};
    race.shared =
        mmap(NULL, sizeof *race.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (race.shared == MAP_FAILED)
        return 1;
    char *automatic[] = {"auto"};
    enter_all(&race, argc > 4 ? argv + 4 : automatic, argc > 4 ? (size_t)argc - 4 : 1);
    printf("contacts %d\n", problem->contacts);
    for (char *word = strtok(argv[3], ","); word; word = strtok(NULL, ","))
        run_race(&race, atof(word));
    memory_free(race.entrants);
    memory_free(race.results);
    contact_problem_free(problem);
    return 0;
}
