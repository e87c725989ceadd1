// One meaning of every solver: what a method does in a step of a run it does, bit for bit, on the
// problem of that step by itself; local solvers and momentum mean the same there and on a matrix;
// and a step's report names the methods that took part.
#include <string.h>

#include "engine/problem/stored.h"
#include "engine/solvers/panel.h"
#include "parallel/memory.h"
#include "tests/unit/clump_scene.h"
#include "tests/unit/scene_joints.h"

// Scenes ----------------------------------------------------------------------------------------

static struct gabion_law rough(void) { return (struct gabion_law){.friction = 0.4}; }

static struct gabion_law bouncing_sideways(void) {
    return (struct gabion_law){.friction = 0.4, .restitution = 0.3, .tangential_restitution = 0.5};
}

// A heap of spheres of different masses, thrown about; some overlap, some are still apart.
static void add_spheres(struct gabion_world *world) {
    struct random_stream random = {7};
    scene_floor(world);
    for (int k = 0; k < 60; k++) {
        vec3 place = {0.2 * (k % 4), 0.2 * (k / 4 % 4), 0.1 + 0.2 * (k / 16)};
        place = vec3_add_scaled(place, 5e-4, scene_random_unit(&random));
        vec3 velocity = vec3_scale(0.2, scene_random_unit(&random));
        scene_sphere(world, place, 0.1, random_between(&random, 1, 3), velocity);
    }
}

// Four courses of bricks in bond; the lowest is pushed.
static void add_wall(struct gabion_world *world) {
    int shape = scene_box_shape(world, vec3_make(0.2, 0.1, 0.05));
    scene_floor(world);
    for (int k = 0; k < 16; k++) {
        int course = k / 4;
        struct gabion_body body = scene_block_body(
            shape, vec3_make(0.4 * (k % 4) + 0.2 * (course % 2), 0, 0.05 + 0.1 * course));
        body.velocity = vec3_make(0, k < 4 ? 0.3 : 0, 0);
        scene_add(world, &body);
    }
}

static void add_clumps(struct gabion_world *world) {
    struct random_stream random = {11};
    int bar = clump_scene_bar(world, 3, 0.1, 0.12);
    scene_floor(world);
    for (int k = 0; k < 12; k++) {
        quat q = quat_normalize(quat_exp(scene_random_unit(&random)));
        struct gabion_body body =
            clump_scene_body(bar, vec3_make(0.25 * (k % 3), 0.2 * (k / 3 % 2), 0.1 + 0.1 * k), q);
        body.velocity = vec3_make(0, 0, -1);
        scene_add(world, &body);
    }
}

// Discs: no motion across the plane.
static void add_discs(struct gabion_world *world) {
    scene_floor(world);
    for (int k = 0; k < 20; k++) {
        struct gabion_body body = scene_sphere_body(
            vec3_make(0.199 * (k % 5) + 0.05 * (k / 5 % 2), 0, 0.099 + 0.17 * (k / 5)), 0.1, 1);
        body.lock = SCENE_PLANE;
        body.velocity = vec3_make(0.2 * (k % 3), 0, -0.5);
        scene_add(world, &body);
    }
}

// A slab under 144 spheres: more contacts than one body can have in the colouring.
static void add_slab(struct gabion_world *world) {
    scene_floor(world);
    scene_block(world, scene_box_shape(world, vec3_make(1.3, 1.3, 0.1)), vec3_make(0, 0, 0.1));
    for (int k = 0; k < 144; k++)
        scene_sphere(world, vec3_make(0.2 * (k % 12) - 1.1, 0.2 * (k / 12) - 1.1, 0.2999), 0.1, 1,
                     vec3_make(0.1, 0, -0.5));
}

// Three links that hang from the world; the last one drags over the floor.
static void add_chain(struct gabion_world *world) {
    scene_floor(world);
    for (int k = 0; k < 3; k++) {
        vec3 place = {0.2 * k, 0, 0.499 - 0.2 * k};
        int32_t link = scene_sphere(world, place, 0.1, 1, vec3_make(0.5, 0, 0));
        int32_t other = k > 0 ? link - 1 : -1;
        scene_join(world, scene_joint(GABION_JOINT_BALL, link, other,
                                      vec3_add(place, vec3_make(-0.1, 0, 0.1))));
    }
}

static const struct stage {
    const char *name;
    void (*add)(struct gabion_world *world);
    struct gabion_law (*law)(void);
} stages[] = {
    {"spheres", add_spheres, rough}, {"a wall", add_wall, rough},
    {"clumps", add_clumps, rough},   {"tangential restitution", add_spheres, bouncing_sideways},
    {"discs", add_discs, rough},     {"a body that is split", add_slab, rough},
    {"joints", add_chain, rough},
};
enum { SPHERES, WALL, CLUMPS, SIDEWAYS, DISCS, SLAB, CHAIN, STAGES };

