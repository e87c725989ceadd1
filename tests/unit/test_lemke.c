// All contacts at once by pivots and by quadratic programs: a heap of spheres, a stack of blocks,
// and problems that have no answer.
#include "engine/solvers/panel.h"

#include <string.h>

#include "engine/problem/contact_problem.h"
#include "engine/solvers/local/polygon.h"
#include "parallel/memory.h"
#include "tests/unit/settling.h"

static const enum gabion_method methods[] = {GABION_METHOD_LEMKE, GABION_METHOD_QP};

// The contact problem of the step that follows.
static struct contact_problem *next_problem(struct gabion_world *world) {
    scene_enter_step(world);
    scene_find_contacts(world);
    gap_activate(world);
    joint_points_find(world);
    return scene_rows(world);
}

// Five blocks on each other, four points to a joint: W has a third of full rank.
static struct gabion_world *stack(double friction) {
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 0.01;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = friction});
    int shape = scene_box_shape(world, vec3_make(0.5, 0.4, 0.25));
    scene_floor(world);
    for (int k = 0; k < 5; k++) {
        struct gabion_body block = scene_block_body(shape, vec3_make(0.01 * k, 0, 0.25 + 0.5 * k));
        block.velocity = vec3_make(k == 4 ? 2 : 0, k == 3 ? 0.3 : 0, 0);
        scene_add(world, &block);
    }
    return world;
}

struct answer {
    struct solver_result result;
    double *r, *u;
};

static struct answer solve(struct contact_problem *problem, enum gabion_method method,
                           struct gabion_cone cone) {
    struct solver_settings settings = {
        .tolerance = 1e-11, .max_iterations = 100000, .relaxation = 1, .cone = cone};
    struct answer answer;
    size_t size = contact_problem_size(problem);
    answer.r = memory_allocate(size, sizeof(double), "test");
    answer.u = memory_allocate(size, sizeof(double), "test");
    answer.result = panel_solve(problem, method, &settings, NULL, answer.r);
    contact_problem_velocity(problem, answer.r, answer.u);
    return answer;
}

static void answer_free(struct answer *answer) {
    memory_free(answer->r);
    memory_free(answer->u);
}

// Both methods solve the problem with this cone, and find the same velocities where those are
// unique. (How the pressure of a sliding joint is shared by its points decides how it turns.)
static void assert_agree(struct contact_problem *problem, struct gabion_cone cone, bool unique) {
    struct answer answer[2];
    for (int k = 0; k < 2; k++) {
        answer[k] = solve(problem, methods[k], cone);
        assert_at_most(polygon_residual(problem, &cone, answer[k].r), 1e-9);
    }
    for (size_t i = 0; unique && i < contact_problem_size(problem); i++)
        assert_near(answer[0].u[i], answer[1].u[i], 1e-8);
    answer_free(&answer[0]);
    answer_free(&answer[1]);
}

static void without_friction(struct contact_problem *problem) {
    for (int32_t a = 0; a < problem->contacts; a++)
        problem->mu[a] = 0;
}

// Without friction the answer is that of the round cone too.
static void assert_frictionless(struct contact_problem *problem) {
    without_friction(problem);
    for (int k = 0; k < 2; k++) {
        struct answer answer = solve(problem, methods[k], (struct gabion_cone){.sides = 8});
        assert_int_equal(answer.result.status, SOLVER_CONVERGED);
        assert_at_most(answer.result.error.scaled, 1e-8);
        assert_at_most(answer.result.error.fclib, 1e-8);
        answer_free(&answer);
    }
    assert_agree(problem, (struct gabion_cone){.sides = 8}, true);
}

static void test_settling(void **state) {
    (void)state;
    struct gabion_world *world = settling(80, 25, 200, 0.3);
    struct contact_problem *problem = next_problem(world);
    assert_true(problem->contacts >= 200);
    assert_agree(problem, (struct gabion_cone){.sides = 4, .angle = 0.3}, true);
    assert_frictionless(problem);
    contact_problem_free(problem);
    scene_destroy(world);
}

// At rest, where friction is mobilised everywhere and the fixed point of the programs does not
// contract by itself. Both methods solve it; with friction the velocities are not unique (they
// differ by 1.7e-3 m/s on one sphere here).
static void test_at_rest(void **state) {
    (void)state;
    struct gabion_world *world = settling(40, 25, 1000, 0.3);
    assert_at_most(world->report.max_speed, 0.05);
    struct contact_problem *problem = next_problem(world);
    assert_agree(problem, (struct gabion_cone){.sides = 8}, false);
    assert_agree(problem, (struct gabion_cone){.sides = 5, .outer = true, .angle = 1}, true);
    contact_problem_free(problem);
    scene_destroy(world);
}

