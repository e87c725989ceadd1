// Residual against sweeps of one step, from a cold start:
//   sweep_history CASE CONTACTS [SWEEPS]
// steps the case until it has CONTACTS contacts (candidates, which is what the papers count), then
// solves the step that follows with impulses that start at zero. Prints one line per count of
// sweeps; sweep 0 is the residual of zero impulses.
#include <stdio.h>
#include <stdlib.h>

#include "engine/contact/contacts.h"
#include "engine/contact/detection.h"
#include "engine/contact/gap.h"
#include "engine/motion/motion.h"
#include "engine/problem/residual.h"
#include "engine/solvers/panel.h"
#include "engine/solvers/sweep/plan.h"
#include "engine/solvers/sweep/workspace.h"
#include "engine/step/solve.h"
#include "engine/step/step.h"
#include "io/run/scene.h"
#include "parallel/memory.h"

#define SWEEPS_DEFAULT 1000

static bool step_until(struct gabion_world *world, int64_t contacts, struct gabion_error *error) {
    while (world->report.candidates < contacts) {
        if (world_time(world) >= world->settings.end)
            return error_set(
                error, GABION_ERROR_RUN,
                "no step before time.end has %lld contacts; the last one has %lld. Ask "
                "for fewer",
                (long long)contacts, (long long)world->report.candidates);
        if (!world_step(world, error))
            return false;
    }
    return true;
}

// The problem of the next step. Contacts are not matched with those of the step before, so that
// their impulses are zero.
static struct contact_problem *build_cold_problem(struct gabion_world *world) {
    step_enter(world);
    step_leave(world);
    step_account(world);
    motion_predict_free(world);
    motion_predict_fixed(world);
    motion_predict_driven(world);
    motion_predict_masses(world);
    detection_broad(world);
    detection_narrow(world);
    gap_activate(world);
    joint_points_find(world);
    return solve_problem(world);
}

// No solver takes part in this number.
static struct contact_error zero_impulse_residual(struct contact_problem *problem) {
    contact_problem_materialise(problem);
    double *zero = memory_allocate(contact_problem_size(problem), sizeof *zero, "impulses");
    struct contact_error error = residual_of(problem, zero);
    memory_free(zero);
    return error;
}

static void print_residual(int sweeps, const struct contact_error *error) {
    printf("%d %.6e %.6e\n", sweeps, error->scaled, error->fclib);
}

// 1, 2, 3, 5, 10, 20, 50, 100, ...
static int next_count(int sweeps) {
    static const int decade[] = {1, 2, 5, 10};
    int scale = 1, k = 0;
    if (sweeps == 2)
        return 3;
    while (sweeps >= 10 * scale)
        scale *= 10;
    while (decade[k] * scale <= sweeps)
        k++;
    return decade[k] * scale;
}

// Every count is a solve of its own: going on from the last one would restart the momentum of the
// sweeps.
static void print_history(struct contact_problem *problem, struct solver_settings settings,
                          int last) {
    size_t slots = contact_problem_slots(problem);
    struct contact_error error = zero_impulse_residual(problem);
    print_residual(0, &error);
    settings.tolerance = 0;
    settings.deadline = 0;
    for (int sweeps = 1; sweeps <= last; sweeps = next_count(sweeps)) {
        vec3 *r = memory_allocate(slots, sizeof *r, "impulses");
        settings.max_iterations = sweeps;
        error = panel_solve(problem, GABION_METHOD_NSGS, &settings, NULL, (double *)r).error;
        memory_free(r);
        print_residual(sweeps, &error);
    }
}

static bool splits(const struct gabion_world *world, const struct contact_problem *problem) {
    struct solver_settings settings = solve_settings(world);
    solver_workspace_open(world->workspace, problem, &settings, world->contacts->impulse);
    bool split = workspace_peek(world->workspace)->split_count > 0;
    solver_workspace_close(world->workspace);
    return split;
}

static bool run(struct gabion_world *world, int64_t contacts, int last,
                struct gabion_error *error) {
    if (!step_until(world, contacts, error))
        return false;
    struct contact_problem *problem = build_cold_problem(world);
    bool split = splits(world, problem);
    if (!split) {
        printf("step: %lld\nbodies: %d\ncandidates: %zu\nforce-bearing-before: %lld\n",
               (long long)world->step + 1, world->bodies.moving, world->contacts->count,
               (long long)world->report.contacts);
        printf("sweep residual residual-fclib\n");
        print_history(problem, solve_settings(world), last);
    }
    contact_problem_free(problem);
    return !split ||
           error_set(error, GABION_ERROR_RUN,
                     "step %lld: a body has too many contacts and is split; take another case",
                     (long long)world->step + 1);
}

int main(int argc, char **argv) {
    struct gabion_error error = {0};
    struct scene scene;
    long contacts = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    long last = argc > 3 ? strtol(argv[3], NULL, 10) : SWEEPS_DEFAULT;
    if (argc < 3 || argc > 4 || contacts < 1 || last < 1 || last > 100000000) {
        fprintf(stderr, "usage: sweep_history CASE CONTACTS [SWEEPS]\n");
        return GABION_ERROR_INPUT;
    }
    struct scene_request request = {.case_path = argv[1], .threads = 1};
    bool done = scene_open_case(&scene, &request, &error);
    if (done) {
        done = run(scene.world, contacts, (int)last, &error);
        scene_close(&scene);
    }
    if (!done)
        fprintf(stderr, "%s\n", error.text);
    return (int)error.status;
}