static const struct variant {
    const char *name;
    enum gabion_local local;
    double relaxation;
    bool momentum;
    int cap;
} variants[] = {
    {"auto", GABION_LOCAL_AUTO, 1, true, 3000},
    {"newton", GABION_LOCAL_NEWTON, 1, true, 3000},
    {"exact", GABION_LOCAL_EXACT, 1, true, 3000},
    {"explicit", GABION_LOCAL_EXPLICIT, 1, true, 3000},
    {"relaxation 1.3", GABION_LOCAL_AUTO, 1.3, true, 3000},
    {"without momentum", GABION_LOCAL_AUTO, 1, false, 3000},
    {"seven sweeps", GABION_LOCAL_AUTO, 1, true, 7},
};
#define VARIANTS (sizeof variants / sizeof *variants)

static struct gabion_settings settings_of(const struct variant *variant) {
    struct gabion_settings settings = scene_settings(2e-3, 0.5);
    settings.tolerance = 1e-9;
    settings.on_cap = GABION_CAP_ACCEPT;
    settings.local = variant->local;
    settings.relaxation = variant->relaxation;
    settings.momentum = variant->momentum;
    settings.max_sweeps = variant->cap;
    return settings;
}

static struct gabion_world *stage_create(int stage, const struct gabion_settings *settings) {
    struct gabion_world *world = scene_create(settings, stages[stage].law());
    stages[stage].add(world);
    return world;
}

// Runs and problems by themselves -----------------------------------------------------------------

// The problem that the run has just solved, solved again: the same sweeps and the same bits, also
// where the sweeps may keep impulses in the vector that they start from.
static void assert_same_solve(const struct gabion_world *world, struct contact_problem *problem,
                              size_t spare, const char *stage, const char *variant) {
    struct solver_settings settings = solve_settings(world);
    size_t slots = contact_problem_slots(problem);
    vec3 *r = memory_borrow((slots + spare + 1) * sizeof *r, "test");
    settings.spare = spare;
    memcpy(r, problem->stored->start, slots * sizeof *r);
    r[slots + spare].x = 7; // not theirs
    struct solver_result result =
        panel_solve(problem, GABION_METHOD_NSGS, &settings, NULL, (double *)r);
    bool same = result.iterations == world->report.sweeps &&
                memcmp(&result.error.scaled, &world->report.residual, sizeof(double)) == 0 &&
                memcmp(&result.error.fclib, &world->report.residual_fclib, sizeof(double)) == 0 &&
                memcmp(r, world->contacts->impulse, slots * sizeof *r) == 0;
    if (!same)
        fail_msg(
            "%s, %s, step %lld: the run took %d sweeps to %.17g, the problem alone %d to %.17g",
            stage, variant, (long long)world->step, world->report.sweeps, world->report.residual,
            result.iterations, result.error.scaled);
    assert_int_equal(result.substitutions, world->report.substitutions);
    assert_true(r[slots + spare].x == 7);
    memory_return(r);
}

static void check_stage(int stage, const struct variant *variant) {
    struct gabion_settings settings = settings_of(variant);
    struct gabion_world *world = stage_create(stage, &settings);
    struct step_keeper keeper = {.observer = {step_keep}};
    int sweeps = 0;
    world->observer = &keeper.observer;
    for (int step = 0; step < 4; step++) {
        scene_step(world, 1);
        for (size_t spare = 0; spare < 1000; spare = 8 * spare + 1) // none, too few, enough
            assert_same_solve(world, keeper.problem, spare, stages[stage].name, variant->name);
        sweeps += world->report.sweeps;
    }
    assert_true(sweeps > 4); // or nothing was compared
    assert_true(stage != SLAB || scene_plan(world)->split_count > 0);
    contact_problem_free(keeper.problem);
    scene_destroy(world);
}

static void test_runs_and_problems(void **state) {
    (void)state;
    for (int stage = 0; stage < STAGES; stage++)
        for (size_t k = 0; k < VARIANTS; k++)
            check_stage(stage, &variants[k]);
}

// Substitutions -----------------------------------------------------------------------------------

static struct gabion_world *stage_run(int stage, enum gabion_local local) {
    struct variant variant = variants[0];
    variant.local = local;
    struct gabion_settings settings = settings_of(&variant);
    struct gabion_world *world = stage_create(stage, &settings);
    scene_step(world, 3);
    return world;
}

