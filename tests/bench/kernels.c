// The kernels of the sweeps by themselves, on one step of a case:
//   kernels [--short] CASE STEPS THREADS [KEY=VALUE...]
// makes STEPS steps and sweeps the problem of the next one, from the impulses that it starts with.
// Prints "key: value" lines: sizes; the bytes that a sweep reads and writes per contact in the
// order of memory, from the layout (the cache lines of its two bodies come on top); and nanoseconds
// per contact for the parts of nsgs: a sweep, the extrapolation of momentum, a check of the
// residual. Each is the least of many, because other programs may have the cores meanwhile.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/solvers/sweep/packed.h"
#include "engine/solvers/sweep/workspace.h"
#include "engine/step/solve.h"
#include "engine/step/step.h"
#include "io/run/scene.h"
#include "parallel/clock.h"

#define LEAST_REPEATS 10
#define BETA          0.25 // of the momentum

static double time_limit = 0.5; // s, for the repeats of a part

struct kernel_observer {
    struct step_observer observer;
    struct solver_settings settings;
};

struct part {
    const char *name;
    void (*work)(void *packed);
};

static void sweep_part(void *packed) { packed_sweep(packed, BETA); }
static void extrapolate_part(void *packed) { packed_extrapolate(packed, BETA); }

// In turns, as nsgs calls them: each finds in the caches what the others left there.
static void time_parts(struct packed *packed, double contacts) {
    static const struct part parts[] = {
        {"sweep-ns", sweep_part}, {"extrapolate-ns", extrapolate_part}, {"check-ns", packed_check}};
    enum { PARTS_TIMED = sizeof parts / sizeof *parts };
    double least[PARTS_TIMED] = {INFINITY, INFINITY, INFINITY}, begin = clock_seconds();
    for (int k = 0; k < LEAST_REPEATS || clock_seconds() - begin < PARTS_TIMED * time_limit; k++)
        for (int part = 0; part < PARTS_TIMED; part++) {
            double start = clock_seconds();
            parts[part].work(packed);
            least[part] = fmin(least[part], clock_seconds() - start);
        }
    for (int part = 0; part < PARTS_TIMED; part++)
        printf("%s: %.3f\n", parts[part].name, 1e9 * least[part] / contacts);
}

// A sphere group and its impulses of the last sweep are read and both impulses written; of the
// point of a lane block everything is read, and both impulses are written.
static void print_bytes(const struct sweep_plan *plan, double contacts) {
    double impulse = sizeof(struct lane_vector);
    double groups = (double)plan->group_count, points = (double)plan->lane_point_count;
    double read = groups * (sizeof(struct sphere_group) + impulse) +
                  points * sizeof(struct lane_point) +
                  (double)plan->lane_block_count * sizeof(struct lane_block) +
                  (double)plan->point_count * sizeof(struct block_point) +
                  (double)plan->block_count * sizeof(struct block);
    double written = 2 * impulse * (groups + points);
    printf("bytes-read: %.1f\nbytes-written: %.1f\n", read / contacts, written / contacts);
    printf("plan-bytes: %.0f\n",
           read + (double)plan->solver_body_count * sizeof(struct solver_body));
}

static void see(struct step_observer *observer, struct contact_problem *problem,
                const vec3 *start) {
    const struct kernel_observer *kernel = (struct kernel_observer *)observer;
    struct solver_workspace *workspace = solver_workspace_create();
    struct sweep_plan *plan = workspace_plan(workspace, problem, &kernel->settings, start);
    double contacts = (double)plan->active;
    vec3 room; // none is spare: it is not written
    // A pair of bodies reads their two lines once, however many points it has.
    printf("bodies: %d\ncontacts: %zu\nnodes: %zu\ncolours: %d\nthreads: %d\n", plan->moving,
           plan->active, plan->nodes, plan->colours, team_size(plan->team));
    if (plan->active > 0) {
        print_bytes(plan, contacts);
        struct packed packed = packed_open(plan, &kernel->settings, &room);
        packed_start(&packed);
        time_parts(&packed, contacts);
        packed_close(&packed);
    }
    solver_workspace_free(workspace);
}

static bool run(struct gabion_world *world, int64_t steps, struct gabion_error *error) {
    while (world->step < steps)
        if (!world_step(world, error))
            return false;
    struct kernel_observer kernel = {{see}, solve_settings(world)};
    world->observer = &kernel.observer;
    bool done = world_step(world, error);
    world->observer = NULL;
    return done;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--short") == 0) {
        time_limit = 0;
        argc--;
        argv++;
    }
    if (argc < 4) {
        fprintf(stderr, "usage: kernels [--short] CASE STEPS THREADS [KEY=VALUE...]\n");
        return GABION_ERROR_INPUT;
    }
    struct gabion_error error = {0};
    struct scene scene;
    struct scene_request request = {.case_path = argv[1],
                                    .threads = atoi(argv[3]),
                                    .overrides = (const char *const *)argv + 4,
                                    .override_count = argc - 4};
    bool done = scene_open_case(&scene, &request, &error);
    if (done) {
        done = run(scene.world, atoll(argv[2]), &error);
        scene_close(&scene);
    }
    if (!done)
        fprintf(stderr, "%s\n", error.text);
    return (int)error.status;
}
