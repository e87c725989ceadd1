// The method auto, the default: it solves what sweeps cannot, remembers what worked as state, and
// decides by nothing but the state.
#include <string.h>
#include <unistd.h>

#include "engine/solvers/choice.h"
#include "engine/solvers/newton/fill.h"
#include "engine/solvers/newton/resolvent.h"
#include "engine/solvers/sweep/rate.h"
#include "tests/unit/problem_maker.h"

#define BOXES 30
#define SIDE  0.2
#define PUSH  0.01  // m/s
#define HEAVY 100.0 // density of the top, in densities of the others

// A tower of boxes on a fixed one, the topmost heavy and pushed aside.
static struct gabion_world *tower(enum gabion_method method, double push, int threads) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 5e-3;
    settings.method = method;
    struct gabion_world *world = gabion_create(&settings, threads, &error);
    assert_non_null(world);
    struct gabion_law law = {.friction = 0.5};
    assert_int_equal(gabion_add_material(world, "stone", 2000, &error), 0);
    assert_true(gabion_set_default_law(world, &law, &error));
    int box = gabion_add_box(world, (vec3){SIDE, SIDE, SIDE}, &error);
    for (int k = 0; k <= BOXES; k++) {
        struct gabion_body body = gabion_default_body();
        body.shape = GABION_POLYHEDRON;
        body.polyhedron = box;
        body.position = vec3_make(0, 0, (k - 0.5) * SIDE);
        body.fixed = k == 0;
        body.density = k == BOXES ? 2000 * HEAVY : 2000;
        body.velocity.x = k == BOXES ? push : 0;
        assert_int_equal(gabion_add_body(world, &body, &error), k);
    }
    return world;
}

static void advance(struct gabion_world *world, int steps) {
    struct gabion_error error = {0};
    for (int k = 0; k < steps; k++)
        if (!gabion_step(world, &error))
            fail_msg("%s", error.text);
}

static void test_default(void **state) {
    (void)state;
    assert_int_equal(gabion_default_settings().method, GABION_METHOD_AUTO);
    assert_int_equal(gabion_default_solver().method, GABION_METHOD_AUTO);
}

static void test_tower_is_solved(void **state) {
    (void)state;
    struct gabion_world *world = tower(gabion_default_settings().method, PUSH, 1);
    advance(world, 60);
    assert_int_equal(world->run.unconverged_steps, 0);
    assert_at_most(world->report.residual, gabion_default_settings().tolerance);
    gabion_destroy(world);
}

// The first step is solved so well that its impulses carry the tower on. What the start solves
// costs nothing.
static void test_rest_is_free(void **state) {
    (void)state;
    struct gabion_world *world = tower(GABION_METHOD_AUTO, 0, 1);
    advance(world, 1);
    assert_int_equal(world->report.finished_by, GABION_METHOD_ADMM);
    for (int step = 0; step < 10; step++) {
        advance(world, 1);
        assert_int_equal(world->report.finished_by, GABION_METHOD_AUTO);
        for (int method = 0; method < GABION_METHOD_COUNT; method++)
            assert_int_equal(world->report.spent[method], 0);
    }
    gabion_destroy(world);
}

// ipm solves the first step of a tower that is pushed. The next one has a start that newton can
// use.
static void test_cold_start_is_not_remembered(void **state) {
    (void)state;
    struct gabion_world *world = tower(GABION_METHOD_AUTO, PUSH, 1);
    advance(world, 1);
    assert_int_equal(world->report.finished_by, GABION_METHOD_IPM);
    assert_int_equal(world->memory.method, GABION_METHOD_NEWTON);
    gabion_destroy(world);
}

// Once sweeps have failed the memory decides what a step begins with.
static void test_memory_is_state(void **state) {
    (void)state;
    struct gabion_error error = {0};
    char path[] = "/tmp/gabion-auto-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct gabion_world *world = tower(GABION_METHOD_AUTO, PUSH, 1);
    for (int step = 0; step < 60 && world->memory.wait == 0; step++)
        advance(world, 1);
    assert_true(world->memory.wait > 0 && world->memory.factors > 0);
    assert_true(gabion_write_checkpoint(world, path, &error));
    struct gabion_world *resumed = tower(GABION_METHOD_AUTO, PUSH, 2);
    if (!gabion_restore_checkpoint(resumed, path, &error))
        fail_msg("%s", error.text);
    assert_memory_equal(&resumed->memory, &world->memory, sizeof world->memory);
    for (int k = 0; k < 20; k++) {
        advance(world, 1);
        advance(resumed, 1);
        assert_int_equal(resumed->report.finished_by, world->report.finished_by);
        assert_int_equal(gabion_state_hash(resumed), gabion_state_hash(world));
    }
    gabion_destroy(world);
    gabion_destroy(resumed);
    unlink(path);
}