// The explicit solver serves diagonal blocks alone. Newton answers for the others, which is
// counted.
static void test_substitutions_of_runs(void **state) {
    (void)state;
    struct gabion_world *newton = stage_run(WALL, GABION_LOCAL_NEWTON);
    struct gabion_world *asked = stage_run(WALL, GABION_LOCAL_EXPLICIT);
    assert_true(asked->report.rows > 16);
    assert_int_equal(asked->report.substitutions, asked->report.rows);
    assert_int_equal(newton->report.substitutions, 0);
    assert_int_equal(asked->report.sweeps, newton->report.sweeps);
    assert_true(gabion_state_hash(asked) == gabion_state_hash(newton));
    scene_destroy(newton);
    scene_destroy(asked);
    struct gabion_world *spheres = stage_run(SPHERES, GABION_LOCAL_EXPLICIT);
    assert_int_equal(spheres->report.substitutions, 0);
    scene_destroy(spheres);
    struct gabion_world *slab = stage_run(SLAB, GABION_LOCAL_EXPLICIT);
    assert_int_equal(slab->report.substitutions, 144 + 4); // spheres on it, and its own corners
    assert_true(slab->report.rows > 144 + 4);              // spheres against each other
    scene_destroy(slab);
}

// The problem of the last step with W built, as a file holds it.
static struct contact_problem *matrix_of(const struct gabion_world *world) {
    struct contact_problem *rows = scene_rows(world);
    struct contact_problem *matrix = contact_problem_assemble(rows);
    contact_problem_free(rows);
    return matrix;
}

static double *solve(struct contact_problem *problem, struct solver_settings settings,
                     struct solver_result *result) {
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "test");
    *result = panel_solve(problem, GABION_METHOD_NSGS, &settings, NULL, r);
    return r;
}

static void check_matrix_substitutions(int stage, bool substitutes) {
    struct gabion_world *world = stage_run(stage, GABION_LOCAL_AUTO);
    struct contact_problem *problem = matrix_of(world);
    struct solver_settings settings = solve_settings(world);
    struct solver_result result[2];
    settings.local = GABION_LOCAL_EXPLICIT;
    double *asked = solve(problem, settings, &result[0]);
    settings.local = substitutes ? GABION_LOCAL_NEWTON : GABION_LOCAL_AUTO;
    double *served = solve(problem, settings, &result[1]);
    assert_int_equal(result[0].substitutions, substitutes ? problem->contacts : 0);
    assert_int_equal(result[1].substitutions, 0);
    assert_true((strstr(result[0].note, "newton") != NULL) == substitutes);
    assert_string_equal(result[1].note, "");
    assert_int_equal(result[0].iterations, result[1].iterations);
    assert_memory_equal(asked, served, contact_problem_size(problem) * sizeof *asked);
    memory_free(asked);
    memory_free(served);
    contact_problem_free(problem);
    scene_destroy(world);
}

// And `auto` means explicit where it can serve.
static void test_substitutions_of_matrices(void **state) {
    (void)state;
    check_matrix_substitutions(WALL, true);
    check_matrix_substitutions(SPHERES, false);
}

// Reports -----------------------------------------------------------------------------------------

static int spent_in_all(const struct gabion_step_report *report) {
    int sum = 0;
    for (int method = 0; method < GABION_METHOD_COUNT; method++)
        sum += report->spent[method];
    return sum;
}

static struct gabion_world *step_relaxed(int stage, enum gabion_method method, int cap,
                                         double relaxation) {
    struct gabion_settings settings = settings_of(&variants[0]);
    settings.method = method;
    settings.max_sweeps = cap;
    settings.relaxation = relaxation;
    struct gabion_world *world = stage_create(stage, &settings);
    scene_step(world, 1);
    return world;
}

static struct gabion_world *step_by(int stage, enum gabion_method method, int cap) {
    return step_relaxed(stage, method, cap, 1);
}

static void test_finished_alone(void **state) {
    (void)state;
    const enum gabion_method methods[] = {GABION_METHOD_NEWTON, GABION_METHOD_NSGS};
    for (int k = 0; k < 2; k++) {
        struct gabion_world *world = step_by(WALL, methods[k], 3000);
        const struct gabion_step_report *report = &world->report;
        assert_true(report->converged);
        assert_int_equal(report->finished_by, methods[k]);
        assert_false(report->fell_back);
        assert_true(report->spent[methods[k]] > 0);
        assert_int_equal(report->spent[methods[k]], report->sweeps);
        assert_int_equal(spent_in_all(report), report->sweeps);
        scene_destroy(world);
    }
}