static void test_blocks(void **state) {
    (void)state;
    for (int sides = 3; sides <= 9; sides++) {
        struct gabion_world *world = stack(0.4);
        struct contact_problem *problem = next_problem(world);
        assert_int_equal(problem->contacts, 20);
        assert_agree(problem, (struct gabion_cone){.sides = sides, .outer = sides % 2, .angle = 1},
                     false);
        if (sides == 8)
            assert_frictionless(problem);
        contact_problem_free(problem);
        scene_destroy(world);
    }
}

// Contacts that know nothing of each other, with W_aa = w times the identity.
static struct contact_problem *separate(int32_t contacts, double w, double mu, vec3 q) {
    struct contact_problem *problem = contact_problem_create(contacts, (size_t)contacts);
    for (int32_t a = 0; a < contacts; a++) {
        problem->matrix.start[a + 1] = (size_t)a + 1;
        problem->matrix.column[a] = a;
        for (int i = 0; i < 3; i++)
            problem->matrix.value[a * CONTACT_BLOCK + 5 * i] = w;
        problem->mu[a] = mu;
        contact_set(problem->q, a, q);
    }
    contact_problem_finish(problem);
    return problem;
}

// With infinite friction nothing slides, however flat the impulse has to be: the round cone's
// answer.
static void test_sticking(void **state) {
    (void)state;
    struct contact_problem *problem = separate(5, 2, INFINITY, vec3_make(-1, 12, -5));
    for (int k = 0; k < 2; k++) {
        struct answer answer = solve(problem, methods[k], (struct gabion_cone){.sides = 6});
        assert_at_most(answer.result.error.scaled, 1e-8);
        for (int32_t a = 0; a < 5; a++)
            assert_vector_near(contact_get(answer.r, a), vec3_make(0.5, -6, 2.5), 1e-8);
        answer_free(&answer);
    }
    contact_problem_free(problem);
}

static void test_too_large(void **state) {
    (void)state;
    const int32_t contacts[] = {801, 2667};
    const char *const sizes[] = {"8010", "8001"};
    for (int k = 0; k < 2; k++) {
        struct contact_problem *problem = separate(contacts[k], 1, 0.5, vec3_make(-1, 1, 0));
        struct answer answer = solve(problem, methods[k], (struct gabion_cone){.sides = 8});
        assert_int_equal(answer.result.status, SOLVER_REJECTED);
        assert_non_null(strstr(answer.result.note, sizes[k]));
        answer_free(&answer);
        contact_problem_free(problem);
    }
}

// Two prescribed bodies that close: there is no answer, and none is claimed.
static void test_no_answer(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct contact_problem *problem = separate(1, 0, k < 2 ? 0 : 0.5, vec3_make(-1, 0.5, 0));
        problem->rho[0] = 1; // else no measure would see it
        struct answer answer = solve(problem, methods[k % 2], (struct gabion_cone){.sides = 6});
        assert_int_equal(answer.result.status, SOLVER_STALLED);
        assert_true(answer.result.note[0] != '\0');
        answer_free(&answer);
        contact_problem_free(problem);
    }
}

static void test_pivot_cap(void **state) {
    (void)state;
    struct contact_problem *problem = separate(3, 1, 0.5, vec3_make(-1, 0.2, 0.9));
    struct solver_settings settings = {
        .tolerance = 1e-10, .max_iterations = 2, .cone = {.sides = 8}};
    double r[9] = {0};
    struct solver_result result = panel_solve(problem, GABION_METHOD_LEMKE, &settings, NULL, r);
    assert_int_equal(result.status, SOLVER_CAP);
    contact_problem_free(problem);
}

// The polygon's answer is returned even if the start was nearer to the round cone's.
static void test_start(void **state) {
    (void)state;
    struct contact_problem *problem = separate(1, 1, 0.5, vec3_make(-1, 3, 0));
    for (int k = 0; k < 2; k++) {
        struct solver_settings settings = {
            .tolerance = 1e-10, .max_iterations = 100, .cone = {.sides = 4, .angle = PI / 4}};
        double r[3] = {1, -0.5 + 1e-6, 0}; // nearly exact
        struct solver_result result = panel_solve(problem, methods[k], &settings, NULL, r);
        assert_int_equal(result.status, SOLVER_STALLED);
        assert_near(r[1], -0.5 / sqrt(2), 1e-14);
        assert_non_null(strstr(result.note, "inner 4-gon"));
    }
    contact_problem_free(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settling),  cmocka_unit_test(test_at_rest),
        cmocka_unit_test(test_blocks),    cmocka_unit_test(test_sticking),
        cmocka_unit_test(test_too_large), cmocka_unit_test(test_no_answer),
        cmocka_unit_test(test_pivot_cap), cmocka_unit_test(test_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