// A step that fails leaves the memory as it was, so that trying again does the same again.
static void test_failure_is_forgotten(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = tower(GABION_METHOD_AUTO, PUSH, 1);
    advance(world, 12);
    uint64_t hash = gabion_state_hash(world);
    world->settings.on_cap = GABION_CAP_STOP;
    world->settings.max_sweeps = 1;
    world->settings.tolerance = -1; // which nothing reaches
    for (int k = 0; k < 3; k++) {
        assert_false(gabion_step(world, &error));
        assert_int_equal(gabion_state_hash(world), hash);
    }
    gabion_destroy(world);
}

// The hash covers every bit of what is remembered.
static void test_memory_is_hashed(void **state) {
    (void)state;
    struct gabion_world *world = tower(GABION_METHOD_AUTO, PUSH, 1);
    advance(world, 12);
    double *numbers[] = {&world->memory.factorisation, &world->memory.sweeps,
                         &world->memory.factors, &world->memory.credit};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        uint64_t hash = gabion_state_hash(world);
        *numbers[k] += 1024;
        assert_int_not_equal(gabion_state_hash(world), hash);
    }
    gabion_destroy(world);
}

// Among grains other methods spend what sweeps have earned: without credit the step is left to
// sweeps, unless factors are cheap.
static void test_credit(void **state) {
    (void)state;
    struct solver_memory memory = {0};
    struct choice choice = {.memory = &memory, .sweep = 100};
    choice_earn(&choice, 50);
    assert_near(memory.credit, 5000, 0);
    choice_note_factors(&choice, 8000, GABION_METHOD_PROX, true);
    assert_near(memory.credit, -3000, 0);
    choice.faces = true;
    choice_earn(&choice, 50);
    assert_near(memory.credit, -3000, 0);
}

static void test_threads(void **state) {
    (void)state;
    struct gabion_world *worlds[3];
    for (int k = 0; k < 3; k++) {
        worlds[k] = tower(GABION_METHOD_AUTO, PUSH, k + 1);
        advance(worlds[k], 40);
        assert_int_equal(gabion_state_hash(worlds[k]), gabion_state_hash(worlds[0]));
    }
    for (int k = 0; k < 3; k++)
        gabion_destroy(worlds[k]);
}

// A run by another method has no memory, and its hash is not changed by there being one.
static void test_other_methods_remember_nothing(void **state) {
    (void)state;
    const struct solver_memory none = {0};
    struct gabion_world *world = tower(GABION_METHOD_NEWTON, PUSH, 1);
    advance(world, 5);
    assert_memory_equal(&world->memory, &none, sizeof none);
    gabion_destroy(world);
}

// A measure that falls by a factor c per sweep is log(measure / tolerance) / log(1 / c) away.
static void test_rate(void **state) {
    (void)state;
    struct rate rate = rate_open(1);
    double measure = 1, c = 0.9, left = 0;
    for (int sweep = 1; sweep <= 40; sweep++) {
        measure *= c;
        left = rate_left(&rate, sweep, measure, 1e-6);
        assert_near(left, log(measure / 1e-6) / -log(c), 1e-9 * left);
    }
    assert_true(rate_hopeless(40, left, 1.9 * left));
    assert_false(rate_hopeless(40, left, 2.1 * left)); // half of those worth making
    assert_false(rate_hopeless(40, INFINITY, 201));    // too early to say
    assert_true(rate_left(&rate, 41, 2, 1e-6) == INFINITY);
}

// The prediction made without factors against the count that the factors give.
static void test_fill_is_predicted(void **state) {
    (void)state;
    for (int bodies = 3; bodies <= 48; bodies *= 2) {
        struct contact_problem *problem = maker_pile(7, bodies, 6 * bodies, 0.4);
        struct resolvent *resolvent = resolvent_create(problem);
        double ratio = fill_cost(problem) / resolvent_cost(resolvent);
        print_message("%d bodies: %.2f of the count\n", bodies, ratio);
        assert_true(ratio > 0.5 && ratio < 2);
        resolvent_free(resolvent);
        contact_problem_free(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_tower_is_solved),
        cmocka_unit_test(test_rest_is_free),
        cmocka_unit_test(test_cold_start_is_not_remembered),
        cmocka_unit_test(test_memory_is_state),
        cmocka_unit_test(test_failure_is_forgotten),
        cmocka_unit_test(test_memory_is_hashed),
        cmocka_unit_test(test_credit),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_other_methods_remember_nothing),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_fill_is_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