static void check_fallback(int stage, double relaxation, enum gabion_method finished_by) {
    struct gabion_world *world = step_relaxed(stage, GABION_METHOD_NEWTON, 1, relaxation);
    const struct gabion_step_report *report = &world->report;
    assert_false(report->converged);
    assert_int_equal(report->finished_by, finished_by);
    assert_int_equal(report->spent[GABION_METHOD_NEWTON], 1);
    assert_int_equal(report->spent[GABION_METHOD_NSGS], 1);
    assert_int_equal(spent_in_all(report), 2);
    assert_true(report->fell_back);
    assert_int_equal(world->run.fallback_steps, 1);
    world->settings.max_sweeps = 3000; // enough: the next step is newton's alone
    scene_step(world, 1);
    assert_true(report->converged);
    assert_false(report->fell_back);
    assert_int_equal(world->run.fallback_steps, 1);
    scene_free(world);
}

// One factorisation of newton is not enough. One sweep helps; where it does harm, as one that
// nearly doubles each change does to a wall, its impulses do not count, and the method asked for
// remains.
static void test_finished_by_fallback(void **state) {
    (void)state;
    check_fallback(SPHERES, 1, GABION_METHOD_NSGS);
    check_fallback(WALL, 1.95, GABION_METHOD_NEWTON);
}

// auto is no method by itself: the stage that found the answer finished the step.
static void test_finished_by_auto(void **state) {
    (void)state;
    struct gabion_world *world = step_by(WALL, GABION_METHOD_AUTO, 3000);
    const struct gabion_step_report *report = &world->report;
    assert_true(report->converged);
    assert_true(report->finished_by != GABION_METHOD_AUTO);
    assert_true(report->spent[report->finished_by] > 0);
    assert_int_equal(report->spent[GABION_METHOD_AUTO], 0);
    assert_int_equal(spent_in_all(report), report->sweeps);
    scene_destroy(world);
}

// A step that is solved as it starts costs nothing, whatever the steps before it cost.
static void test_finished_as_it_starts(void **state) {
    (void)state;
    struct gabion_settings settings = settings_of(&variants[0]);
    settings.method = GABION_METHOD_NEWTON;
    struct gabion_world *world = scene_create(&settings, rough());
    scene_floor(world);
    scene_block(world, scene_box_shape(world, vec3_make(0.1, 0.1, 0.1)), vec3_make(0, 0, 0.1));
    scene_step(world, 1);
    assert_true(world->report.spent[GABION_METHOD_NEWTON] > 0);
    scene_step(world, 1);
    assert_true(world->report.converged);
    assert_int_equal(world->report.finished_by, GABION_METHOD_NEWTON);
    assert_int_equal(spent_in_all(&world->report), 0);
    scene_destroy(world);
}

// Momentum ----------------------------------------------------------------------------------------

// Towers of spheres, whose weight has to find its way down.
static struct contact_problem *pile_matrix(void) {
    struct gabion_settings settings = settings_of(&variants[0]);
    struct gabion_world *world = scene_create(&settings, rough());
    scene_floor(world);
    for (int k = 0; k < 48; k++)
        scene_sphere(world,
                     vec3_make(0.199 * (k % 2), 0.199 * (k / 2 % 2), 0.0999 + 0.1999 * (k / 4)),
                     0.1, 1, vec3_make(0.01 * (k % 3), 0, 0));
    scene_step(world, 1);
    struct contact_problem *matrix = matrix_of(world);
    matrix->team = NULL; // it outlives the world
    scene_destroy(world);
    return matrix;
}

static void test_momentum_on_rows(void **state) {
    (void)state;
    struct contact_problem *problem = pile_matrix();
    struct solver_settings settings = {
        .tolerance = 1e-12, .max_iterations = 1000000, .relaxation = 1, .momentum = true};
    struct solver_result with, without;
    size_t size = contact_problem_size(problem);
    double *u = memory_allocate(2 * size, sizeof *u, "test"), *v = u + size;
    double *r = solve(problem, settings, &with);
    settings.momentum = false;
    double *s = solve(problem, settings, &without);
    assert_int_equal(with.status, SOLVER_CONVERGED);
    assert_int_equal(without.status, SOLVER_CONVERGED);
    contact_problem_velocity(problem, r, u);
    contact_problem_velocity(problem, s, v);
    for (size_t i = 0; i < size; i++)
        assert_near(u[i], v[i], 1e-8);
    print_message("%d sweeps with momentum, %d without\n", with.iterations, without.iterations);
    assert_true(2 * with.iterations < without.iterations);
    memory_free(u);
    memory_free(r);
    memory_free(s);
    contact_problem_free(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_and_problems),
        cmocka_unit_test(test_substitutions_of_runs),
        cmocka_unit_test(test_substitutions_of_matrices),
        cmocka_unit_test(test_finished_alone),
        cmocka_unit_test(test_finished_by_fallback),
        cmocka_unit_test(test_finished_by_auto),
        cmocka_unit_test(test_finished_as_it_starts),
        cmocka_unit_test(test_momentum_on_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
