// Residual against sweeps of one step, from a cold start:
//   sweep_history CASE CONTACTS [SWEEPS]
// steps the case until it has CONTACTS contacts (candidates, which is what the papers count), then
// solves the step that follows with impulses that start at zero. Prints one line per count of
// sweeps; sweep 0 is the residual of zero impulses.
#include <stdio.h>
#include <stdlib.h>

#include "engine/contact/contacts.h"
#include "engine/contact/detection.h"
#include "engine/world/events.h"
#include "engine/motion/motion.h"
#include "engine/problem/residual.h"
#include "engine/solvers/sweep/nsgs.h"
#include "engine/step/step.h"
#include "io/run/scene.h"

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

// The contact problem of the next step, as often as asked: contacts are not matched with those of
// the step before.
static void build_cold_problem(struct gabion_world *world) {
    motion_predict(world);
    detection_broad(world);
    detection_narrow(world);
    problem_build(world);
}

static void set_free_velocities(struct problem *problem) {
    for (int32_t i = 0; i < problem->body_count; i++) {
        struct solver_body *body = &problem->bodies[i];
        for (int axis = 0; axis < 3; axis++) {
            body->v[axis] = vec3_get(problem->v_free[i], axis);
            body->s[axis] = vec3_get(problem->s_free[i], axis);
        }
    }
}

// With zero impulses the velocities are the free ones. No solver takes part in this number.
static struct nsgs_result zero_impulse_residual(const struct gabion_world *world) {
    struct problem *problem = world->problem;
    struct residual_sums sums = {0};
    set_free_velocities(problem);
    for (size_t k = 0; k < problem->chunk_count; k++) {
        residual_add_free(problem, &problem->chunks[k], &sums);
        residual_add(problem, &problem->chunks[k], &sums);
    }
    double floor = world->settings.step * vec3_length(world->settings.gravity);
    return (struct nsgs_result){
        .residual = residual_scaled(&sums, floor),
        .residual_fclib = residual_fclib(&sums),
    };
}

static void print_residual(int sweeps, const struct nsgs_result *result) {
    printf("%d %.6e %.6e\n", sweeps, result->residual, result->residual_fclib);
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
static void print_history(struct gabion_world *world, int last) {
    struct nsgs_result result = zero_impulse_residual(world);
    print_residual(0, &result);
    world->settings.tolerance = 0;
    for (int sweeps = 1; sweeps <= last; sweeps = next_count(sweeps)) {
        build_cold_problem(world);
        world->settings.max_sweeps = sweeps;
        result = nsgs_solve(world);
        print_residual(sweeps, &result);
    }
}

static bool run(struct gabion_world *world, int64_t contacts, int last,
                struct gabion_error *error) {
    if (!step_until(world, contacts, error))
        return false;
    events_apply(world);
    build_cold_problem(world);
    if (world->problem->split_count > 0)
        return error_set(error, GABION_ERROR_RUN,
                         "step %lld: a body has too many contacts and is split; take another case",
                         (long long)world->step + 1);
    printf("step: %lld\nbodies: %d\ncandidates: %zu\nforce-bearing-before: %lld\n",
           (long long)world->step + 1, world->bodies.moving, world->contacts->count,
           (long long)world->report.contacts);
    printf("sweep residual residual-fclib\n");
    print_history(world, last);
    return true;
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
